import type { Log } from '../../lib/log.ts';
import type { Mailer } from './mailer.ts';
import { createSmtpMailer } from './smtp.ts';

/** Sends by SMTP if a server is set, and otherwise writes to the log. */
export const createMailer = (settings: { smtpUrl: string; mailFrom: string }, log: Log): Mailer =>
  settings.smtpUrl === '' ? createLogMailer(log) : createSmtpMailer(settings);

/** For a server without SMTP. Each reader of the log can read the mail, so the message warns of that. */
const createLogMailer = (log: Log): Mailer => ({
  async send({ to, subject, text }) {
    log.warn(
      { to, subject, text },
      'STENO_SMTP_URL is not set, so this e-mail was not sent. Anyone who can read this log can use it',
    );
  },
  async close() {},
});
