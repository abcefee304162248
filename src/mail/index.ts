import type { Log } from '../lib/log.ts';
import type { Mailer } from '../ports/mailer.ts';
import { createLogMailer } from './log.ts';
import { createSmtpMailer } from './smtp.ts';

/** By SMTP when a server is set, otherwise into the log. */
export const createMailer = (settings: { smtpUrl: string; mailFrom: string }, log: Log): Mailer =>
  settings.smtpUrl === '' ? createLogMailer(log) : createSmtpMailer(settings);
