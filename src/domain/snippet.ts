/** Said `trigger`, written `replacement`. No two triggers of a user are the same by `sameTextKey`. */
export interface Snippet {
  id: string;
  trigger: string;
  replacement: string;
  created_at: string;
  updated_at: string;
}

export const maxTriggerLength = 100;
export const maxReplacementLength = 5_000;
