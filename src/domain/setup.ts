import { z } from 'zod';

/** One thing that an operator decides once, as the settings of the server have it. */
export const setupItem = z.object({
  item: z.enum(['public_address', 'mail', 'speech_model', 'sign_up', 'language_model', 'backup']),
  value: z.string().nullable().describe('What is set, without secrets; null if nothing is.'),
  settings: z.array(z.string()).describe('The variables of the environment that set it.'),
});
export type SetupItem = z.infer<typeof setupItem>;
