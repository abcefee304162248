import type { Command } from 'commander';
import { type CliContext, command, type Printed, printing, prints } from './command.ts';
import { Failure, UsageError } from './errors.ts';

export function mailCommands(program: Command, context: CliContext): void {
  const example = 'mail test ada@example.org';
  const mail = command(program, 'mail', 'check the sending of e-mail', example);
  const about = 'send an e-mail as the server would, and say what the mail server answers';
  printing(mail, 'test', about, example)
    .argument('<address>', 'who gets it')
    .action(prints(context, (to: string) => test(context, to)));
}

async function test(context: CliContext, to: string): Promise<Printed> {
  const config = context.config();
  if (!/^[^\s@]+@[^\s@]+$/.test(to)) throw new UsageError(`${to} is not an e-mail address.`);
  if (config.smtpUrl === '')
    throw new UsageError('STENO_SMTP_URL is not set, so no e-mail is sent; codes are written to the log.');
  const [{ createSmtpMailer }, { MailFailed }] = await Promise.all([
    import('../platform/mail/smtp.ts'),
    import('../platform/mail/mailer.ts'),
  ]);
  const { host } = new URL(config.smtpUrl);
  const mailer = createSmtpMailer(config);
  try {
    const text = 'Steno can send e-mail: this one was sent by "steno mail test".\n';
    await mailer.send({ to, subject: 'Steno can send e-mail', text });
  } catch (cause) {
    if (cause instanceof MailFailed)
      throw new Failure(`${cause.message} Check STENO_SMTP_URL and STENO_MAIL_FROM.`);
    throw cause;
  } finally {
    await mailer.close();
  }
  const from = config.mailFrom;
  return [
    { host, to, from },
    `The mail server ${host} took an e-mail from ${from} to ${to}. Look whether it arrives.`,
  ];
}
