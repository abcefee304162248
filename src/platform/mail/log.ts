import type { Log } from '../../lib/log.ts';
import type { Mailer } from './mailer.ts';

/** For a server without SMTP. Each reader of the log can read the mail, so the message warns of that. */
export const createLogMailer = (log: Log): Mailer => ({
  async send({ to, subject, text }) {
    log.warn(
      { to, subject, text },
      'STENO_SMTP_URL is not set, so this e-mail was not sent. Anyone who can read this log can use it',
    );
  },
  async close() {},
});
