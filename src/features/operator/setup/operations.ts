import { z } from 'zod';
import { maxEmailLength } from '../../../domain/email.ts';
import { check } from '../../../domain/status.ts';
import { maxUserNameLength } from '../../../domain/user.ts';
import { query, stream } from '../../../kernel/operation.ts';
import { label } from '../../../kernel/schemas.ts';
import { setup } from './schema.ts';
import { finish, look, tryEntered } from './setup.ts';

/** What a new server is set up with. The first account enters it, once; other operators look. */
const access = { credential: 'operator' } as const;
const answer = setup.meta({ id: 'Setup' });
const setting = (what: string) => label(2_000).optional().describe(what);

const entered = z.object({
  name: label(maxUserNameLength).optional().describe('Your own name.'),
  email: z.string().max(maxEmailLength).optional().describe('Your own e-mail address.'),
  model: setting('One of `models`.'),
  public_url: setting('STENO_PUBLIC_URL'),
  smtp_url: setting('STENO_SMTP_URL'),
  mail_from: setting('STENO_MAIL_FROM'),
  signup: setting('STENO_SIGNUP'),
  llm_url: setting('STENO_LLM_URL'),
  llm_key: setting('STENO_LLM_KEY'),
  llm_model: setting('STENO_LLM_MODEL'),
  backup_url: setting('STENO_BACKUP_URL'),
});

export const getSetup = query({
  http: 'GET /api/operator/setup',
  summary: 'What the settings of the server decide, without secrets, and whether you may set it up',
  access,
  answer,
  run: (context) => look(context),
});

export const finishSetup = stream({
  http: 'POST /api/operator/setup',
  summary: 'Set a new server up, and end set-up for good',
  description:
    'For the first account of a new server with the embedded database. What is left out stays as it is; an empty object ' +
    'skips everything. The rules are those of the settings. If there are settings among it, the server starts again with ' +
    'them: `state` is `applying` until then. If it cannot, it goes on with the old ones, set-up is open again, and `problem` says why.',
  access,
  body: entered,
  answer,
  errors: ['conflict'],
  audit: ['account.changed', 'setup.finished'],
  run: (context, { body }) => finish(context, body),
});

export const checkSetup = stream({
  http: 'POST /api/operator/setup/check',
  summary: 'Try what you are about to set up, and keep nothing of it',
  description:
    'With `email`, that address gets a test mail; with `llm_url`, the language model is asked for a few words; with ' +
    '`backup_url`, a small file is written there and removed. Each has 30 seconds.',
  access,
  cost: 5,
  body: entered,
  answer: z.array(check.meta({ id: 'Check' })),
  errors: ['conflict'],
  run: (context, { body }) => tryEntered(context, body),
});
