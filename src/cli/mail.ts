import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { Failure, UsageError } from './errors.ts';
import { example } from './help.ts';
import { answer, type OutputOptions, withJson } from './output.ts';

export function mailCommands(program: Command, context: CliContext): void {
  const call = example('mail test ada@example.org');
  const mail = program.command('mail').description('check the sending of e-mail').addHelpText('after', call);
  withJson(mail.command('test'))
    .description('send an e-mail as the server would, and say what the mail server answers')
    .argument('<address>', 'who gets it')
    .addHelpText('after', call)
    .action((to: string, options: OutputOptions) => test(context, to, options));
}

async function test(context: CliContext, to: string, options: OutputOptions): Promise<void> {
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
  answer(
    context,
    options,
    { host, to, from: config.mailFrom },
    () => `The mail server ${host} took an e-mail from ${config.mailFrom} to ${to}. Look whether it arrives.`,
  );
}
