import { z } from 'zod';
import { maxEmailLength } from '../../../domain/email.ts';
import { maxUserNameLength } from '../../../domain/user.ts';
import { label } from '../../../kernel/schemas.ts';

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

const setting = (what: string) => label(2_000).optional().describe(what);
/** What set-up can write, by the names of the API. The setting is the same name in capitals, after STENO_. */
const settings = {
  public_url: setting('STENO_PUBLIC_URL'),
  smtp_url: setting('STENO_SMTP_URL'),
  mail_from: setting('STENO_MAIL_FROM'),
  signup: setting('STENO_SIGNUP'),
  llm_url: setting('STENO_LLM_URL'),
  llm_key: setting('STENO_LLM_KEY'),
  llm_model: setting('STENO_LLM_MODEL'),
  backup_url: setting('STENO_BACKUP_URL'),
};
// The keys of an object, which TypeScript does not know to be its fields.
export const setupFields = Object.keys(settings) as (keyof typeof settings)[];

/** What the first account enters. What is left out stays as it is. */
export const entered = z.object({
  name: label(maxUserNameLength).optional().describe('Your own name.'),
  email: z.string().max(maxEmailLength).optional().describe('Your own e-mail address.'),
  model: setting('One of `models`.'),
  ...settings,
});
export type Entered = z.infer<typeof entered>;
