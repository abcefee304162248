import { AppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Outbox } from '../ports/mailer.ts';
import { MailFailed } from '../ports/mailer.ts';
import type { Store } from '../ports/store.ts';

/** For operators: does mail arrive? To nobody but themselves. */
export const createTestMail =
  ({ store, outbox, sendsMail }: { store: Store; outbox: Outbox; sendsMail: boolean }) =>
  /** Raises `conflict` if there is nothing to send with or to, and `service_unavailable` with what the mail server says. */
  async ({ userId }: Principal): Promise<{ to: string }> => {
    const to = (await store.users.find(userId))?.email ?? null;
    if (!sendsMail) throw new AppError('conflict', 'STENO_SMTP_URL is not set, so no e-mail is sent.');
    if (to === null) throw new AppError('conflict', 'Your account has no e-mail address; set one first.');
    try {
      const text = 'Steno can send e-mail: an operator asked for this one in the console.\n';
      await outbox.send({ to, subject: 'Steno can send e-mail', text });
      return { to };
    } catch (cause) {
      if (!(cause instanceof MailFailed)) throw cause;
      throw new AppError(
        'service_unavailable',
        `${cause.message} Check STENO_SMTP_URL and STENO_MAIL_FROM.`,
        { cause, retryAfterSeconds: 10 },
      );
    }
  };
