import type { Log } from '../lib/log.ts';
import type { Mailer } from '../ports/mailer.ts';

/** For a server without SMTP: whoever may read its log may read its mail, and the warning says so. */
export const createLogMailer = (log: Log): Mailer => ({
  async send({ to, subject, text }) {
    log.warn(
      { to, subject, text },
      'STENO_SMTP_URL is not set, so this mail is written here instead of being sent; anyone who reads this log can use it',
    );
  },
  async close() {},
});
