import { isAbsolute, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../config.ts';
import { parseEmail } from '../../../domain/email.ts';
import { invalid } from '../../../domain/errors.ts';
import { broken, type Check, ok, reasonOf } from '../../../domain/status.ts';
import { normalizeEmail } from '../../../domain/user.ts';
import { openAudioStore } from '../../../platform/audio-store/index.ts';
import { openPlace } from '../../../platform/backup/place.ts';
import { MailFailed } from '../../../platform/mail/mailer.ts';
import { createSmtpMailer } from '../../../platform/mail/smtp.ts';
import { checkLanguage } from '../status/language.ts';
import type { Entered } from './schema.ts';

/** A language model may have to be loaded first. */
const patienceMs = 30_000;

/** Tries what was entered at set-up: mail if there is an address to write to, the language model, the place of backups. */
export function checkEntered({ email, llm_url, backup_url }: Entered, next: Config): Promise<Check[]> {
  return Promise.all([
    ...(email ? [inTime('mail', checkMail(next, parseEmail(normalizeEmail(email))))] : []),
    ...(llm_url
      ? [inTime('language model', checkLanguage(next.language, AbortSignal.timeout(patienceMs)))]
      : []),
    ...(backup_url ? [inTime('backup', checkPlace(next.backupUrl))] : []),
  ]);
}

async function inTime(check: string, work: Promise<Check>): Promise<Check> {
  const late = sleep(patienceMs, undefined, { ref: false }).then(() =>
    broken(check, `no answer within ${patienceMs / 1_000} seconds`, 'check the address'),
  );
  return Promise.race([work, late]);
}

async function checkMail({ smtpUrl, mailFrom }: Config, to: string): Promise<Check> {
  if (smtpUrl === '') throw invalid('smtp_url is required for a test mail.');
  const patience = { greetingTimeout: patienceMs, socketTimeout: patienceMs };
  const mailer = createSmtpMailer({ smtpUrl, mailFrom }, patience);
  try {
    const text = 'Steno can send e-mail: this one was sent while the server was set up.\n';
    await mailer.send({ to, subject: 'Steno can send e-mail', text });
    return ok(
      'mail',
      `The mail server ${new URL(smtpUrl).host} took a mail to ${to}. See whether it arrives.`,
    );
  } catch (cause) {
    if (!(cause instanceof MailFailed)) throw cause;
    return broken('mail', cause.message, 'check the server, the user name, the password and the sender');
  } finally {
    await mailer.close();
  }
}

/** Writes a small file there and removes it. */
async function checkPlace(address: string): Promise<Check> {
  try {
    const place = await openPlace(address, openAudioStore);
    await place.put('setup-check', written());
    await place.remove('setup-check');
    return ok('backup', `${place.name} can be written to`);
  } catch (cause) {
    return broken(
      'backup',
      reasonOf(cause),
      'check the name, and whether the user of the server may write there',
    );
  }
}

async function* written(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('Steno can write here.\n');
}

/** Stricter than the setting: a person in a browser does not know the folder in which the server was started. */
export function requireBackupPlace(address: string, audioFolder: string): void {
  const isS3 = address.startsWith('s3://') && URL.canParse(address);
  if (!isS3 && !isAbsolute(address))
    throw invalid('backup_url must be a whole path like /var/backups/steno, or an address of an S3 store.');
  if (!isS3 && `${resolve(address)}${sep}`.startsWith(`${audioFolder}${sep}`))
    throw invalid('backup_url must be outside of the folder of recordings.');
}
