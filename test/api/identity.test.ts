import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { operator } from '../../src/domain/principal.ts';
import { chosenScopes } from '../../src/domain/scopes.ts';
import { sharedValue } from '../../src/platform/database/installation.ts';
import { asOperator } from '../support/identity.ts';
import { capturedLog } from '../support/log.ts';
import { anyDatabase, emptyDatabase, silentLog, startSteno, type TestSteno } from '../support/steno.ts';

const own = 'http://localhost';
const minuteMs = 60_000;

describe.each(anyDatabase)('sessions on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());

  test('a sign-in link opens a session that works as bearer token and as cookie', async () => {
    const { user } = await steno.person({ plan: 'pro' });
    const { token, cookie } = await steno.signIn(user);
    const me = await steno.call('GET', '/me', { key: token });
    expect(me.body.data).toEqual({
      scopes: [...chosenScopes],
      expires_at: expect.any(String),
      user_id: user.id,
      language_model: false,
      operator: false,
      plan: 'pro',
      key: null,
      speech: expect.any(Object),
    });
    expect((await steno.call('GET', '/me', { headers: { cookie } })).body).toEqual(me.body);
    const bare = token.split('.')[0] ?? '';
    expect((await steno.call('GET', '/me', { key: bare })).status).toBe(200);
    const known = await steno.call('GET', '/api/auth/get-session', { headers: { cookie } });
    expect(known.body.user.id).toBe(user.id);
  });

  test('a session writes and reads its own notes, the same that its key sees', async () => {
    const { user, key } = await steno.person();
    const { token } = await steno.signIn(user);
    const created = await steno.call('POST', '/notes/create', { key: token, body: { content: 'mine' } });
    expect(created.status).toBe(201);
    const seen = await steno.call('GET', `/notes/${created.body.data.id}`, { key });
    expect(seen.body.data.content).toBe('mine');
    const unknown = await steno.call('GET', '/notes/list?space_id=00000000-0000-7000-8000-000000000000', {
      key: token,
    });
    expect(unknown.status).toBe(404);
  });

  test('a session obeys the policy of the workspace that manages its person', async () => {
    const { user } = await steno.person();
    const { workspace } = await steno.team();
    const { token } = await steno.signIn(user);
    await steno.members.add(operator, workspace.id, { user_id: user.id, role: 'member' });
    const learn = () => steno.call('POST', '/dictionary/create', { key: token, body: { word: 'Steno' } });
    expect((await learn()).status).toBe(201);
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    await steno.members.update(operator, workspace.id, user.id, { managed: true });
    const blocked = await learn();
    expect([blocked.status, blocked.body.error.code]).toEqual([403, 'forbidden']);
    await steno.members.remove(operator, workspace.id, user.id, { revokeKeys: false });
    expect((await learn()).status).toBe(201);
  });

  test('a session is no workspace key', async () => {
    const { user } = await steno.person();
    const { token } = await steno.signIn(user);
    const answer = await steno.call('GET', '/spaces/list', { key: token });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden']);
  });

  test('all sessions of a person share one rate limit, apart from their keys', async () => {
    const { user, key } = await steno.person();
    const first = await steno.signIn(user);
    const second = await steno.signIn(user);
    const before = await steno.call('GET', '/me', { key: first.token });
    const after = await steno.call('GET', '/me', { key: second.token });
    const remaining = (answer: typeof after) => Number(answer.headers['x-ratelimit-remaining']);
    expect(remaining(after)).toBe(remaining(before) - 1);
    expect(remaining(await steno.call('GET', '/me', { key }))).toBe(remaining(before));
  });

  test('a link works once, for 15 minutes, and a wrong one says so', async () => {
    const { user } = await steno.person();
    const { path, expires_at } = await steno.sessions.createSignInLink(user.id);
    expect(Date.parse(expires_at)).toBe(now + 15 * minuteMs);
    const opened = await steno.followLink(path);
    expect([opened.status, opened.headers.location]).toEqual([303, '/']);
    expect(opened.headers['cache-control']).toBe('no-store');
    expect((await steno.call('GET', path)).status).toBe(401);

    const late = await steno.sessions.createSignInLink(user.id);
    now += 15 * minuteMs;
    expect((await steno.call('GET', late.path)).status).toBe(401);
    expect((await steno.call('GET', '/api/auth/sign-in/link?token=guess')).status).toBe(401);
    expect((await steno.call('GET', '/api/auth/sign-in/link')).status).toBe(400);
    await expect(steno.sessions.createSignInLink('nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a link opened twice at once signs in once', async () => {
    const { user } = await steno.person();
    const { path } = await steno.sessions.createSignInLink(user.id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => steno.followLink(path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401, 401, 401]);
  });

  test('sign-ins and notes written at the same time all arrive', async () => {
    const { user, key } = await steno.person();
    const links = await Promise.all(
      Array.from({ length: 8 }, () => steno.sessions.createSignInLink(user.id)),
    );
    const answers = await Promise.all(
      links.flatMap(({ path }) => [
        steno.followLink(path),
        steno.call('POST', '/notes/create', { key, body: { content: 'at once' } }),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual(links.flatMap(() => [303, 201]));
    expect((await steno.call('GET', '/notes/list', { key })).body.data).toHaveLength(8);
    const { token } = await steno.signIn(user);
    expect((await steno.call('GET', '/api/sessions', { key: token })).body.data).toHaveLength(9);
  });

  test('sessions are listed to their owner, without a secret, and revoked one by one', async () => {
    const { user } = await steno.person();
    const stranger = await steno.signIn((await steno.person()).user);
    const laptop = await steno.signIn(user);
    now += 1;
    const phone = await steno.signIn(user);
    const listed = await steno.call('GET', '/api/sessions', { key: phone.token });
    expect(listed.body.data.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
    expect(listed.text).not.toContain(phone.token.split('.')[0]);
    const laptopId = listed.body.data[1].id;

    expect((await steno.call('DELETE', `/api/sessions/${laptopId}`, { key: stranger.token })).status).toBe(
      404,
    );
    expect((await steno.call('GET', '/me', { key: laptop.token })).status).toBe(200);
    expect((await steno.call('DELETE', `/api/sessions/${laptopId}`, { key: phone.token })).status).toBe(204);
    expect((await steno.call('GET', '/me', { key: laptop.token })).status).toBe(401);
    expect((await steno.call('DELETE', `/api/sessions/${laptopId}`, { key: phone.token })).status).toBe(404);
    expect((await steno.call('GET', '/me', { key: phone.token })).status).toBe(200);
  });

  test('signing out everywhere ends every session of that person and nobody else', async () => {
    const { user, key } = await steno.person();
    const stranger = await steno.signIn((await steno.person()).user);
    const sessions = [await steno.signIn(user), await steno.signIn(user)];
    expect((await steno.call('DELETE', '/api/sessions', { key: sessions[0]?.token ?? '' })).status).toBe(204);
    for (const { token } of sessions)
      expect((await steno.call('GET', '/me', { key: token })).status).toBe(401);
    expect((await steno.call('GET', '/me', { key: stranger.token })).status).toBe(200);
    expect((await steno.call('GET', '/me', { key })).status).toBe(200);
  });

  test('signing out ends this session; it needs our own origin with a cookie', async () => {
    const { user } = await steno.person();
    const { token, cookie } = await steno.signIn(user);
    const forged = await steno.call('POST', '/api/auth/sign-out', {
      headers: { cookie, origin: 'https://evil.example' },
    });
    expect(forged.status).toBe(403);
    expect((await steno.call('GET', '/me', { key: token })).status).toBe(200);
    const out = await steno.call('POST', '/api/auth/sign-out', { headers: { cookie, origin: own } });
    expect(out.status).toBe(200);
    expect((await steno.call('GET', '/me', { key: token })).status).toBe(401);
  });

  test('a session ends after 30 days', async () => {
    const { user } = await steno.person();
    const { token } = await steno.signIn(user);
    now += 30 * 86_400_000 - 1;
    expect((await steno.call('GET', '/me', { key: token })).status).toBe(200);
    now += 1;
    expect((await steno.call('GET', '/me', { key: token })).status).toBe(401);
  });

  test("a removed person's sessions, links and keys die at once", async () => {
    const { user, key } = await steno.person();
    const { token, cookie } = await steno.signIn(user);
    const { path } = await steno.sessions.createSignInLink(user.id);
    expect((await steno.call('GET', '/me', { key })).status).toBe(200);
    await steno.users.remove(user.id);
    expect((await steno.call('GET', '/me', { key })).status).toBe(401);
    expect((await steno.call('GET', '/me', { key: token })).status).toBe(401);
    expect((await steno.call('GET', '/me', { headers: { cookie } })).status).toBe(401);
    expect((await steno.call('GET', path)).status).toBe(401);
  });

  test('a cookie changes nothing for a page of another origin; a bearer token needs none', async () => {
    const { user } = await steno.person();
    const { token, cookie } = await steno.signIn(user);
    const create = (headers: Record<string, string | undefined>) =>
      steno.call('POST', '/notes/create', { body: { content: 'x' }, headers });
    expect((await create({ cookie, origin: undefined })).body.error.code).toBe('forbidden');
    expect((await create({ cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await create({ cookie, origin: 'null' })).status).toBe(403);
    expect((await create({ cookie, origin: own })).status).toBe(201);
    expect((await create({ authorization: `Bearer ${token}` })).status).toBe(201);
    expect((await steno.call('GET', '/notes/list', { headers: { cookie } })).body.data).toHaveLength(2);
  });

  test('a credential in the header counts, not the cookie beside it', async () => {
    const { user } = await steno.person();
    const { cookie } = await steno.signIn(user);
    const answer = await steno.call('GET', '/me', { headers: { cookie, authorization: 'Bearer nonsense' } });
    expect(answer.status).toBe(401);
  });

  test('tokens are stored only as hashes', async () => {
    const { user } = await steno.person();
    const { token } = await steno.signIn(user);
    const rows = await steno.database.db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', user.id)
      .execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token.split('.')[0]);
  });

  test('only the doors that people use are open', async () => {
    const { user } = await steno.person();
    const { token } = await steno.signIn(user);
    const closed = [
      ['GET', '/api/auth/list-sessions'],
      ['POST', '/api/auth/update-user'],
      ['POST', '/api/auth/sign-up/email'],
      ['POST', '/api/auth/delete-user'],
      ['POST', '/api/auth/email-otp/verify-email'],
      ['GET', '/api/auth/error'],
    ] as const;
    for (const [method, path] of closed) {
      const answer = await steno.call(method, path, { key: token, body: {} });
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, 'not_found']);
    }
    expect((await steno.call('DELETE', '/api/auth/sign-out')).status).toBe(405);
    expect((await steno.call('GET', '/api/auth/ok')).body).toEqual({ ok: true });
  });
});

describe('cookies', () => {
  const setCookie = async (steno: TestSteno, headers: Record<string, string> = {}) => {
    const { user } = await steno.person();
    const { path } = await steno.sessions.createSignInLink(user.id);
    return String((await steno.followLink(path, headers)).headers['set-cookie']);
  };

  test('are HttpOnly and SameSite=Lax, and not Secure where there is no TLS', async () => {
    const steno = await startSteno();
    const cookie = await setCookie(steno);
    expect(cookie).toMatch(/^steno\.session_token=/);
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Lax');
    expect(cookie).not.toContain('Secure');
    expect(await setCookie(steno, { 'x-forwarded-proto': 'https' })).not.toContain('Secure');
    await steno.close();
  });

  test('are Secure when the public address has TLS, and pages of that address may write', async () => {
    const steno = await startSteno({ config: { publicUrl: 'https://notes.example.org' } });
    expect(await setCookie(steno)).toMatch(/^__Secure-steno\.session_token=.*Secure/);
    const { user } = await steno.person();
    const { cookie } = await steno.signIn(user);
    const write = (origin: string) =>
      steno.call('POST', '/notes/create', { body: { content: 'x' }, headers: { cookie, origin } });
    expect((await write('https://notes.example.org')).status).toBe(201);
    expect((await write('https://notes.example.com')).status).toBe(403);
    const out = await steno.call('POST', '/api/auth/sign-out', {
      headers: { cookie, origin: 'https://notes.example.org' },
    });
    expect(out.status).toBe(200);
    expect((await steno.call('GET', '/me', { headers: { cookie } })).status).toBe(401);
    await steno.close();
  });

  test('are Secure when a trusted proxy says the caller came by TLS', async () => {
    const steno = await startSteno({ config: { trustedProxies: ['127.0.0.1'] } });
    expect(await setCookie(steno, { 'x-forwarded-proto': 'https' })).toContain('Secure');
    expect(await setCookie(steno)).not.toContain('Secure');
    await steno.close();
  });
});

describe.each(anyDatabase)('the secret of an installation on %s', (databaseKind) => {
  test('outlives a restart, so a mailed code stays good; a session needs no secret', async () => {
    const { config, dispose } = await emptyDatabase(databaseKind);
    const captured = capturedLog();
    const first = await compose(config, { log: captured.log });
    const email = 'ada@example.org';
    const user = await asOperator(first).users.add({ name: 'Ada', email, plan: 'free' });
    const { path } = await asOperator(first).sessions.createSignInLink(user.id);
    const page = await first.app.inject({ url: path });
    const headers = { cookie: String(page.headers['set-cookie']).split(';')[0] };
    const opened = await first.app.inject({ method: 'POST', url: path, headers });
    const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
    await first.app.inject({ method: 'POST', url: '/api/v1/auth/email-code', payload: { email } });
    await first.close();
    const code = /Your code is (\d{6})/.exec(captured.text())?.[1];

    const trySecret = async (authSecret: string) => {
      const server = await compose({ ...config, authSecret }, { log: silentLog });
      const url = '/api/auth/sign-in/email-otp';
      const entered = await server.app.inject({ method: 'POST', url, payload: { email, otp: code } });
      const known = await server.app.inject({ url: '/api/auth/get-session', headers: { cookie } });
      await server.close();
      return [entered.statusCode, known.json().user.id];
    };
    expect(await trySecret('another-secret-of-32-characters!!')).toEqual([400, user.id]);
    expect(await trySecret('')).toEqual([200, user.id]);
    await dispose();
  });

  test('is one, however many servers start at once', async () => {
    const { config, dispose } = await emptyDatabase(databaseKind);
    const servers = databaseKind === 'sqlite' ? 1 : 4;
    const started = await Promise.all(
      Array.from({ length: servers }, () => compose(config, { log: silentLog })),
    );
    const values = await Promise.all(
      started.map(({ database }) => sharedValue(database, 'auth_secret', 'not kept')),
    );
    expect(new Set(values).size).toBe(1);
    expect(values[0]).toMatch(/^[\w-]{43}$/);
    for (const server of started) await server.close();
    await dispose();
  });
});
