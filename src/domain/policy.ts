/** What a workspace can turn off for the members it manages. */
export const policies = ['cloud transcription', 'cloud backup'] as const;
export type Policy = (typeof policies)[number];
