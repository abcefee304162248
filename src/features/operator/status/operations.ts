import { z } from 'zod';
import { conflict, serviceUnavailable } from '../../../domain/errors.ts';
import { check } from '../../../domain/status.ts';
import { query, stream } from '../../../kernel/operation.ts';
import { MailFailed } from '../../../platform/mail/mailer.ts';
import { findById } from '../../identity/accounts/queries.ts';

const access = { credential: 'operator' } as const;

export const getStatus = query({
  http: 'GET /api/operator/status',
  summary: 'How every part of the server is, and what to do where something is wrong',
  description: 'Looked at every 5 seconds at most.',
  access,
  answer: z.array(check.meta({ id: 'Check' })),
  run: ({ parts }) => parts.status(),
});

export const sendTestMail = stream({
  http: 'POST /api/operator/mail-test',
  summary: 'Send yourself an e-mail, to see whether mail works',
  access,
  cost: 5,
  answer: z.object({ to: z.string() }),
  errors: ['conflict'],
  async run({ db, who, parts }) {
    const to = (await findById(db, who.userId))?.email ?? null;
    if (parts.config.smtpUrl === '') throw conflict('STENO_SMTP_URL is not set, so no e-mail is sent.');
    if (to === null) throw conflict('Your account has no e-mail address; set one first.');
    try {
      const text = 'Steno can send e-mail: an operator asked for this one in the console.\n';
      await parts.outbox.send({ to, subject: 'Steno can send e-mail', text });
      return { to };
    } catch (cause) {
      if (!(cause instanceof MailFailed)) throw cause;
      throw serviceUnavailable(`${cause.message} Check STENO_SMTP_URL and STENO_MAIL_FROM.`, {
        cause,
        retryAfterSeconds: 10,
      });
    }
  },
});
