import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { personalKeysOf, workspaceKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { hashAppPassword } from '../../src/features/identity/app-passwords/schema.ts';
import { openMailbox } from '../support/mailbox.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const wrong = { status: 401, body: { code: 'INVALID_EMAIL_OR_PASSWORD' } };
let mailbox: Awaited<ReturnType<typeof openMailbox>>;
beforeAll(async () => {
  mailbox = await openMailbox();
});
afterAll(() => mailbox.close());

describe.each(anyDatabase)('app passwords on %s', (databaseKind) => {
  let now = Date.now();
  let people = 0;
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, config: { smtpUrl: mailbox.url } });
  });
  afterAll(() => steno.close());
  beforeEach(() => {
    now += 3_600_000;
  });

  async function signedIn() {
    people += 1;
    const user = await steno.users.add({ name: 'Ada', email: `ada${people}@example.org` });
    return { user, email: user.email ?? '', ...(await steno.signIn(user)) };
  }
  const make = (key: string, name = 'My phone', headers = {}) =>
    steno.call('POST', '/api/app-passwords', { key, body: { name }, headers });
  async function withPassword() {
    const person = await signedIn();
    const { body } = await make(person.token);
    return { ...person, ...(body.data as { id: string; password: string }) };
  }
  const enter = (email: string, password: string, headers = {}) =>
    steno.call('POST', '/api/auth/sign-in/email', { body: { email, password }, headers });
  const list = async (key: string) => (await steno.call('GET', '/api/app-passwords', { key })).body.data;
  const works = async (key: string) => (await steno.call('GET', '/me', { key })).status;

  test('one signs an app in, however it is typed, and shows when it was used', async () => {
    const { user, email, token, id, password } = await withPassword();
    expect(password).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){6}[0-9a-hjkmnp-tv-z]{4}$/);
    expect(await list(token)).toMatchObject([{ id, name: 'My phone', used_at: null }]);
    const typed = ` ${password.replaceAll('-', ' ').replaceAll('1', 'l').replaceAll('0', 'O').toUpperCase()}`;
    const answer = await enter(email.toUpperCase(), typed);
    expect(answer).toMatchObject({ status: 200, body: { redirect: false, user: { id: user.id, email } } });
    expect(answer.headers['set-auth-token']).toBe(answer.body.token);
    expect(String(answer.headers['set-cookie'])).toContain(answer.body.token);
    expect(await works(answer.body.token)).toBe(200);
    expect(await list(token)).toMatchObject([{ id, used_at: new Date(now).toISOString() }]);
    await steno.outbox.idle();
    expect(mailbox.mails.at(-1)?.text).toContain('app password was made');
  });

  test('who revokes one ends its sessions and no others', async () => {
    const { email, token, id, password } = await withPassword();
    const other = (await make(token, 'Desk')).body.data;
    const [one, two] = [await enter(email, password), await enter(email, other.password)];
    const revoke = () => steno.call('DELETE', `/api/app-passwords/${id}`, { key: token });
    expect((await revoke()).status).toBe(204);
    expect(await works(one.body.token)).toBe(401);
    expect([await works(two.body.token), await works(token)]).toEqual([200, 200]);
    expect(await enter(email, password)).toMatchObject(wrong);
    expect((await revoke()).status).toBe(404);
  });

  test('unknown accounts, wrong passwords and those of others get the same answer', async () => {
    const [ada, eve] = [await withPassword(), await withPassword()];
    const answers = [
      await enter(ada.email, eve.password),
      await enter('nobody@example.org', ada.password),
      await enter(ada.email, ada.password.replaceAll(/\d/g, 'z').slice(0, -1)),
      await enter(ada.email, ''),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject(wrong);
      expect(answer.text).toBe(answers[0]?.text);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  test('its session is no operator, and makes no way in that outlives it', async () => {
    const { user, email, password } = await withPassword();
    await steno.users.setOperator(user.id, true);
    const key = (await enter(email, password)).body.token;
    const refused = async (method: string, path: string) => {
      const answer = await steno.call(method, path, { key });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    };
    const guarded = steno.routes.flatMap(({ method, url, config: { access } = {} }) =>
      access && (access.credential === 'operator' || ('personally' in access && access.personally))
        ? [method].flat().map((name) => `${name} ${url}`)
        : [],
    );
    // Whoever takes one of these away has thought about it.
    expect(guarded).toEqual(
      expect.arrayContaining([
        'GET /api/operator/people',
        'POST /api/app-passwords',
        'DELETE /api/app-passwords/:id',
        'POST /api/account/email-code',
        'DELETE /api/account',
        'GET /api/auth/passkey/generate-register-options',
        'POST /api/auth/passkey/verify-registration',
        'POST /api/auth/passkey/update-passkey',
        'POST /api/auth/passkey/delete-passkey',
        'GET /api/auth/one-time-token/generate',
        'POST /api/oauth/consent',
        'POST /api/workspaces/:id/invitations',
        'POST /api/workspaces/:id/invitations/:invitation_id/resend',
        'PATCH /api/workspaces/:id/members/:user_id',
        'DELETE /api/workspaces/:id/members/:user_id',
        'PATCH /api/workspaces/:id/policy',
        'GET /api/workspaces/:id/audit',
        'GET /api/workspaces/:id/audit/csv',
        'POST /api/v1/keys/create',
        'POST /api/v1/keys/:id/rotate',
        'POST /api/workspaces/:id/api-keys',
        'POST /api/workspaces/:id/api-keys/:key_id/rotate',
        'POST /api/v1/webhooks',
        'PATCH /api/v1/webhooks/:id',
        'POST /api/v1/webhooks/:id/rotate',
      ]),
    );
    for (const name of guarded) {
      const [method = '', path = ''] = name.split(' ');
      await refused(method, path.replace(/:\w+/g, user.id));
    }
    expect((await steno.call('GET', '/api/sessions', { key })).status).toBe(200);
  });

  test('its session reads no audit log, and makes and rotates neither keys nor webhooks', async () => {
    const { user, email, password } = await withPassword();
    const workspace = await steno.workspaces.create({ userId: user.id }, { name: 'Team' });
    const own = await steno.keys.issue(operator, personalKeysOf(user.id), { name: 'own' });
    const shared = await steno.keys.issue(operator, workspaceKeysOf(workspace.id), { name: 'shared' });
    const key = (await enter(email, password)).body.token;
    const hook = { url: 'https://example.org/hook', events: ['note.created'] };
    const named = { name: 'mine' };
    for (const [method, path, body] of [
      ['GET', `/api/workspaces/${workspace.id}/audit`],
      ['GET', `/api/workspaces/${workspace.id}/audit/csv`],
      ['POST', '/keys/create', named],
      ['POST', `/keys/${own.id}/rotate`, {}],
      ['POST', `/api/workspaces/${workspace.id}/api-keys`, { ...named, scopes: ['workspace:*'] }],
      ['POST', `/api/workspaces/${workspace.id}/api-keys/${shared.id}/rotate`, {}],
      ['POST', '/webhooks', hook],
    ] as const) {
      const answer = await steno.call(method, path, { key, ...(body && { body }) });
      expect([path, answer.status, answer.body.error.message]).toEqual([
        path,
        403,
        'An app password is not enough for this; sign in to the console.',
      ]);
    }
    for (const path of ['/keys/list', `/api/workspaces/${workspace.id}/api-keys`, '/webhooks'])
      expect((await steno.call('GET', path, { key })).status).toBe(200);
    expect(await works(own.key)).toBe(200);
  });

  test('only a session makes, lists and revokes them, from pages of this server', async () => {
    const { cookie, id } = await withPassword();
    const key = (await steno.person()).key;
    expect((await steno.call('GET', '/api/app-passwords')).status).toBe(401);
    expect((await make(key)).status).toBe(403);
    const headers = { cookie, origin: 'https://evil.example' };
    const forged = await steno.call('POST', '/api/app-passwords', { headers, body: { name: 'x' } });
    const deleted = await steno.call('DELETE', `/api/app-passwords/${id}`, { headers });
    expect([forged.status, deleted.status]).toEqual([403, 403]);
    const elsewhere = await enter('a@example.org', 'x', headers);
    expect(elsewhere).toMatchObject({ status: 403, body: { code: 'INVALID_ORIGIN' } });
  });

  test('a request that is sent again makes one; there are at most 20; an account needs an address', async () => {
    const { token } = await signedIn();
    const again = { 'idempotency-key': 'first' };
    const [one, two] = [await make(token, 'a', again), await make(token, 'a', again)];
    expect(one.status).toBe(201);
    expect(two.body).toEqual(one.body);
    for (let made = 1; made < 20; made += 1) await make(token);
    expect((await make(token)).body.error.code).toBe('limit_reached');
    expect(await list(token)).toHaveLength(20);
    expect((await make(token, ' ')).status).toBe(400);
    const nameless = await steno.signIn((await steno.person()).user);
    expect((await make(nameless.token)).body.error.code).toBe('conflict');
  });

  test('a suspended account stays out, and its sessions stop', async () => {
    const { user, email, password } = await withPassword();
    const key = (await enter(email, password)).body.token;
    await steno.store.people.setSuspended(user.id, new Date(now).toISOString());
    expect(await works(key)).toBe(401);
    expect(await enter(email, password)).toMatchObject({ status: 403, body: { code: 'ACCOUNT_SUSPENDED' } });
  });

  test('the audit log tells who made, used and revoked one, and never the password', async () => {
    const { user, email, token, id, password } = await withPassword();
    await enter(email, password);
    await enter(email, 'guess');
    await steno.call('DELETE', `/api/app-passwords/${id}`, { key: token });
    await steno.users.setOperator(user.id, true);
    const { text, body } = await steno.call('GET', `/api/audit?actor_id=${user.id}`, { key: token });
    expect(body.data.map(({ act }: { act: string }) => act)).toEqual(
      expect.arrayContaining(['app_password.created', 'sign_in', 'app_password.revoked']),
    );
    expect(text).toContain('app password');
    const refused = await steno.call('GET', '/api/audit?act=sign_in.refused', { key: token });
    expect(refused.body.data.length).toBeGreaterThan(0);
    for (const secret of [password, hashAppPassword(password)]) expect(text).not.toContain(secret);
  });
});

test('guesses are slowed by network and by account, and the right password never waits', async () => {
  const now = Date.now();
  const config = { authFailuresPerMinute: 3, trustedProxies: ['127.0.0.1'] };
  const steno = await startSteno({ clock: () => now, config });
  try {
    const user = await steno.users.add({ name: 'Ada', email: 'ada@example.org' });
    const { token: key } = await steno.signIn(user);
    const made = await steno.call('POST', '/api/app-passwords', { key, body: { name: 'x' } });
    const enter = async (password: string, from: string, email = 'ada@example.org') => {
      const headers = { 'x-forwarded-for': from };
      return steno.call('POST', '/api/auth/sign-in/email', { body: { email, password }, headers });
    };
    const guesses = async (from: (at: number) => string, email: (at: number) => string) => {
      const statuses = [];
      for (let at = 0; at < 4; at += 1) statuses.push((await enter('guess', from(at), email(at))).status);
      return statuses;
    };
    // From everywhere at one account, then from one place at many.
    expect(
      await guesses(
        (at) => `192.0.2.${at}`,
        () => 'ada@example.org',
      ),
    ).toEqual([401, 401, 401, 429]);
    expect(
      await guesses(
        () => '198.51.100.1',
        (at) => `a${at}@example.org`,
      ),
    ).toEqual([401, 401, 401, 429]);
    expect((await enter(made.body.data.password, '198.51.100.1')).status).toBe(200);
  } finally {
    await steno.close();
  }
});

test('where only the provider signs people in, none is made or taken', async () => {
  const steno = await startSteno({ config: { providerOnly: true } });
  try {
    const user = await steno.users.add({ name: 'Ada', email: 'ada@example.org' });
    const { token: key } = await steno.signIn(user);
    expect((await steno.call('POST', '/api/app-passwords', { key, body: { name: 'x' } })).status).toBe(403);
    const body = { email: 'ada@example.org', password: 'x' };
    expect(await steno.call('POST', '/api/auth/sign-in/email', { body })).toMatchObject({
      status: 403,
      body: { code: 'PROVIDER_ONLY' },
    });
  } finally {
    await steno.close();
  }
});
