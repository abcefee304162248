import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { anyone } from '../../../domain/access.ts';
import { maxEmailLength } from '../../../domain/email.ts';
import { actingContext } from '../../../kernel/http.ts';
import type { Kernel } from '../../../kernel/run.ts';
import { dataOf, timestamp } from '../../../kernel/schemas.ts';
import { sendCode, verifyCode } from './codes.ts';

const email = z.string().max(maxEmailLength);

/** How an agent gets its own key: a code by e-mail, a token for the code, then the key routes. The first answer has no `data`. */
export const agentSetupRoutes =
  (kernel: Kernel): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'POST',
      url: '/auth/email-code',
      config: { access: anyone, errors: ['rate_limited', 'forbidden'] },
      schema: {
        operationId: 'sendEmailCode',
        summary: 'Send a 6-digit code to an e-mail address',
        tags: ['Agent set-up'],
        body: z.object({ email }),
        response: { 200: z.object({ message: z.string() }) },
      },
      handler: async (request, reply) => {
        await sendCode(actingContext(request, reply, kernel), request.body.email, request.ip);
        return { message: 'If this address has an account, a code is on its way to it.' };
      },
    });

    app.route({
      method: 'POST',
      url: '/auth/email-code/verify',
      config: {
        access: anyone,
        signsIn: true,
        errors: ['rate_limited', 'invalid_code', 'too_many_attempts', 'forbidden'],
      },
      schema: {
        operationId: 'verifyEmailCode',
        summary: 'Trade the code for an agent token, which can create, list and revoke keys for 15 minutes',
        tags: ['Agent set-up'],
        body: z.object({ email, code: z.string().min(1).max(100) }),
        response: { 200: dataOf(z.object({ token: z.string(), expires_at: timestamp })) },
      },
      handler: async (request, reply) => {
        const { email, code } = request.body;
        return { data: await verifyCode(actingContext(request, reply, kernel), email, code) };
      },
    });
  };
