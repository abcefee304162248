import { z } from 'zod';

/** What a workspace turns off for its managed members. */
export const workspacePolicy = z.object({
  block_cloud_transcription: z.boolean().describe('Managed members cannot use POST /transcribe.'),
  block_cloud_backup: z.boolean().describe('Managed members cannot change their dictionary and snippets.'),
  block_language_models: z.boolean().describe('No text of managed members goes to a language model.'),
});
export type WorkspacePolicy = z.infer<typeof workspacePolicy>;
export type PolicyChanges = Partial<WorkspacePolicy>;

/** The name of each policy in routes and messages. */
const turnsOff = {
  block_cloud_transcription: 'cloud transcription',
  block_cloud_backup: 'cloud backup',
  block_language_models: 'language models',
} as const satisfies Record<keyof WorkspacePolicy, string>;
export type Policy = (typeof turnsOff)[keyof WorkspacePolicy];

const fields = workspacePolicy.keyof().options;
export const turnedOffBy = (policy: WorkspacePolicy): Policy[] =>
  fields.filter((field) => policy[field]).map((field) => turnsOff[field]);
