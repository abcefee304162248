import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openMailbox } from '../support/mailbox.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const own = 'http://localhost';
const evil = 'https://evil.example';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const lifetimeMs = 30 * dayMs;

let mailbox: Awaited<ReturnType<typeof openMailbox>>;
beforeAll(async () => {
  mailbox = await openMailbox();
});
afterAll(() => mailbox.close());

let people = 0;
const newAddress = (domain: string) => `someone${people++}@${domain}`;

/** The wire of the people's door, as the clients of version 0.1 know it. */
describe.each(anyDatabase)('the people’s door on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({
      databaseKind,
      clock: () => now,
      config: { smtpUrl: mailbox.url, signUp: { kind: 'domains', domains: ['open.example'] } },
    });
  });
  afterAll(() => steno.close());
  beforeEach(() => {
    now += hourMs;
  });

  const post = (path: string, body?: unknown, headers: Record<string, string | undefined> = {}) =>
    steno.call('POST', `/api/auth${path}`, { headers, ...(body === undefined ? {} : { body }) });
  const ask = (email: string, headers?: Record<string, string>) =>
    post('/email-otp/send-verification-otp', { email, type: 'sign-in' }, headers);
  const getSession = (headers: Record<string, string>) =>
    steno.call('GET', '/api/auth/get-session', { headers });
  const codeFor = async (email: string) => {
    expect(await ask(email)).toMatchObject({ status: 200, body: { success: true } });
    await steno.outbox.idle();
    return mailbox.codeFor(email);
  };
  const account = async () => {
    const email = newAddress('example.org');
    return { email, user: await steno.users.add({ name: 'Ada', email, plan: 'pro' }) };
  };
  const signIn = async (email: string, headers: Record<string, string> = {}) =>
    post('/sign-in/email-otp', { email, otp: await codeFor(email) }, headers);
  const cookieOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers['set-cookie']);
  const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

  test('a code answers with the token and the person, and sets the cookie', async () => {
    const { email, user } = await account();
    const otp = await codeFor(email);
    const answer = await post('/sign-in/email-otp', { email: email.toUpperCase(), otp });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      token: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      user: {
        id: user.id,
        name: 'Ada',
        email,
        emailVerified: true,
        image: null,
        plan: 'pro',
        createdAt: user.created_at,
        updatedAt: user.created_at,
      },
    });
    const { token } = answer.body;
    expect(cookieOf(answer)).toBe(
      `steno.session_token=${token}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`,
    );
    expect(answer.headers['set-auth-token']).toBe(token);
  });

  test('get-session tells a cookie or a bearer token its session and person', async () => {
    const { email, user } = await account();
    const signedIn = await signIn(email, { 'user-agent': 'desk/1.0' });
    const { token } = signedIn.body;
    const cookie = cookieOf(signedIn).split(';')[0] ?? '';
    const known = await getSession({ cookie });
    expect(known.body).toEqual({
      session: {
        id: expect.any(String),
        userId: user.id,
        token,
        ipAddress: '127.0.0.1',
        userAgent: 'desk/1.0',
        createdAt: new Date(now).toISOString(),
        updatedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + lifetimeMs).toISOString(),
      },
      user: signedIn.body.user,
    });
    expect(known.headers['cache-control']).toBe('no-store');
    expect(known.headers['set-cookie'] ?? []).toEqual([]);
    for (const authorization of [
      `Bearer ${token}`,
      `bearer ${token}`,
      `Bearer ${signedIn.headers['set-auth-token']}`,
    ])
      expect((await getSession({ authorization })).body).toEqual(known.body);
    expect((await getSession({ cookie, authorization: 'Basic x' })).body).toEqual(known.body);
    expect((await getSession({ cookie, authorization: 'Bearer nonsense' })).body).toBeNull();
  });

  test('a page that says whose it is is refused when its cookie is somebody else’s', async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    const { cookie } = await steno.signIn(eve.user);
    const write = (named: string) =>
      steno.call('POST', '/notes/create', {
        body: { content: 'of Ada' },
        headers: { cookie, 'steno-user': named },
      });
    const refused = await write(ada.user.id);
    expect([refused.status, refused.body.error.code]).toEqual([401, 'invalid_api_key']);
    expect((await steno.call('GET', '/notes/list', { key: eve.key })).body.data).toEqual([]);
    expect((await write(eve.user.id)).status).toBe(201);
  });

  test('who is not signed in gets null, and a cookie that is over is taken back', async () => {
    const nobody = await getSession({});
    expect([nobody.status, nobody.text, nobody.headers['set-cookie'] ?? []]).toEqual([200, 'null', []]);
    expect(nobody.headers['content-type']).toContain('application/json');
    const { key } = await steno.person();
    expect((await getSession({ authorization: `Bearer ${key}` })).text).toBe('null');

    const signedIn = await signIn((await account()).email);
    const cookie = cookieOf(signedIn).split(';')[0] ?? '';
    expect((await steno.call('DELETE', '/api/sessions', { key: signedIn.body.token })).status).toBe(204);
    const over = await getSession({ cookie });
    expect(over.text).toBe('null');
    expect([over.headers['set-cookie']].flat()[0]).toBe(
      'steno.session_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    );
  });

  test('signing out answers the same with a session and without, and takes the cookie back', async () => {
    const signedIn = await signIn((await account()).email);
    const cookie = cookieOf(signedIn).split(';')[0] ?? '';
    const answers = [
      await post('/sign-out'),
      await post('/sign-out', {}),
      await post('/sign-out', {}, { cookie, origin: own }),
      await post('/sign-out', {}, { cookie, origin: own }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([200, { success: true }]);
      expect([answer.headers['set-cookie']].flat()[0]).toBe(
        'steno.session_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
      );
    }
    expect((await steno.call('GET', '/me', { key: signedIn.body.token })).status).toBe(401);

    const again = await signIn((await account()).email);
    const authorization = `Bearer ${again.body.token}`;
    expect((await post('/sign-out', undefined, { authorization })).body).toEqual({ success: true });
    expect((await steno.call('GET', '/me', { key: again.body.token })).status).toBe(401);
  });

  test.each(['/email-otp/send-verification-otp', '/sign-in/email-otp', '/sign-out'])(
    'with a cookie %s needs our own origin',
    async (path) => {
      const { email } = await account();
      const body = { email, otp: '123456', type: 'sign-in' };
      const cookie = 'theme=dark';
      const foreign = { message: 'Invalid origin', code: 'INVALID_ORIGIN' };
      const missing = { message: 'Missing or null Origin', code: 'MISSING_OR_NULL_ORIGIN' };
      expect(await post(path, body, { cookie, origin: evil })).toMatchObject({ status: 403, body: foreign });
      now += hourMs;
      expect(await post(path, body, { cookie, origin: 'null' })).toMatchObject({
        status: 403,
        body: missing,
      });
      now += hourMs;
      expect(await post(path, body, { cookie, origin: undefined })).toMatchObject({
        status: 403,
        body: missing,
      });
      now += hourMs;
      expect((await post(path, body, { cookie, origin: own })).status).not.toBe(403);
    },
  );

  test('no page of another origin can ask for a code', async () => {
    const { email } = await account();
    expect(await ask(email, { origin: evil })).toMatchObject({
      status: 403,
      body: { code: 'INVALID_ORIGIN' },
    });
    now += hourMs;
    expect((await ask(email, { origin: own })).status).toBe(200);
  });

  test('a wrong code, a used one and one too many', async () => {
    const { email } = await account();
    const code = await codeFor(email);
    const enter = (otp: string) => post('/sign-in/email-otp', { email, otp });
    const invalid = { status: 400, body: { message: 'Invalid OTP', code: 'INVALID_OTP' } };
    expect(await enter(wrong(code))).toMatchObject(invalid);
    expect((await enter(code)).status).toBe(200);
    expect(await enter(code)).toMatchObject(invalid);
    now += hourMs;
    const next = await codeFor(email);
    for (let attempt = 1; attempt <= 5; attempt += 1) expect(await enter(wrong(next))).toMatchObject(invalid);
    expect(await enter(next)).toMatchObject({
      status: 403,
      body: { message: 'Too many attempts', code: 'TOO_MANY_ATTEMPTS' },
    });
    expect(await enter(next)).toMatchObject(invalid);
  });

  test('a code that came too late says so', async () => {
    const { email } = await account();
    const otp = await codeFor(email);
    now += 10 * 60_000;
    expect(await post('/sign-in/email-otp', { email, otp })).toMatchObject({
      status: 400,
      body: { message: 'OTP expired', code: 'OTP_EXPIRED' },
    });
  });

  test('a code opens either door, one of them, once; wrong tries at both are counted together', async () => {
    const { email } = await account();
    const enter = async (otp: string) => (await post('/sign-in/email-otp', { email, otp })).status;
    const verify = async (code: string) =>
      (await steno.call('POST', '/auth/email-code/verify', { body: { email, code } })).status;
    const forPeople = await codeFor(email);
    expect([await verify(forPeople), await enter(forPeople), await verify(forPeople)]).toEqual([
      200, 400, 401,
    ]);
    now += hourMs;
    expect((await steno.call('POST', '/auth/email-code', { body: { email } })).status).toBe(200);
    await steno.outbox.idle();
    const forAgents = mailbox.codeFor(email);
    expect([await enter(forAgents), await verify(forAgents), await enter(forAgents)]).toEqual([
      200, 401, 400,
    ]);
    now += hourMs;
    const locked = await codeFor(email);
    const guesses = [await verify(wrong(locked)), await enter(wrong(locked)), await verify(wrong(locked))];
    expect(guesses).toEqual([401, 400, 401]);
    expect([await enter(wrong(locked)), await verify(wrong(locked))]).toEqual([400, 429]);
    expect([await enter(locked), await verify(locked)]).toEqual([403, 429]);
  });

  test('of many who enter the same code at once, one is let in', async () => {
    const { email } = await account();
    const otp = await codeFor(email);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => post('/sign-in/email-otp', { email, otp })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
  });

  test('a session in use is extended once a day, by get-session alone', async () => {
    const signedIn = await signIn((await account()).email);
    const cookie = cookieOf(signedIn).split(';')[0] ?? '';
    now += dayMs - 1;
    const early = await getSession({ cookie });
    expect(early.headers['set-cookie']).toBeUndefined();
    now += 1;
    expect((await steno.call('GET', '/me', { headers: { cookie } })).body.data.expires_at).toBe(
      early.body.session.expiresAt,
    );
    const extended = await getSession({ cookie });
    expect(extended.body.session).toEqual({
      ...early.body.session,
      updatedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + lifetimeMs).toISOString(),
    });
    expect(cookieOf(extended)).toBe(cookieOf(signedIn));
    expect(extended.headers['set-auth-token']).toBe(signedIn.body.token);
    now += lifetimeMs - 1;
    expect((await steno.call('GET', '/me', { headers: { cookie } })).status).toBe(200);
    now += 1;
    expect((await getSession({ cookie })).text).toBe('null');
  });

  test('an address of IPv6 is kept as its network', async () => {
    const { user } = await account();
    const { path } = await steno.sessions.createSignInLink(user.id);
    const page = await steno.call('GET', path);
    const opened = await steno.app.inject({
      method: 'POST',
      url: path,
      remoteAddress: '2001:db8:0:7::1',
      headers: { cookie: cookieOf(page) },
    });
    const authorization = `Bearer ${opened.headers['set-auth-token']}`;
    expect((await getSession({ authorization })).body.session.ipAddress).toBe('2001:db8:0:7::/64');
  });

  test('a body that lacks something is refused in this door’s own form', async () => {
    for (const body of [
      {},
      { email: 'a@example.org' },
      { otp: '123456' },
      { email: 'a@example.org', otp: 1 },
      [1],
    ])
      expect(await post('/sign-in/email-otp', body)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_ERROR', message: expect.any(String) },
      });
    const link = await steno.call('GET', '/api/auth/sign-in/link');
    expect(link).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    const used = await steno.call('GET', '/api/auth/sign-in/link?token=used');
    expect(used).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining('ask for a new one') },
    });
    const strange = await post('/sign-in/email-otp', { email: 'no address', otp: '123456' });
    expect(strange).toMatchObject({ status: 400, body: { code: 'INVALID_OTP' } });
  });

  test('who signs up is called as they say, or by their address, on the plan of the installation', async () => {
    const email = newAddress('open.example');
    const plain = await signIn(email);
    expect(plain.body.user).toMatchObject({ name: email.split('@')[0], plan: 'business', image: null });
    expect(plain.body.user.updatedAt).toBe(plain.body.user.createdAt);
    const named = newAddress('open.example');
    const body = {
      email: named,
      otp: await codeFor(named),
      name: 'Grace',
      image: 'https://evil.example/x.png',
    };
    const answer = await post('/sign-in/email-otp', { ...body, plan: 'free' });
    expect(answer.body.user).toMatchObject({ name: 'Grace', plan: 'business', image: null });
  });

  test('a link that was used sends a browser to the door of the console', async () => {
    const { user } = await account();
    const { path } = await steno.sessions.createSignInLink(user.id);
    const page = await steno.call('GET', path);
    expect((await steno.followLink(path)).headers).toMatchObject({
      location: '/',
      'cache-control': 'no-store',
    });
    const headers = { accept: 'text/html,*/*' };
    const again = await steno.call('GET', path, { headers });
    expect([again.status, again.headers.location]).toEqual([302, '/sign-in?problem=link']);
    const pressed = await steno.call('POST', path, { headers: { ...headers, cookie: cookieOf(page) } });
    expect([pressed.status, pressed.headers.location]).toEqual([303, '/sign-in?problem=link']);
  });

  test('looking at a link, as prefetching browsers and mail scanners do, does not use it up', async () => {
    const { user } = await account();
    const { path } = await steno.sessions.createSignInLink(user.id);
    for (const method of ['GET', 'HEAD', 'GET']) {
      const looked = await steno.call(method, path);
      expect([looked.status, looked.headers['set-auth-token']]).toEqual([200, undefined]);
    }
    expect((await steno.followLink(path)).status).toBe(303);
  });

  test('the page of a link says whose account it opens, runs no script and may not be framed', async () => {
    const name = '<script>alert(1)</script>';
    const user = await steno.users.add({ name, email: newAddress('example.org'), plan: 'pro' });
    const { path } = await steno.sessions.createSignInLink(user.id);
    const { text, headers } = await steno.call('GET', path);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('Welcome, &#60;script&#62;');
    expect(text).not.toContain('<script');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers['cache-control']).toBe('no-store');
  });

  test('only the browser that opened the link can press its button', async () => {
    const { user } = await account();
    const { path } = await steno.sessions.createSignInLink(user.id);
    const other = await steno.sessions.createSignInLink(user.id);
    const [page, otherPage] = [await steno.call('GET', path), await steno.call('GET', other.path)];
    expect(cookieOf(page)).toMatch(/; HttpOnly; SameSite=Strict$/);
    const press = (headers: Record<string, string>) => steno.call('POST', path, { headers });
    const cookie = cookieOf(page).split(';')[0] ?? '';
    const refusals = [
      await press({}),
      await press({ cookie: cookieOf(otherPage).split(';')[0] ?? '' }),
      await press({ cookie, origin: evil }),
      await press({ cookie, origin: 'null' }),
    ];
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'LINK_NOT_OPENED_HERE'],
      [403, 'LINK_NOT_OPENED_HERE'],
      [403, 'INVALID_ORIGIN'],
      [403, 'MISSING_OR_NULL_ORIGIN'],
    ]);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await press({ ...form, cookie, origin: own })).status).toBe(303);
  });
});

/** What better-auth put into a cookie; browsers keep theirs for 30 days. */
const signed = (secret: string, token: string) =>
  `${token}.${encodeURIComponent(createHmac('sha256', secret).update(token).digest('base64'))}`;

test('a cookie that version 0.1 signed still works', async () => {
  const authSecret = 'the-secret-of-this-installation!';
  const steno = await startSteno({ config: { authSecret } });
  const { user } = await steno.person();
  const { token } = await steno.signIn(user);
  const cookie = `steno.session_token=${signed(authSecret, token.split('.')[0] ?? '')}`;
  const known = await steno.call('GET', '/api/auth/get-session', { headers: { cookie } });
  expect(known.body.user.id).toBe(user.id);
  const out = await steno.call('POST', '/api/auth/sign-out', { headers: { cookie, origin: own } });
  expect(out.headers['clear-site-data']).toBe('"cache"');
  expect(out.status).toBe(200);
  expect((await steno.call('GET', '/me', { headers: { cookie } })).status).toBe(401);
  await steno.close();
});
