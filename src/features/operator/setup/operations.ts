import { z } from 'zod';
import { check } from '../../../domain/status.ts';
import { query, stream } from '../../../kernel/operation.ts';
import { entered, setup } from './schema.ts';
import { finish, look, tryEntered } from './setup.ts';

/** What a new server is set up with. The first account enters it, once; other operators look. */
const access = { credential: 'operator' } as const;
const answer = setup.meta({ id: 'Setup' });

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
