import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SignUpRule } from '../../src/domain/email.ts';
import type { Log } from '../../src/lib/log.ts';
import { openMailbox } from '../support/mailbox.ts';
import { anyDatabase, silentLog, startSteno, type TestSteno } from '../support/steno.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type Mailbox = Awaited<ReturnType<typeof openMailbox>>;

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await openMailbox();
});
afterAll(() => mailbox.close());

let people = 0;
const newAddress = (domain = 'example.org') => `person${people++}@${domain}`;

describe.each(anyDatabase)('codes by mail on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, config: { smtpUrl: mailbox.url } });
  });
  afterAll(() => steno.close());
  // Ten codes an hour may be asked for from one network address; every test has an hour of its own.
  beforeEach(async () => {
    now += hourMs;
    await steno.outbox.idle();
  });

  const account = async () => {
    const email = newAddress();
    return { email, user: await steno.users.add({ name: 'Ada', email, plan: 'pro' }) };
  };
  const ask = (email: unknown) => steno.call('POST', '/auth/email-code', { body: { email } });
  const verify = (email: string, code: unknown) =>
    steno.call('POST', '/auth/email-code/verify', { body: { email, code } });
  const codeFor = async (email: string) => {
    expect((await ask(email)).status).toBe(200);
    await steno.outbox.idle();
    return mailbox.codeFor(email);
  };
  const wrong = (code: string) => (code === '000000' ? '000001' : '000000');
  const agentToken = async (email: string): Promise<string> =>
    (await verify(email, await codeFor(email))).body.data.token;

  test('a code by mail becomes a token of 15 minutes for the key routes', async () => {
    const { email } = await account();
    const code = await codeFor(email);
    expect(code).toMatch(/^\d{6}$/);
    const verified = await verify(email.toUpperCase(), code);
    expect(verified.status).toBe(200);
    expect(verified.body.data).toEqual({
      token: expect.stringMatching(/^owt_[\w-]{43}$/),
      expires_at: new Date(now + 15 * minuteMs).toISOString(),
    });
    const { token } = verified.body.data;
    expect((await steno.call('GET', '/keys/list', { key: token })).body).toEqual({ data: { keys: [] } });
    now += 15 * minuteMs;
    expect((await steno.call('GET', '/keys/list', { key: token })).status).toBe(401);
  });

  test('an agent token is nothing outside the key routes', async () => {
    const { email } = await account();
    const key = await agentToken(email);
    for (const [method, path] of [
      ['GET', '/me'],
      ['GET', '/notes/list'],
      ['POST', '/notes/create'],
      ['GET', '/api/workspaces'],
      ['GET', '/api/sessions'],
    ] as const) {
      const answer = await steno.call(method, path, { key });
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 401, 'invalid_api_key']);
    }
  });

  test('a code works once, and never after 10 minutes', async () => {
    const { email } = await account();
    const code = await codeFor(email);
    const answers = await Promise.all([verify(email, code), verify(email, code), verify(email, code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    now += minuteMs;
    const late = await codeFor(email);
    now += 10 * minuteMs;
    const answer = await verify(email, late);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_code']);
  });

  test('the fifth wrong try locks the code, even for the right one, until there is a new one', async () => {
    const { email } = await account();
    const code = await codeFor(email);
    for (let attempt = 1; attempt <= 4; attempt += 1)
      expect((await verify(email, wrong(code))).body.error.code).toBe('invalid_code');
    const fifth = await verify(email, wrong(code));
    expect([fifth.status, fifth.body.error.code]).toEqual([429, 'too_many_attempts']);
    expect((await verify(email, code)).body.error.code).toBe('too_many_attempts');
    now += minuteMs;
    expect((await verify(email, await codeFor(email))).status).toBe(200);
  });

  test('guesses that arrive together count together', async () => {
    const { email } = await account();
    const code = await codeFor(email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(email, wrong(code))));
    const codes = answers.map(({ body }) => body.error.code);
    expect(codes.filter((name) => name === 'invalid_code')).toHaveLength(4);
    expect(codes.filter((name) => name === 'too_many_attempts')).toHaveLength(16);
  });

  test('a new code replaces the one before', async () => {
    const { email } = await account();
    const old = await codeFor(email);
    now += minuteMs;
    const fresh = await codeFor(email);
    if (old !== fresh) expect((await verify(email, old)).status).toBe(401);
    expect((await verify(email, fresh)).status).toBe(200);
  });

  test('an unknown address gets the same answers, the same limits and no mail', async () => {
    const { email } = await account();
    const unknown = newAddress();
    const [known, other] = [await ask(email), await ask(unknown)];
    expect(other.status).toBe(known.status);
    expect(other.body).toEqual(known.body);
    expect([(await ask(unknown)).status, (await ask(email)).status]).toEqual([429, 429]);
    for (let attempt = 1; attempt <= 4; attempt += 1)
      expect((await verify(unknown, '123456')).body.error.code).toBe('invalid_code');
    expect((await verify(unknown, '123456')).body.error.code).toBe('too_many_attempts');
    await steno.outbox.idle();
    expect(mailbox.mails.filter(({ to }) => to.includes(unknown))).toEqual([]);
    expect(await steno.store.users.find(unknown)).toBeUndefined();
  });

  test('one code a minute and five an hour per address', async () => {
    const { email } = await account();
    expect((await ask(email)).status).toBe(200);
    const early = await ask(email);
    expect([early.status, early.body.error.code, early.headers['retry-after']]).toEqual([
      429,
      'rate_limited',
      '60',
    ]);
    for (let code = 2; code <= 5; code += 1) {
      now += minuteMs;
      expect((await ask(email)).status).toBe(200);
    }
    now += minuteMs;
    const sixth = await ask(email);
    expect([sixth.status, sixth.headers['retry-after']]).toEqual([429, String(55 * 60)]);
    now += 55 * minuteMs;
    expect((await ask(email)).status).toBe(200);
  });

  test('ten codes an hour per client, whatever the addresses', async () => {
    const addresses = Array.from({ length: 12 }, () => newAddress());
    const answers = await Promise.all(addresses.map(ask));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers['retry-after']).toBe('3600');
  });

  test('an IPv6 client is its /64, whichever of its addresses it asks from', async () => {
    const askFrom = async (remoteAddress: string) => {
      const payload = { email: newAddress() };
      const url = '/api/v1/auth/email-code';
      return (await steno.app.inject({ method: 'POST', url, payload, remoteAddress })).statusCode;
    };
    for (let host = 1; host <= 10; host += 1) expect(await askFrom(`2001:db8:0:7::${host}`)).toBe(200);
    expect(await askFrom('2001:db8:0:7:aaaa:bbbb:cccc:dddd')).toBe(429);
    expect(await askFrom('2001:db8:0:8::1')).toBe(200);
  });

  test('a request that is refused costs nothing', async () => {
    const { email } = await account();
    expect((await ask(email)).status).toBe(200);
    for (let again = 0; again < 20; again += 1) expect((await ask(email)).status).toBe(429);
    now += minuteMs;
    expect((await ask(email)).status).toBe(200);
  });

  const badAddresses: unknown[] = [
    '',
    'ada',
    'ada@',
    '@example.org',
    'ada@localhost',
    'ada@@example.org',
    'ada@example..org',
    'ada.@example.org',
    'ada@-example.org',
    ' ada@example.org',
    'ada@example.org\r\nBcc: eve@example.org',
    'ada@example.org\n',
    'ada@example.org,eve@example.org',
    'Ada <ada@example.org>',
    '"ada b"@example.org',
    'ada@example.org\u0000',
    'ada\u200b@example.org',
    `${'a'.repeat(65)}@example.org`,
    `a@${'b'.repeat(250)}.org`,
    ['ada@example.org'],
    { address: 'ada@example.org' },
    null,
    7,
    undefined,
  ];

  test.each(badAddresses)('the address %j is 400 on every route that takes one', async (email) => {
    const before = mailbox.mails.length;
    const paths = [
      '/auth/email-code',
      '/auth/email-code/verify',
      '/api/auth/email-otp/send-verification-otp',
    ];
    for (const path of paths) {
      const answer = await steno.call('POST', path, { body: { email, code: '123456', type: 'sign-in' } });
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 400, 'validation_error']);
    }
    expect(mailbox.mails).toHaveLength(before);
    const { codes } = await steno.database.db
      .selectFrom('code_requests')
      .select(({ fn }) => fn.countAll<number>().as('codes'))
      .where('requested_at', '=', new Date(now).toISOString())
      .executeTakeFirstOrThrow();
    expect(codes).toBe(0);
  });

  test.each(['', '1'.repeat(101), 123456, null, undefined])('the code %j is 400', async (code) => {
    const { email } = await account();
    expect((await verify(email, code)).body.error.code).toBe('validation_error');
  });

  test.each(['12345', '1234567', 'abcdef', '１２３４５６', "' or 1=1 --"])(
    'the code %j is wrong',
    async (code) => {
      const { email } = await account();
      await codeFor(email);
      expect((await verify(email, code)).body.error.code).toBe('invalid_code');
    },
  );

  test('codes and tokens are stored only as hashes', async () => {
    const { email } = await account();
    const code = await codeFor(email);
    const codes = await steno.database.db.selectFrom('email_codes').selectAll().execute();
    expect(JSON.stringify(codes)).not.toContain(code);
    const { token } = (await verify(email, code)).body.data;
    const tokens = await steno.database.db.selectFrom('agent_tokens').selectAll().execute();
    expect(tokens.length).toBeGreaterThan(0);
    expect(JSON.stringify(tokens)).not.toContain(token.slice(4));
  });

  test("a removed person's agent token dies at once", async () => {
    const { email } = await account();
    const key = await agentToken(email);
    expect((await steno.call('GET', '/keys/list', { key })).status).toBe(200);
    await steno.users.remove(email);
    expect((await steno.call('GET', '/keys/list', { key })).status).toBe(401);
  });

  describe('of people who sign in', () => {
    const askToSignIn = (email: string) =>
      steno.call('POST', '/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } });
    const signIn = (email: string, otp: string) =>
      steno.call('POST', '/api/auth/sign-in/email-otp', { body: { email, otp } });

    test('a code by mail opens a session, once', async () => {
      const { email, user } = await account();
      expect((await askToSignIn(email)).status).toBe(200);
      await steno.outbox.idle();
      const code = mailbox.codeFor(email);
      expect((await signIn(email, wrong(code))).status).toBe(400);
      const signedIn = await signIn(email, code);
      expect(signedIn.status).toBe(200);
      expect(signedIn.body.user).toMatchObject({ id: user.id, plan: 'pro' });
      const me = await steno.call('GET', '/me', { key: signedIn.body.token });
      expect(me.body.data.user_id).toBe(user.id);
      expect((await signIn(email, code)).status).toBe(400);
    });

    test('wrong tries lock the code', async () => {
      const { email } = await account();
      await askToSignIn(email);
      await steno.outbox.idle();
      const code = mailbox.codeFor(email);
      for (let attempt = 1; attempt <= 5; attempt += 1)
        expect((await signIn(email, wrong(code))).status).toBe(400);
      expect((await signIn(email, code)).status).toBe(403);
      expect((await signIn(email, code)).status).toBe(400);
    });

    test('the limits of asking are the same and are shared with agents', async () => {
      const { email } = await account();
      expect((await askToSignIn(email)).status).toBe(200);
      const again = await askToSignIn(email);
      expect([again.status, again.body.error.code]).toEqual([429, 'rate_limited']);
      expect((await ask(email)).status).toBe(429);
    });

    test('an unknown address gets the same answer and no mail', async () => {
      const { email } = await account();
      const unknown = newAddress();
      const [known, other] = [await askToSignIn(email), await askToSignIn(unknown)];
      expect([other.status, other.body]).toEqual([known.status, known.body]);
      await steno.outbox.idle();
      expect(mailbox.mails.some(({ to }) => to.includes(unknown))).toBe(false);
      expect((await signIn(unknown, '123456')).status).toBe(400);
    });

    test('a code that signs in is stored only as a keyed hash', async () => {
      const { email } = await account();
      await askToSignIn(email);
      await steno.outbox.idle();
      const rows = await steno.database.db.selectFrom('email_codes').selectAll().execute();
      expect(rows.length).toBeGreaterThan(0);
      expect(JSON.stringify(rows)).not.toContain(mailbox.codeFor(email));
    });
  });
});

describe.each(anyDatabase)('sign-up on %s', (databaseKind) => {
  const started = (signUp: SignUpRule) =>
    startSteno({ databaseKind, config: { smtpUrl: mailbox.url, signUp, defaultPlan: 'free' } });

  async function tryBoth(steno: TestSteno, agent: string, person: string) {
    const asked = [
      await steno.call('POST', '/auth/email-code', { body: { email: agent } }),
      await steno.call('POST', '/api/auth/email-otp/send-verification-otp', {
        body: { email: person, type: 'sign-in' },
      }),
    ];
    expect(asked.map(({ status }) => status)).toEqual([200, 200]);
    await steno.outbox.idle();
    return mailbox.mails.filter(({ to }) => to.includes(agent) || to.includes(person)).length;
  }

  test('open: whoever proves an address has an account with the default plan', async () => {
    const steno = await started({ kind: 'open' });
    const [agent, person] = [newAddress(), newAddress()];
    expect(await tryBoth(steno, agent, person)).toBe(2);
    const verified = await steno.call('POST', '/auth/email-code/verify', {
      body: { email: agent, code: mailbox.codeFor(agent) },
    });
    expect(verified.status).toBe(200);
    const signedIn = await steno.call('POST', '/api/auth/sign-in/email-otp', {
      body: { email: person, otp: mailbox.codeFor(person), plan: 'business', image: 'https://evil.example' },
    });
    expect(signedIn.status).toBe(200);
    const users = await steno.users.list();
    expect(users.map(({ email, plan, name }) => ({ email, plan, name }))).toEqual([
      { email: agent, plan: 'free', name: agent.split('@')[0] },
      { email: person, plan: 'free', name: person.split('@')[0] },
    ]);
    await steno.close();
  });

  test('open: a name over 100 characters makes no account', async () => {
    const steno = await started({ kind: 'open' });
    const person = newAddress();
    await tryBoth(steno, newAddress(), person);
    const answer = await steno.call('POST', '/api/auth/sign-in/email-otp', {
      body: { email: person, otp: mailbox.codeFor(person), name: 'x'.repeat(101) },
    });
    expect(answer.status).toBe(400);
    expect(await steno.users.list()).toEqual([]);
    await steno.close();
  });

  test('a list of domains: only addresses of those', async () => {
    const steno = await started({ kind: 'domains', domains: ['example.net'] });
    const [agent, person] = [newAddress('example.net'), newAddress('evil.example')];
    expect(await tryBoth(steno, agent, person)).toBe(1);
    const verified = await steno.call('POST', '/auth/email-code/verify', {
      body: { email: agent, code: mailbox.codeFor(agent) },
    });
    expect(verified.status).toBe(200);
    expect(await tryBoth(steno, newAddress('sub.example.net'), newAddress('notexample.net'))).toBe(0);
    await steno.close();
  });
});

test('without a mail server the code is in the log, with a warning', async () => {
  const lines: { to?: string; text?: string }[] = [];
  const log: Log = { ...silentLog, warn: (...line: unknown[]) => void lines.push(Object(line[0])) };
  const steno = await startSteno({ log });
  const email = newAddress();
  await steno.users.add({ name: 'Ada', email, plan: 'pro' });
  await steno.call('POST', '/auth/email-code', { body: { email } });
  await steno.outbox.idle();
  const code = lines.find(({ to }) => to === email)?.text?.match(/\d{6}/)?.[0];
  const verified = await steno.call('POST', '/auth/email-code/verify', { body: { email, code } });
  expect(verified.status).toBe(200);
  await steno.close();
});
