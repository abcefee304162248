import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Log } from '../../src/lib/log.ts';
import { createMailer } from '../../src/platform/mail/index.ts';
import type { Mailer } from '../../src/platform/mail/mailer.ts';
import { createOutbox } from '../../src/platform/mail/outbox.ts';
import { freePort } from '../support/free-port.ts';
import { openMailbox } from '../support/mailbox.ts';
import { silentLog } from '../support/steno.ts';

const mail = { to: 'ada@example.org', subject: '123456 is your code', text: 'Your code is 123456.\n' };

interface Delivered {
  to: string;
  subject: string;
  text: string;
}

interface Adapter {
  mailer: Mailer;
  delivered(): Delivered[];
  close(): Promise<void>;
}

const adapters: Record<string, () => Promise<Adapter>> = {
  async smtp() {
    const mailbox = await openMailbox();
    const mailer = createMailer({ smtpUrl: mailbox.url, mailFrom: 'Steno <steno@example.org>' }, silentLog);
    return {
      mailer,
      delivered: () =>
        mailbox.mails.map(({ to, headers, text }) => ({
          to: to.join(),
          subject: headers.subject ?? '',
          text,
        })),
      close: () => mailbox.close(),
    };
  },
  async log() {
    const lines: Delivered[] = [];
    const log: Log = { ...silentLog, warn: (fields: unknown) => void lines.push(fields as Delivered) };
    return {
      mailer: createMailer({ smtpUrl: '', mailFrom: '' }, log),
      delivered: () => lines,
      close: async () => {},
    };
  },
};

describe.each(Object.keys(adapters))('the %s mailer', (name) => {
  let adapter: Adapter;
  beforeAll(async () => {
    const open = adapters[name];
    if (!open) throw new Error(name);
    adapter = await open();
  });
  afterAll(async () => {
    await adapter.mailer.close();
    await adapter.close();
  });

  test('delivers address, subject and text as they are', async () => {
    await adapter.mailer.send(mail);
    expect(adapter.delivered().at(-1)).toMatchObject(mail);
  });

  test('delivers many mails at once, each to its own address', async () => {
    const people = Array.from({ length: 10 }, (_, index) => `person${index}@example.org`);
    await Promise.all(people.map((to) => adapter.mailer.send({ ...mail, to })));
    const addresses = adapter.delivered().map(({ to }) => to);
    for (const to of people) expect(addresses).toContain(to);
  });
});

describe('mail by SMTP', () => {
  test('comes from the sender that is set, and a line break in a field makes no header', async () => {
    const mailbox = await openMailbox();
    const mailer = createMailer({ smtpUrl: mailbox.url, mailFrom: 'Steno <steno@example.org>' }, silentLog);
    await mailer.send({ ...mail, subject: 'Hello\r\nBcc: eve@example.org' });
    const [received] = mailbox.mails;
    expect(received?.from).toBe('steno@example.org');
    expect(received?.to).toEqual([mail.to]);
    expect(received?.headers.bcc).toBeUndefined();
    await mailer.close();
    await mailbox.close();
  });

  test('a mail server that is down rejects, and the outbox logs it without the mail', async () => {
    const port = await freePort();
    const mailer = createMailer(
      { smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom: 'steno@example.org' },
      silentLog,
    );
    await expect(mailer.send(mail)).rejects.toThrow();
    const logged: unknown[] = [];
    const outbox = createOutbox({
      mailer,
      log: { ...silentLog, error: (...line: unknown[]) => void logged.push(line) },
    });
    outbox.post(mail);
    await outbox.close();
    expect(logged).toEqual([
      [
        { host: `127.0.0.1:${port}`, reason: expect.stringContaining('ECONNREFUSED') },
        expect.stringContaining('STENO_SMTP_URL'),
      ],
    ]);
    expect(JSON.stringify(logged)).not.toContain('123456');
    expect(JSON.stringify(logged)).not.toContain(mail.to);
  });

  test('a mail server that refuses is told with its number, and without what it quotes', async () => {
    const mailbox = await openMailbox({ refuse: '5.1.1 <ada@example.org>: nobody here' });
    const mailer = createMailer({ smtpUrl: mailbox.url, mailFrom: 'steno@example.org' }, silentLog);
    const { host } = new URL(mailbox.url);
    await expect(mailer.send(mail)).rejects.toThrow(
      `The mail server ${host} did not take the e-mail: it refuses the sender or the recipient (550 5.1.1).`,
    );
    await mailer.close();
    await mailbox.close();
  });
});
