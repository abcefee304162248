import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { maxEmailLength } from '../../domain/email.ts';
import { setup as shown } from '../../domain/setup.ts';
import { check } from '../../domain/status.ts';
import { maxUserNameLength } from '../../domain/user.ts';
import { dataOf, label } from '../../kernel/schemas.ts';
import type { SetupService } from '../../status/setup.ts';
import { principalOf } from '../request.ts';

const config = { access: { credential: 'operator' }, errors: ['conflict'] } as const;
const answer = dataOf(shown.meta({ id: 'Setup' }));
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

/** What a new server is set up with. The first account enters it, once; other operators look. */
export const setupRoutes =
  (setup: SetupService): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/operator/setup',
      config: { access: config.access },
      schema: {
        operationId: 'getSetup',
        summary: 'What the settings of the server decide, without secrets, and whether you may set it up',
        tags: ['Operator'],
        response: { 200: answer },
      },
      handler: async (request) => ({ data: await setup.look(principalOf(request)) }),
    });

    app.route({
      method: 'POST',
      url: '/operator/setup',
      config,
      schema: {
        operationId: 'finishSetup',
        summary: 'Set a new server up, and end set-up for good',
        description:
          'For the first account of a new server with the embedded database. What is left out stays as it is; an empty object ' +
          'skips everything. The rules are those of the settings. If there are settings among it, the server starts again with ' +
          'them: `state` is `applying` until then. If it cannot, it goes on with the old ones, set-up is open again, and `problem` says why.',
        tags: ['Operator'],
        body: entered,
        response: { 200: answer },
      },
      handler: async (request) => ({ data: await setup.finish(principalOf(request), request.body) }),
    });

    app.route({
      method: 'POST',
      url: '/operator/setup/check',
      config: { ...config, cost: 5 },
      schema: {
        operationId: 'checkSetup',
        summary: 'Try what you are about to set up, and keep nothing of it',
        description:
          'With `email`, that address gets a test mail; with `llm_url`, the language model is asked for a few words; with ' +
          '`backup_url`, a small file is written there and removed. Each has 30 seconds.',
        tags: ['Operator'],
        body: entered,
        response: { 200: dataOf(z.array(check.meta({ id: 'Check' }))) },
      },
      handler: async (request) => ({ data: await setup.check(principalOf(request), request.body) }),
    });
  };
