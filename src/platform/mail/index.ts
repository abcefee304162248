import type { Log } from '../../lib/log.ts';
import { createLogMailer } from './log.ts';
import type { Mailer } from './mailer.ts';
import { createSmtpMailer } from './smtp.ts';

/** Sends by SMTP if a server is set, and otherwise writes to the log. */
export const createMailer = (settings: { smtpUrl: string; mailFrom: string }, log: Log): Mailer =>
  settings.smtpUrl === '' ? createLogMailer(log) : createSmtpMailer(settings);
