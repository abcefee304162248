/** What each plan allows; the numbers of the contract, section 3, in this one place. */
export interface Plan {
  readonly requestsPerMinute: number;
  readonly requestsPerDay: number;
}

export const planNames = ['free', 'pro', 'business'] as const;
export type PlanName = (typeof planNames)[number];
export type Plans = Readonly<Record<PlanName, Plan>>;

export const defaultPlans: Plans = {
  free: { requestsPerMinute: 30, requestsPerDay: 1_000 },
  pro: { requestsPerMinute: 120, requestsPerDay: 10_000 },
  business: { requestsPerMinute: 300, requestsPerDay: 50_000 },
};

export const isPlanName = (name: string): name is PlanName => planNames.some((plan) => plan === name);
