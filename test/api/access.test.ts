import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { chosenScopes, workspaceScopes } from '../../src/domain/scopes.ts';
import { openMailbox } from '../support/mailbox.ts';
import { fill, operations } from '../support/operations.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const dayMs = 86_400_000;
const someId = '0198c0de-0000-7000-8000-000000000000';
const agentRoutes = ['POST /api/v1/keys/create', 'GET /api/v1/keys/list', 'POST /api/v1/keys/{id}/revoke'];
const withCredential = operations.filter((operation) => operation.needsCredential);

let mailbox: Awaited<ReturnType<typeof openMailbox>>;
beforeAll(async () => {
  mailbox = await openMailbox();
});
afterAll(() => mailbox.close());

describe.each(anyDatabase)('who may call what, on %s', (databaseKind) => {
  let steno: TestSteno;
  let now = Date.UTC(2026, 0, 15, 12);
  let person: Awaited<ReturnType<TestSteno['person']>>;
  let team: Awaited<ReturnType<TestSteno['team']>>;
  let agent: string;
  const badHeaders: Record<string, string | undefined> = {};
  const withoutScope = new Map<string, string>();

  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, config: { smtpUrl: mailbox.url } });
    const expiredAgent = await agentToken('early@example.org');
    expect((await steno.call('GET', '/keys/list', { key: expiredAgent })).status).toBe(200);
    const expiring = await steno.person();
    const { key: expired } = await steno.keys.issue(operator, personalKeysOf(expiring.user.id), {
      name: 'short',
      scopes: chosenScopes,
      expires_in_days: 1,
    });
    // It works first, so that a cached principal is what expires.
    expect((await steno.call('GET', '/me', { key: expired })).status).toBe(200);
    now += 2 * dayMs;
    const revoked = await steno.person();
    expect((await steno.call('GET', '/me', { key: revoked.key })).status).toBe(200);
    await steno.keys.revoke(operator, personalKeysOf(revoked.user.id), revoked.keyId);

    const { token: signedOut } = await steno.signIn((await steno.person()).user);
    expect((await steno.call('DELETE', '/api/sessions', { key: signedOut })).status).toBe(204);

    agent = await agentToken('agent@example.org');
    person = await steno.person({ scopes: chosenScopes });
    team = await steno.team();
    Object.assign(badHeaders, {
      'no header': undefined,
      'an empty header': '',
      'no scheme': person.key,
      'another scheme': `Basic ${person.key}`,
      'no key': 'Bearer ',
      'a malformed key': 'Bearer owk_live_short',
      'a key with something behind it': `Bearer ${person.key} x`,
      'an unknown personal key': `Bearer owk_live_${'A'.repeat(43)}`,
      'an unknown workspace key': `Bearer ow_wks_live_${'A'.repeat(43)}`,
      'a key in other letters': `Bearer ${person.key.toUpperCase()}`,
      'a made-up agent token': `Bearer owt_${'A'.repeat(43)}`,
      'an expired agent token': `Bearer ${expiredAgent}`,
      'a made-up session': `Bearer ${'A'.repeat(32)}`,
      'a session that signed out': `Bearer ${signedOut}`,
      'an expired key': `Bearer ${expired}`,
      'a revoked key': `Bearer ${revoked.key}`,
    });
    for (const scope of chosenScopes) {
      const scopes = chosenScopes.filter((other) => other !== scope);
      withoutScope.set(scope, (await steno.person({ scopes })).key);
    }
    for (const scope of workspaceScopes) {
      const scopes = workspaceScopes.filter((other) => other !== scope);
      withoutScope.set(scope, (await steno.team({ scopes })).key);
    }
    withoutScope.set('any content scope', (await steno.team({ scopes: [] })).key);
  });
  afterAll(() => steno.close());

  async function agentToken(email: string): Promise<string> {
    await steno.users.add({ name: 'Agent', email, plan: 'business' });
    expect((await steno.call('POST', '/auth/email-code', { body: { email } })).status).toBe(200);
    await steno.outbox.idle();
    const body = { email, code: mailbox.codeFor(email) };
    return (await steno.call('POST', '/auth/email-code/verify', { body })).body.data.token;
  }

  test('there are operations to look at', () => {
    expect(withCredential.length).toBeGreaterThanOrEqual(10);
  });

  test.each(withCredential)('$name refuses every credential that does not work, all alike', async (route) => {
    const answers = new Set<string>();
    for (const [name, authorization] of Object.entries(badHeaders)) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const answer = await steno.call(route.method, fill(route.path, [someId, someId]), { headers });
      expect([name, answer.status, answer.body?.error?.code]).toEqual([name, 401, 'invalid_api_key']);
      expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
      answers.add(answer.text);
    }
    expect(answers.size).toBe(1);
  });

  test.each(withCredential)('$name asks for the right kind of key', async (route) => {
    const kinds = [
      { kind: 'personal', needed: route.personal, key: person.key },
      { kind: 'workspace', needed: route.workspace, key: team.key },
    ];
    for (const { kind, needed, key } of kinds) {
      const answer = await steno.call(route.method, fill(route.path, [someId, someId]), { key });
      const refused = answer.status === 403 && answer.body.error.code === 'forbidden';
      expect([kind, refused]).toEqual([kind, needed === undefined]);
      expect([kind, answer.status]).not.toEqual([kind, 401]);
      expect(answer.headers['x-ratelimit-limit']).toBeDefined();
    }
  });

  test.each(withCredential)(
    '$name takes a session unless only workspaces have such things',
    async (route) => {
      const onlyWorkspaces = route.workspace !== undefined && route.personal === undefined;
      expect(route.session).toBe(!onlyWorkspaces);
      // One for each route: there are routes that end it.
      const { token } = await steno.signIn(person.user);
      const answer = await steno.call(route.method, fill(route.path, [someId, someId]), { key: token });
      const refused = answer.status === 403 && answer.body.error.code === 'forbidden';
      expect(refused).toBe(onlyWorkspaces || route.operator);
      expect(answer.status).not.toBe(401);
      expect(answer.headers['x-ratelimit-limit']).toBeDefined();
    },
  );

  test.each(withCredential.filter((route) => route.operator))(
    '$name is for operators, whose right is gone with the next call',
    async (route) => {
      const { user } = await steno.person();
      await steno.users.setOperator(user.id, true);
      const { token } = await steno.signIn(user);
      const path = fill(route.path, [someId, someId]);
      const open = await steno.call(route.method, path, { key: token });
      expect([401, 403]).not.toContain(open.status);
      await steno.users.setOperator(user.id, false);
      const closed = await steno.call(route.method, path, { key: token });
      expect([closed.status, closed.body.error.message]).toEqual([
        403,
        'This call is for operators of the server.',
      ]);
    },
  );

  test.each(withCredential)('$name: an agent token is for the three key routes alone', async (route) => {
    const isMeant = agentRoutes.includes(route.name);
    expect(route.agent).toBe(isMeant);
    const answer = await steno.call(route.method, fill(route.path, [someId, someId]), { key: agent });
    if (isMeant) expect([401, 403]).not.toContain(answer.status);
    else expect([answer.status, answer.body?.error?.code]).toEqual([401, 'invalid_api_key']);
  });

  test('no other route of the server, described or hidden, takes an agent token', async () => {
    const meant: string[] = [];
    for (const { method, url, config } of steno.routes) {
      if (config?.access?.credential === 'none') continue;
      for (const name of [method].flat()) {
        const path = url.replace(/:\w+/g, someId);
        const headers = { authorization: `Bearer ${agent}` };
        const { statusCode } = await steno.app.inject({ method: name as 'GET', url: path, headers });
        if (statusCode !== 401) meant.push(`${name} ${url.replace(/:(\w+)/g, '{$1}')}`);
      }
    }
    expect(meant.filter((name) => !name.startsWith('HEAD ')).sort()).toEqual([...agentRoutes].sort());
  });

  test.each(withCredential)('$name refuses a key that lacks the scope, and names it', async (route) => {
    for (const needed of [route.personal, route.workspace]) {
      if (typeof needed !== 'string') continue;
      const key = withoutScope.get(needed) ?? expect.fail(`The scope ${needed} is in no table of scopes.ts.`);
      const answer = await steno.call(route.method, fill(route.path, [someId, someId]), { key });
      expect([answer.status, answer.body?.error?.code]).toEqual([403, 'forbidden']);
      expect(answer.body.error.message).toContain(needed);
    }
  });

  test.each(withCredential.filter(({ method }) => method === 'GET'))(
    'HEAD works where $name does',
    async (route) => {
      const path = fill(route.path, [someId, someId]);
      const key = route.personal === undefined ? team.key : person.key;
      const [got, head] = [await steno.call('GET', path, { key }), await steno.call('HEAD', path, { key })];
      expect([head.status, head.text]).toEqual([got.status, '']);
      expect(head.headers['content-type']).toBe(got.headers['content-type']);
      expect((await steno.call('HEAD', path)).status).toBe(401);
    },
  );

  test.each(['bearer', 'BEARER', 'Bearer '])('the scheme may be written %s', async (scheme) => {
    const answer = await steno.call('GET', '/me', { headers: { authorization: `${scheme} ${person.key}` } });
    expect(answer.status).toBe(200);
  });

  test('/me tells a personal key what it is', async () => {
    expect((await steno.call('GET', '/me', { key: person.key })).body.data).toEqual({
      scopes: [...chosenScopes],
      expires_at: null,
      user_id: person.user.id,
      plan: 'business',
      operator: false,
      key: { id: person.keyId, name: 'test', kind: 'personal' },
      speech: expect.any(Object),
      language_model: false,
    });
  });

  test('/me tells every kind of credential which speech it may send', async () => {
    const free = await steno.person({ plan: 'free' });
    for (const [key, storageBytes, refused] of [
      [person.key, 200_000_000_000, null],
      [free.key, 2_000_000_000, 'plan_required'],
      [team.key, 200_000_000_000, 'forbidden'],
    ] as const)
      expect((await steno.call('GET', '/me', { key })).body.data.speech).toEqual({
        model: 'fake',
        languages: ['en'],
        formats: ['wav', 'mp3', 'm4a', 'mp4', 'ogg', 'flac', 'webm', 'aac', 'aiff', 'caf'],
        max_upload_bytes: 4_194_304,
        recording_max_bytes: 2_000_000_000,
        storage_bytes: storageBytes,
        recording_max_minutes: 600,
        refused,
      });
  });

  test('/me spells the wildcard of a workspace key out', async () => {
    const { body } = await steno.call('GET', '/me', { key: team.key });
    expect(body.data.scopes).toEqual([...workspaceScopes]);
    expect(body.data.key).toEqual({ id: team.keyId, name: 'test', kind: 'workspace' });
  });

  test('a key is cut off the moment it is revoked, expires or its owner is removed', async () => {
    const guest = await steno.person();
    expect((await steno.call('GET', '/notes/list', { key: guest.key })).status).toBe(200);
    await steno.users.remove(guest.user.id);
    expect((await steno.call('GET', '/notes/list', { key: guest.key })).status).toBe(401);
  });

  test('a changed plan holds from the next call', async () => {
    const guest = await steno.person({ plan: 'free' });
    expect((await steno.call('GET', '/me', { key: guest.key })).body.data.plan).toBe('free');
    await steno.users.setPlan(guest.user.id, 'pro');
    const after = await steno.call('GET', '/me', { key: guest.key });
    expect([after.body.data.plan, after.headers['x-ratelimit-limit']]).toEqual(['pro', '120']);
  });
});
