import { expect, test } from 'vitest';
import { MailFailed } from '../../src/platform/mail/mailer.ts';
import { createOutbox } from '../../src/platform/mail/outbox.ts';
import { silentLog } from '../support/steno.ts';

const mail = { to: 'ada@example.org', subject: 'Hello', text: 'Hello.' };

const away = () => new MailFailed('mail.example.org', 'is away', { cause: undefined });

/** Mails that end when the test says so. */
function open() {
  const underWay: PromiseWithResolvers<void>[] = [];
  const told: string[] = [];
  const mailer = {
    send() {
      const sending = Promise.withResolvers<void>();
      underWay.push(sending);
      return sending.promise;
    },
    async close() {
      told.push('closed');
    },
  };
  const outbox = createOutbox({ mailer, log: silentLog, onEnd: (outcome) => told.push(outcome) });
  return { outbox, underWay, told };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

test('a mail goes out after the answer, and how it ended is counted', async () => {
  const { outbox, underWay, told } = open();
  expect(outbox.state()).toEqual({ sent: 0, failed: 0, lastFailed: false });
  outbox.post(mail);
  expect(underWay).toHaveLength(0);
  await soon();
  underWay[0]?.reject(away());
  await outbox.idle();
  expect(outbox.state()).toEqual({ sent: 0, failed: 1, lastFailed: true });
  outbox.post(mail);
  await soon();
  underWay[1]?.resolve();
  await outbox.idle();
  expect(outbox.state()).toEqual({ sent: 1, failed: 1, lastFailed: false });
  expect(told).toEqual(['failed', 'sent']);
});

test('whoever waits for the mail server is told what it says', async () => {
  const { outbox, underWay, told } = open();
  const [good, bad] = [outbox.send(mail), outbox.send(mail)];
  underWay[0]?.resolve();
  await good;
  underWay[1]?.reject(away());
  await expect(bad).rejects.toBeInstanceOf(MailFailed);
  expect(told).toEqual(['sent', 'failed']);
  expect(outbox.state()).toEqual({ sent: 1, failed: 1, lastFailed: true });
});

test('it closes after the last mail, and then the connection to the mail server', async () => {
  const { outbox, underWay, told } = open();
  outbox.post(mail);
  const closed = outbox.close();
  await soon();
  expect(told).toEqual([]);
  underWay[0]?.resolve();
  await closed;
  expect(told).toEqual(['sent', 'closed']);
});
