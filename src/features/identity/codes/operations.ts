import { z } from 'zod';
import { anyone } from '../../../domain/access.ts';
import { maxEmailLength } from '../../../domain/email.ts';
import { stream } from '../../../kernel/operation.ts';
import { timestamp } from '../../../kernel/schemas.ts';
import { sendCode, verifyCode } from './codes.ts';

const email = z.string().max(maxEmailLength);

/** How an agent gets its own key: a code by e-mail, a token for the code, then the key routes. The first answer has no `data`. */
export const sendEmailCode = stream({
  http: 'POST /api/v1/auth/email-code',
  access: anyone,
  summary: 'Send a 6-digit code to an e-mail address',
  errors: ['rate_limited', 'forbidden'],
  body: z.object({ email }),
  bare: true,
  answer: z.object({ message: z.string() }),
  async run(context, { body }) {
    await sendCode(context, body.email, context.request.ip);
    return { message: 'If this address has an account, a code is on its way to it.' };
  },
});

export const verifyEmailCode = stream({
  http: 'POST /api/v1/auth/email-code/verify',
  access: anyone,
  wire: { signsIn: true },
  summary: 'Trade the code for an agent token, which can create, list and revoke keys for 15 minutes',
  errors: ['rate_limited', 'invalid_code', 'too_many_attempts', 'forbidden'],
  body: z.object({ email, code: z.string().min(1).max(100) }),
  answer: z.object({ token: z.string(), expires_at: timestamp }),
  audit: ['account.created', 'sign_in'],
  run: (context, { body: { email, code } }) => verifyCode(context, email, code),
});
