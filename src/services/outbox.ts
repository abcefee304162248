import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeFault, type Log } from '../lib/log.ts';
import type { Mail, Mailer } from '../ports/mailer.ts';

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * Mail goes out behind the answer: nobody waits for a mail server, and whether there was a mail to send does not show in
 * how long the answer took.
 */
export function createOutbox({ mailer, log }: { mailer: Mailer; log: Log }) {
  const underway = new Set<Promise<void>>();

  async function deliver(mail: Mail): Promise<void> {
    await nextTurn();
    try {
      await mailer.send(mail);
    } catch (cause) {
      const { name, code } = describeFault(cause);
      // Mail servers quote addresses in their messages, so only the kind of failure is logged.
      log.error({ name, code }, 'A mail could not be sent; check STENO_SMTP_URL and STENO_MAIL_FROM');
    }
  }

  return {
    post(mail: Mail): void {
      const delivery = deliver(mail).finally(() => underway.delete(delivery));
      underway.add(delivery);
    },

    /** Resolves when every mail posted so far is out or has failed. */
    async idle(): Promise<void> {
      await Promise.all(underway);
    },

    async close(): Promise<void> {
      await Promise.all(underway);
      await mailer.close();
    },
  };
}
