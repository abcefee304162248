import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { openMailbox } from '../support/mailbox.ts';
import { runSteno } from '../support/process.ts';

const mailTest = (settings: Record<string, string>, to = 'ada@example.org') =>
  runSteno(['mail', 'test', to], { STENO_MAIL_FROM: 'Steno <steno@example.org>', ...settings });

test('mail test sends one e-mail and says which server took it', async () => {
  const mailbox = await openMailbox();
  const ended = await mailTest({ STENO_SMTP_URL: mailbox.url });
  expect([ended.code, ended.stdout]).toEqual([
    0,
    expect.stringContaining(`The mail server ${new URL(mailbox.url).host} took an e-mail`),
  ]);
  expect(mailbox.mails).toMatchObject([{ from: 'steno@example.org', to: ['ada@example.org'] }]);
  await mailbox.close();
});

test('mail test says what is wrong in one sentence, with the host and without the password', async () => {
  const port = await freePort();
  const down = await mailTest({ STENO_SMTP_URL: `smtp://steno:hush@127.0.0.1:${port}` });
  expect(down.code).toBe(1);
  expect(down.stderr).toMatch(
    /^The mail server 127\.0\.0\.1:\d+ did not take the e-mail: .*ECONNREFUSED.*\n$/,
  );
  expect(down.stderr).not.toContain('hush');
  const mailbox = await openMailbox({ refuse: 'no such person' });
  const refused = await mailTest({ STENO_SMTP_URL: mailbox.url });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('(550)')]);
  await mailbox.close();
  expect((await mailTest({})).code).toBe(2);
  expect((await mailTest({ STENO_SMTP_URL: 'smtp://127.0.0.1:1' }, 'nobody')).code).toBe(2);
});
