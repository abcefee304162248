import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeFault, type Log } from '../lib/log.ts';
import type { Mail, Mailer } from '../ports/mailer.ts';

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * Sends mail after the answer. So nobody waits for a mail server, and the response time does not reveal whether there was a
 * mail to send.
 */
export function createOutbox({ mailer, log }: { mailer: Mailer; log: Log }) {
  const underway = new Set<Promise<void>>();

  async function deliver(mail: Mail): Promise<void> {
    await nextTurn();
    try {
      await mailer.send(mail);
    } catch (cause) {
      const { name, code } = describeFault(cause);
      // Mail servers quote addresses in their messages, so only the name and code of the error are logged.
      log.error({ name, code }, 'Could not send an e-mail; check STENO_SMTP_URL and STENO_MAIL_FROM');
    }
  }

  return {
    post(mail: Mail): void {
      const delivery = deliver(mail).finally(() => underway.delete(delivery));
      underway.add(delivery);
    },

    /** Resolves when every mail so far has been sent or has failed. */
    async idle(): Promise<void> {
      await Promise.all(underway);
    },

    async close(): Promise<void> {
      await Promise.all(underway);
      await mailer.close();
    },
  };
}
