import { z } from 'zod';
import { id } from '../../domain/fields.ts';

/** What a new person is shown to do first, and what of it they have done. */
export const firstSteps = z.object({
  shown: z
    .boolean()
    .describe('Whether to show them: false after they were dismissed, and for older accounts.'),
  recorded: z.boolean().describe('They recorded something.'),
  wrote: z.boolean().describe('They wrote a note, or in the sample.'),
  connected: z.boolean().describe('A program used one of their keys.'),
  sample_id: id.nullable().describe('The note of the sample recording, until it is deleted.'),
});
export type FirstSteps = z.infer<typeof firstSteps>;
