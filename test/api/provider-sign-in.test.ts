import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { operator } from '../../src/domain/principal.ts';
import { stoppedClock } from '../support/clock.ts';
import { oidcClient, startOidcProvider } from '../support/openid.ts';
import { type Answer, anyDatabase, silentLog, startSteno, type TestSteno } from '../support/steno.ts';

const own = 'http://localhost';
const redirectUri = `${own}/api/auth/callback/oidc`;

let provider: Awaited<ReturnType<typeof startOidcProvider>>;
beforeAll(async () => {
  provider = await startOidcProvider([redirectUri]);
});
afterAll(() => provider.close());
afterEach(() => {
  provider.forgeWith(undefined);
  provider.failWith();
});

const settingsFor = (more: Record<string, string> = {}) => {
  const { oidc, providerOnly, signUp } = readConfig({
    STENO_OIDC_ISSUER: provider.issuer,
    STENO_OIDC_CLIENT_ID: oidcClient.clientId,
    STENO_OIDC_CLIENT_SECRET: oidcClient.clientSecret,
    STENO_OIDC_NAME: 'Example',
    STENO_SIGNUP: 'open',
    ...more,
  });
  return { oidc, providerOnly, signUp };
};

let people = 0;
const newPerson = (more: object = {}) => {
  const name = `person${people++}`;
  return { sub: name, email: `${name}@example.org`, email_verified: true, name: `The ${name}`, ...more };
};

const cookiesOf = ({ headers }: Answer) =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';')[0] ?? '')
    .filter((cookie) => !/^[^=]+=$/.test(cookie));

/** A browser at the sign-in page of a server. */
function browserAt(steno: TestSteno) {
  const begin = (callbackURL = '/notes') =>
    steno.call('POST', '/api/auth/sign-in/social', {
      headers: { origin: own },
      body: { provider: 'oidc', callbackURL },
    });
  const comeBack = (url: URL, cookie: string, headers: Record<string, string> = {}) =>
    steno.call('GET', url.pathname + url.search, { headers: { cookie, ...headers } });
  return {
    begin,
    comeBack,
    /** Everything that a person does; `at` is where they come back, if not here. */
    async signIn(at: typeof comeBack = comeBack): Promise<Answer> {
      const begun = await begin();
      expect(begun.status).toBe(200);
      return at(await provider.visit(begun.body.url), cookiesOf(begun).join('; '));
    },
  };
}

const sessionOf = (steno: TestSteno, answer: Answer) =>
  steno.call('GET', '/api/auth/get-session', { headers: { cookie: cookiesOf(answer).join('; ') } });

describe.each(anyDatabase)('signing in with a provider on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  let browser: ReturnType<typeof browserAt>;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, config: settingsFor() });
    browser = browserAt(steno);
  });
  afterAll(() => steno.close());
  beforeEach(() => {
    now = Date.now();
  });

  test('a new person gets an account, comes back to the page they wanted, and is the same the next time', async () => {
    const person = newPerson();
    provider.become(person);
    const first = await browser.signIn();
    expect(first).toMatchObject({
      status: 302,
      headers: { location: '/notes', 'cache-control': 'no-store' },
    });
    const { user } = (await sessionOf(steno, first)).body;
    expect(user).toMatchObject({ email: person.email, name: person.name, emailVerified: true });
    // The address may change at the provider. Who it is does not.
    provider.become({ ...person, email: 'changed@example.org' });
    expect((await sessionOf(steno, await browser.signIn())).body.user).toEqual(user);
  });

  test('an account that is here already is linked by its verified address', async () => {
    const person = newPerson();
    const user = await steno.users.add({ name: 'Ada', email: person.email, plan: 'pro' });
    provider.become({ ...person, email: person.email.toUpperCase() });
    expect((await sessionOf(steno, await browser.signIn())).body.user).toMatchObject({
      id: user.id,
      plan: 'pro',
    });
  });

  test.each([
    ['not verified', { email_verified: false }],
    ['not said to be verified', { email_verified: undefined }],
    ['missing', { email: undefined }],
    ['not an address', { email: 'ada' }],
  ])('an address that is %s lets nobody in, whoever has it', async (_, change) => {
    const person = newPerson();
    await steno.users.add({ name: 'Ada', email: person.email, plan: 'pro' });
    provider.become({ ...person, ...change });
    expect(await browser.signIn()).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } });
  });

  test.each([
    ['another audience', { aud: 'another' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['another nonce', { nonce: 'another' }],
    ['no nonce', { nonce: undefined }],
    ['an ID token of an hour ago', { exp: Math.floor(Date.now() / 1000) - 3_600 }],
    ['an ID token of tomorrow', { nbf: Math.floor(Date.now() / 1000) + 86_400 }],
  ])('%s in the ID token lets nobody in', async (_, change) => {
    provider.become(newPerson());
    provider.forgeWith((claims) => ({ ...claims, ...change }));
    expect(await browser.signIn()).toMatchObject({ status: 401, body: { code: 'PROVIDER_REFUSED' } });
  });

  test('clocks may differ by half a minute', async () => {
    provider.become(newPerson());
    provider.forgeWith((claims) => ({ ...claims, nbf: Math.floor(Date.now() / 1000) + 30 }));
    expect((await browser.signIn()).status).toBe(302);
  });

  test('new keys of the provider work at once, and what others signed never does', async () => {
    provider.become(newPerson());
    expect((await browser.signIn()).status).toBe(302);
    provider.rotateKeys();
    expect((await browser.signIn()).status).toBe(302);
    provider.forgeWith((claims) => claims, { stranger: true });
    expect(await browser.signIn()).toMatchObject({ status: 401, body: { code: 'PROVIDER_REFUSED' } });
  });

  test('an answer works once, in the browser that began, for ten minutes, and with its own state', async () => {
    provider.become(newPerson());
    const begun = await browser.begin();
    const cookie = cookiesOf(begun).join('; ');
    const back = await provider.visit(begun.body.url);
    const refused = { status: 400, body: { code: 'STATE_MISMATCH' } };
    expect(await browser.comeBack(back, '')).toMatchObject(refused);
    expect(await browser.comeBack(back, 'steno.provider=nonsense')).toMatchObject(refused);
    const other = await browser.begin();
    expect(await browser.comeBack(back, cookiesOf(other).join('; '))).toMatchObject(refused);
    const changed = new URL(back);
    changed.searchParams.set('state', 'another');
    expect(await browser.comeBack(changed, cookie)).toMatchObject(refused);
    // A program that only looks whether the page is there does not use it up.
    const looked = await steno.call('HEAD', back.pathname + back.search, { headers: { cookie } });
    expect(looked.status).toBe(405);
    now += 10 * 60_000 + 1;
    expect(await browser.comeBack(back, cookie)).toMatchObject(refused);
    now -= 60_000;
    expect((await browser.comeBack(back, cookie)).status).toBe(302);
    expect(await browser.comeBack(back, cookie)).toMatchObject({
      status: 401,
      body: { code: 'PROVIDER_REFUSED' },
    });
  });

  test('the cookie of a sign-in goes to no script and to one path alone', async () => {
    const begun = await browser.begin();
    expect(String(begun.headers['set-cookie'])).toMatch(
      /^steno\.provider=[A-Za-z0-9+/=]+; Max-Age=600; Path=\/api\/auth\/callback\/oidc; HttpOnly; SameSite=Lax$/,
    );
    const url = new URL(begun.body.url);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'steno',
      response_type: 'code',
      redirect_uri: redirectUri,
      code_challenge_method: 'S256',
    });
  });

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/a\nb'])(
    'nobody is sent to %j afterwards',
    async (callbackURL) => {
      expect(await browser.begin(callbackURL)).toMatchObject({
        status: 403,
        body: { code: 'INVALID_CALLBACK_URL' },
      });
    },
  );

  test.each([
    ['/notes?q=1#top', '/notes?q=1#top'],
    [`${own}/keys`, '/keys'],
    ['notes', '/notes'],
    ['/.//evil.example', '/evil.example'],
  ])('a page of this server, %s, is where they end', async (callbackURL, location) => {
    provider.become(newPerson());
    const begun = await browser.begin(callbackURL);
    const back = await provider.visit(begun.body.url);
    expect((await browser.comeBack(back, cookiesOf(begun).join('; '))).headers.location).toBe(location);
  });

  test('pages of other sites cannot begin a sign-in', async () => {
    const answer = await steno.call('POST', '/api/auth/sign-in/social', {
      headers: { origin: 'https://evil.example' },
      body: { provider: 'oidc' },
    });
    expect(answer).toMatchObject({ status: 403, body: { code: 'INVALID_ORIGIN' } });
  });

  test('while the provider is away, signing in is 503 and whoever is signed in stays', async () => {
    provider.become(newPerson());
    const signedIn = await browser.signIn();
    const begun = await browser.begin();
    const back = await provider.visit(begun.body.url);
    provider.failWith(503);
    const answer = await browser.comeBack(back, cookiesOf(begun).join('; '));
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
    expect(answer.headers['retry-after']).toBe('5');
    const page = await browser.comeBack(back, cookiesOf(begun).join('; '), { accept: 'text/html' });
    expect(page).toMatchObject({ status: 302, headers: { location: '/sign-in?problem=away' } });
    expect((await sessionOf(steno, signedIn)).body.user).toBeTruthy();
    provider.failWith();
    expect((await browser.comeBack(back, cookiesOf(begun).join('; '))).status).toBe(302);
  });

  test('signing out names the page where the provider ends its own session', async () => {
    provider.become(newPerson());
    const cookie = cookiesOf(await browser.signIn()).join('; ');
    const { body } = await steno.call('POST', '/api/auth/sign-out', { headers: { cookie } });
    const url = new URL(body.url);
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'steno',
      post_logout_redirect_uri: `${own}/sign-in`,
    });
    const { user } = await steno.person();
    const { cookie: other } = await steno.signIn(user);
    expect((await steno.call('POST', '/api/auth/sign-out', { headers: { cookie: other } })).body).toEqual({
      success: true,
    });
  });

  test('a suspended account stays out', async () => {
    const person = newPerson();
    provider.become(person);
    await browser.signIn();
    await steno.database.db
      .updateTable('users')
      .set({ suspended_at: new Date(now).toISOString() })
      .where('email', '=', person.email)
      .execute();
    expect(await browser.signIn()).toMatchObject({ status: 403, body: { code: 'ACCOUNT_SUSPENDED' } });
    const page = await browser.signIn((url, cookie) =>
      browser.comeBack(url, cookie, { accept: 'text/html' }),
    );
    expect([page.status, page.headers.location]).toEqual([302, '/sign-in?problem=suspended']);
    // An address that the provider does not vouch for proves nothing.
    provider.become({ ...newPerson(), email: person.email, email_verified: false });
    expect(await browser.signIn()).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } });
  });

  test('the status of the server says whether the provider answers', async () => {
    const { user } = await steno.person();
    await steno.users.setOperator(user.id, true);
    const { token: key } = await steno.signIn(user);
    const { body } = await steno.call('GET', '/api/operator/status', { key });
    const found = body.data.find(({ check }: { check: string }) => check === 'sign-in provider');
    expect(found).toMatchObject({ state: 'ok', found: expect.stringContaining('offers PKCE') });
    const before = provider.asked.length;
    await steno.call('GET', '/api/operator/status', { key });
    expect(provider.asked).toHaveLength(before);
  });

  test.runIf(databaseKind === 'postgres')(
    'a sign-in may begin at one server and end at another',
    async () => {
      const second = await compose(steno.config, { log: silentLog });
      await second.app.ready();
      try {
        provider.become(newPerson());
        const answer = await browser.signIn(async (url, cookie) => {
          const { statusCode, headers } = await second.app.inject({
            url: url.pathname + url.search,
            headers: { cookie },
          });
          return { status: statusCode, headers, body: undefined, text: '' };
        });
        expect(answer.status).toBe(302);
        expect((await sessionOf(steno, answer)).body.user).toBeTruthy();
      } finally {
        await second.close();
      }
    },
  );
});

describe.each(anyDatabase)('who may come in, on %s', (databaseKind) => {
  const started: TestSteno[] = [];
  afterEach(async () => {
    for (const steno of started.splice(0)) await steno.close();
  });
  async function serverWith(settings: Record<string, string>) {
    const steno = await startSteno({ databaseKind, config: settingsFor(settings) });
    started.push(steno);
    const browser = browserAt(steno);
    const come = async (person: Parameters<typeof provider.become>[0]) => {
      provider.become(person);
      return browser.signIn();
    };
    return { steno, come };
  }
  const notAllowed = { status: 403, body: { code: 'SIGNUP_DISABLED' } };

  test('where sign-up is closed, those who have an account or an invitation', async () => {
    const { steno, come } = await serverWith({ STENO_SIGNUP: 'closed' });
    expect(await come(newPerson())).toMatchObject(notAllowed);
    const known = newPerson();
    await steno.users.add({ name: 'Ada', email: known.email, plan: 'pro' });
    expect((await come(known)).status).toBe(302);
    const { user, workspace } = await steno.team();
    const { cookie } = await steno.signIn(user);
    const guest = newPerson();
    await steno.call('POST', `/api/workspaces/${workspace.id}/invitations`, {
      headers: { cookie },
      body: { email: guest.email, role: 'member' },
    });
    expect((await come(guest)).status).toBe(302);
  });

  test('where sign-up is for domains, the addresses of those', async () => {
    const { come } = await serverWith({ STENO_SIGNUP: 'example.org' });
    expect((await come(newPerson())).status).toBe(302);
    expect(await come(newPerson({ email: 'eve@evil.example' }))).toMatchObject(notAllowed);
  });

  test('named groups let their members in, and out again; an invited guest stays', async () => {
    const { steno, come } = await serverWith({ STENO_SIGNUP: 'open', STENO_OIDC_GROUPS: 'staff, it=all' });
    const person = newPerson();
    expect(await come(person)).toMatchObject(notAllowed);
    expect(await come({ ...person, groups: ['others'] })).toMatchObject(notAllowed);
    expect((await come({ ...person, groups: ['others', 'staff'] })).status).toBe(302);
    expect((await come(newPerson({ groups: 'it=all' }))).status).toBe(302);
    expect(await come({ ...person, groups: [] })).toMatchObject(notAllowed);
    const { user, workspace } = await steno.team();
    const { cookie } = await steno.signIn(user);
    const guest = newPerson();
    const invited = await steno.call('POST', `/api/workspaces/${workspace.id}/invitations`, {
      headers: { cookie },
      body: { email: guest.email, role: 'member' },
    });
    expect((await come(guest)).status).toBe(302);
    const revoke = `/api/workspaces/${workspace.id}/invitations/${invited.body.data.id}`;
    await steno.call('DELETE', revoke, { headers: { cookie } });
    expect((await come(guest)).status).toBe(302);
  });

  test('groups set plan, right of an operator and workspaces, and take away only what they gave', async () => {
    const { oidc, signUp } = settingsFor({
      STENO_OIDC_PLANS: 'guests=free,staff=pro',
      STENO_OIDC_OPERATORS: 'admins',
    });
    const steno = await startSteno({ databaseKind, config: { oidc, signUp } });
    started.push(steno);
    const { user: admin, workspace } = await steno.team();
    // A group does not take the right of the last operator.
    await steno.users.setOperator(admin.id, true);
    const { oidc: named } = settingsFor({
      STENO_OIDC_WORKSPACES: `staff=${workspace.id},leads=${workspace.id}:admin,staff=${randomUUID()}`,
    });
    Object.assign(oidc ?? {}, { workspaces: named?.workspaces });
    const browser = browserAt(steno);
    const person = newPerson();
    const come = async (groups: string[]) => {
      provider.become({ ...person, groups });
      const cookie = cookiesOf(await browser.signIn()).join('; ');
      const { body } = await steno.call('GET', '/me', { headers: { cookie } });
      const { data: joined } = (await steno.call('GET', '/api/workspaces', { headers: { cookie } })).body;
      return {
        plan: body.data.plan,
        operator: body.data.operator,
        roles: joined.map((one: { role: string }) => one.role),
      };
    };
    expect(await come([])).toEqual({ plan: 'business', operator: false, roles: [] });
    expect(await come(['staff'])).toEqual({ plan: 'pro', operator: false, roles: ['member'] });
    expect(await come(['staff', 'guests', 'leads', 'admins'])).toEqual({
      plan: 'free',
      operator: true,
      roles: ['admin'],
    });
    expect(await come(['staff'])).toEqual({ plan: 'pro', operator: false, roles: ['member'] });
    expect(await come([])).toEqual({ plan: 'business', operator: false, roles: [] });
    // What others gave stays.
    const { id } = await steno.users.setOperator(person.email, true);
    await steno.members.add(operator, workspace.id, { user_id: id, role: 'member' });
    expect(await come(['staff', 'admins'])).toMatchObject({ operator: true, roles: ['member'] });
    expect(await come([])).toEqual({ plan: 'business', operator: true, roles: ['member'] });
  });

  test('who comes again with the same groups changes nothing, so no server reads its keys again', async () => {
    const { oidc, signUp } = settingsFor({
      STENO_OIDC_PLANS: 'staff=pro',
      STENO_OIDC_OPERATORS: 'staff',
    });
    const steno = await startSteno({ databaseKind, config: { oidc, signUp } });
    started.push(steno);
    const { workspace } = await steno.team();
    const { oidc: named } = settingsFor({ STENO_OIDC_WORKSPACES: `staff=${workspace.id}` });
    Object.assign(oidc ?? {}, { workspaces: named?.workspaces });
    const browser = browserAt(steno);
    const person = newPerson();
    const come = async (groups: string[]) => {
      provider.become({ ...person, groups });
      expect((await browser.signIn()).status).toBe(302);
    };
    const acts = async () => (await steno.store.audit.list({}, { limit: 100 })).map(({ act }) => act);
    // On SQLite the lower 32 bits are of other connections, such as that of the housekeeping.
    const epochNow = () => Math.floor(steno.store.keys.epoch() / (databaseKind === 'sqlite' ? 2 ** 32 : 1));
    await come(['staff']);
    const [before, epoch] = [await acts(), epochNow()];
    expect(before).toEqual(expect.arrayContaining(['account.changed', 'operator.given', 'member.added']));
    await come(['staff']);
    await come(['staff', 'others']);
    expect(await acts()).toEqual(['sign_in', 'sign_in', ...before]);
    expect(epochNow()).toBe(epoch);
    await come([]);
    expect(await acts()).toContain('member.removed');
    expect(epochNow()).not.toBe(epoch);
  });

  test('who leaves the group of operators stays one as long as there is no other', async () => {
    const { steno, come } = await serverWith({ STENO_OIDC_OPERATORS: 'admins' });
    const person = newPerson();
    const isOperator = async (groups: string[]) => {
      const cookie = cookiesOf(await come({ ...person, groups })).join('; ');
      return (await steno.call('GET', '/me', { headers: { cookie } })).body.data.operator;
    };
    expect(await isOperator(['admins'])).toBe(true);
    expect(await isOperator([])).toBe(true);
    const { user: other } = await steno.person({ name: 'Other' });
    await steno.users.setOperator(other.id, true);
    expect(await isOperator([])).toBe(false);
  });

  test('with STENO_SIGNIN=oidc no code signs anybody in, and links of the operator do', async () => {
    const { steno, come } = await serverWith({ STENO_SIGNIN: 'oidc' });
    const email = 'ada@example.org';
    const headers = { origin: own };
    const only = { status: 403, body: { code: 'PROVIDER_ONLY' } };
    const post = (path: string, body: object) => steno.call('POST', path, { headers, body });
    expect(await post('/api/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })).toMatchObject(
      only,
    );
    expect(await post('/api/auth/sign-in/email-otp', { email, otp: '000000' })).toMatchObject(only);
    expect(await post('/api/auth/sign-in/invitation', { token: 'x' })).toMatchObject(only);
    expect(await post('/auth/email-code', { email })).toMatchObject({ status: 403 });
    expect(await post('/auth/email-code/verify', { email, code: '000000' })).toMatchObject({ status: 403 });
    expect((await steno.call('GET', '/api/auth/sign-in-methods')).body).toEqual({
      codes: false,
      passkeys: false,
      provider: { name: 'Example' },
    });
    const { user } = await steno.person();
    expect((await steno.signIn(user)).token).toBeTruthy();
    expect((await come(newPerson())).status).toBe(302);
  });
});

test('a provider that is away at the first sign-in is 503, and many who come together ask it once', async () => {
  const steno = await startSteno({ config: settingsFor() });
  const browser = browserAt(steno);
  provider.become(newPerson());
  provider.failWith(500);
  const before = provider.asked.length;
  const answers = await Promise.all(Array.from({ length: 20 }, () => browser.begin()));
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  // Together they asked once.
  expect(provider.asked.length - before).toBe(1);
  await steno.close();
});

test('a server without a provider has no such routes', async () => {
  const steno = await startSteno();
  const body = { provider: 'oidc' };
  expect(
    (await steno.call('POST', '/api/auth/sign-in/social', { headers: { origin: own }, body })).status,
  ).toBe(404);
  expect((await steno.call('GET', '/api/auth/callback/oidc?code=x')).status).toBe(404);
  expect((await steno.call('GET', '/api/auth/sign-in-methods')).body).toEqual({
    codes: true,
    passkeys: true,
    provider: null,
  });
  await steno.close();
});

test('whoever comes back with wrong answers again and again waits', async () => {
  const steno = await startSteno({
    clock: stoppedClock(Date.now()),
    config: { ...settingsFor(), authFailuresPerMinute: 3 },
  });
  const statuses = [];
  for (let count = 0; count < 4; count += 1)
    statuses.push((await steno.call('GET', '/api/auth/callback/oidc?state=x&code=y')).status);
  expect(statuses).toEqual([400, 400, 400, 429]);
  await steno.close();
});
