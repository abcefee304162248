import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeFault, type Log } from '../../lib/log.ts';
import { type Mail, type Mailer, MailFailed } from './mailer.ts';

interface Dependencies {
  mailer: Mailer;
  log: Log;
  /** Gets how each mail ended. */
  onEnd?(outcome: 'sent' | 'failed'): void;
}

/**
 * Sends mail after the answer. So no request waits for a mail server, and the response time does not reveal whether there was a
 * mail to send.
 */
export function createOutbox({ mailer, log, onEnd }: Dependencies) {
  const underway = new Set<Promise<void>>();
  const ended = { sent: 0, failed: 0, lastFailed: false };

  async function deliver(mail: Mail): Promise<void> {
    await nextTurn();
    try {
      await send(mail);
    } catch (cause) {
      const { name, code } = describeFault(cause);
      const why = cause instanceof MailFailed ? { host: cause.host, reason: cause.reason } : { name, code };
      log.error(why, 'Could not send an e-mail; check STENO_SMTP_URL and STENO_MAIL_FROM');
    }
  }

  /** Raises `MailFailed`. */
  async function send(mail: Mail): Promise<void> {
    try {
      await mailer.send(mail);
      end('sent');
    } catch (cause) {
      end('failed');
      throw cause;
    }
  }

  function end(outcome: 'sent' | 'failed'): void {
    ended[outcome] += 1;
    ended.lastFailed = outcome === 'failed';
    onEnd?.(outcome);
  }

  return {
    /** How mail has gone since the start. */
    state: () => ({ ...ended }),

    post(mail: Mail): void {
      const delivery = deliver(mail).finally(() => underway.delete(delivery));
      underway.add(delivery);
    },

    /** For a caller that waits for the mail server. */
    send,

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
