import { z } from 'zod';

/** One thing that an operator decides once, as the settings of the server have it. */
const setupItem = z.object({
  item: z.enum(['public_address', 'mail', 'speech_model', 'sign_up', 'language_model', 'backup']),
  value: z.string().nullable().describe('What is set, without secrets; null if nothing is.'),
  settings: z.array(z.string()).describe('The settings that decide it.'),
  environment: z
    .array(z.string())
    .describe('Those of them that the environment of the server sets, so that set-up cannot change them.'),
});
export type SetupItem = z.infer<typeof setupItem>;

export const setup = z.object({
  state: z
    .enum(['open', 'applying', 'closed'])
    .describe(
      '`open`: you may finish it. `applying`: the server starts again with what was entered; ask again. `closed`: settings are changed at the server only.',
    ),
  problem: z.string().nullable().describe('Why the server could not start with what was entered last.'),
  models: z
    .array(z.string())
    .describe('Speech models on the server to choose from; empty if there is no choice.'),
  items: z.array(setupItem.meta({ id: 'SetupItem' })),
});
export type Setup = z.infer<typeof setup>;

/** What set-up can write, by the names of the API. The setting is the same name in capitals, after STENO_. */
export const setupFields = [
  'public_url',
  'smtp_url',
  'mail_from',
  'signup',
  'llm_url',
  'llm_key',
  'llm_model',
  'backup_url',
] as const;
export type SetupField = (typeof setupFields)[number];

/** What the first account enters. What is left out stays as it is. */
export type Entered = { [Field in SetupField | 'name' | 'email' | 'model']?: string | undefined };
