import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMailbox } from '../support/mailbox.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const hourMs = 3_600_000;

let mailbox: Awaited<ReturnType<typeof openMailbox>>;
beforeAll(async () => {
  mailbox = await openMailbox();
});
afterAll(() => mailbox.close());

let people = 0;
const newAddress = () => `account${people++}@example.org`;

describe.each(anyDatabase)('the own account on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, config: { smtpUrl: mailbox.url } });
  });
  afterAll(() => steno.close());

  /** Like the account of the first start, which has no address. */
  async function owner() {
    now += hourMs;
    const { user } = await steno.person({ name: 'Owner' });
    return { user, key: (await steno.signIn(user)).token };
  }
  async function codeFor(key: string, email: string) {
    const asked = await steno.call('POST', '/api/account/email-code', { key, body: { email } });
    expect(asked.status).toBe(204);
    await steno.outbox.idle();
    return mailbox.codeFor(email.toLowerCase());
  }
  const setAddress = (key: string, email: string, code: string) =>
    steno.call('POST', '/api/account/email', { key, body: { email, code } });

  test('an account without an address gets one, proven by a code, and signs in with it', async () => {
    const { user, key } = await owner();
    const email = newAddress();
    const set = await setAddress(key, email.toUpperCase(), await codeFor(key, email.toUpperCase()));
    expect([set.status, set.body.data]).toEqual([200, { ...user, email }]);

    now += hourMs;
    await steno.call('POST', '/api/auth/email-otp/send-verification-otp', {
      body: { email, type: 'sign-in' },
    });
    await steno.outbox.idle();
    const body = { email, otp: mailbox.codeFor(email) };
    const signedIn = await steno.call('POST', '/api/auth/sign-in/email-otp', { body });
    expect(signedIn.body.user.id).toBe(user.id);
  });

  test('without the right code nothing changes, and guessing ends after five tries', async () => {
    const { user, key } = await owner();
    const email = newAddress();
    const code = await codeFor(key, email);
    const wrong = code === '000000' ? '000001' : '000000';
    const codes: string[] = [];
    for (let tries = 0; tries < 5; tries++) codes.push((await setAddress(key, email, wrong)).body.error.code);
    expect(codes).toEqual([...Array(4).fill('invalid_code'), 'too_many_attempts']);
    expect((await setAddress(key, email, code)).status).toBe(429);
    expect((await setAddress(key, newAddress(), code)).body.error.code).toBe('invalid_code');
    expect((await setAddress(key, 'no address', code)).body.error.code).toBe('validation_error');
    expect((await steno.users.find(user.id)).email).toBeNull();
  });

  test('the address of another account is refused to who reads its mail, and nobody else is told', async () => {
    const { user, key } = await owner();
    const email = newAddress();
    const other = await steno.users.add({ name: 'Other', email });
    const taken = await setAddress(key, email, await codeFor(key, email));
    expect([taken.status, taken.body.error.code]).toEqual([409, 'conflict']);
    expect((await steno.users.find(user.id)).email).toBeNull();
    expect((await steno.users.find(email)).id).toBe(other.id);
  });

  test('of two people who prove one address at the same time one gets it', async () => {
    const [one, two] = [await owner(), await owner()];
    const email = newAddress();
    const code = await codeFor(one.key, email);
    const answers = await Promise.all([setAddress(one.key, email, code), setAddress(two.key, email, code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test('an address that is replaced is told so', async () => {
    const { key } = await owner();
    const [first, second] = [newAddress(), newAddress()];
    await setAddress(key, first, await codeFor(key, first));
    now += hourMs;
    await setAddress(key, second, await codeFor(key, second));
    await steno.outbox.idle();
    expect(mailbox.mails.findLast(({ to }) => to.includes(first))?.text).toContain(second);
  });

  test('codes to new addresses are limited like all others', async () => {
    const { key } = await owner();
    const body = { email: newAddress() };
    const ask = () => steno.call('POST', '/api/account/email-code', { key, body });
    expect((await ask()).status).toBe(204);
    const again = await ask();
    expect([again.status, again.headers['retry-after']]).toEqual([429, '60']);
  });

  test('people change what they are called', async () => {
    const { user, key } = await owner();
    const rename = (name: unknown) => steno.call('PATCH', '/api/account', { key, body: { name } });
    expect((await rename(' Ada King ')).body.data).toEqual({ ...user, name: 'Ada King' });
    for (const name of ['', 'x'.repeat(101), 'a\nb', 7]) expect((await rename(name)).status).toBe(400);
    expect((await steno.users.find(user.id)).name).toBe('Ada King');
  });
});
