import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const dayMs = 86_400_000;
const record = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  name: 'Laptop',
  key_prefix: expect.stringMatching(/^owk_live_[\w-]{7}$/),
  scopes: ['notes:read', 'notes:write', 'transcriptions:read', 'usage:read'],
  last_used_at: null,
  last_used_route: null,
  allowed_addresses: null,
  expires_at: null,
  created_at: expect.any(String),
};

describe.each(anyDatabase)('keys on %s', (databaseKind) => {
  let now = Date.UTC(2030, 0, 31, 23, 59, 59);
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());

  /** Someone signed in, without a key. */
  async function newcomer() {
    const user = await steno.users.add({ name: 'Ada', email: null, plan: 'business' });
    const { token } = await steno.signIn(user);
    return { user, token };
  }
  const create = (key: string, body: unknown = { name: 'Laptop' }) =>
    steno.call('POST', '/keys/create', { key, body });
  const list = async (key: string) => (await steno.call('GET', '/keys/list', { key })).body.data.keys;
  const works = async (key: string) => (await steno.call('GET', '/me', { key })).status === 200;

  test('a key is shown once, works, and is listed without its secret', async () => {
    const { token, user } = await newcomer();
    const created = await create(token);
    expect(created.status).toBe(201);
    const { key, ...shown } = created.body.data;
    expect(shown).toEqual(record);
    expect(key).toMatch(/^owk_live_[\w-]{43}$/);
    expect(await list(token)).toEqual([shown]);
    const me = await steno.call('GET', '/me', { key });
    expect(me.body.data).toMatchObject({
      user_id: user.id,
      scopes: record.scopes,
      key: { id: shown.id, name: 'Laptop', kind: 'personal' },
    });
  });

  test('a key has the scopes and the end it was asked for', async () => {
    const { token } = await newcomer();
    const created = await create(token, {
      name: ' CI ',
      scopes: ['notes:read', 'notes:read', 'snippets:write'],
      expires_in_days: 7,
    });
    expect(created.body.data).toMatchObject({
      name: 'CI',
      scopes: ['notes:read', 'snippets:write'],
      expires_at: new Date(now + 7 * dayMs).toISOString(),
    });
  });

  test.each([
    {},
    { name: '' },
    { name: '   ' },
    { name: 'x'.repeat(101) },
    { name: 7 },
    { name: 'bad\u0000name' },
    { name: 'a', scopes: [] },
    { name: 'a', scopes: ['notes:everything'] },
    { name: 'a', scopes: ['workspace:*'] },
    { name: 'a', scopes: 'notes:read' },
    { name: 'a', expires_in_days: 0 },
    { name: 'a', expires_in_days: -1 },
    { name: 'a', expires_in_days: 1.5 },
    { name: 'a', expires_in_days: 1e12 },
    { name: 'a', expires_in_days: '7' },
    [],
    null,
  ])('%j makes no key: 400', async (body) => {
    const { token } = await newcomer();
    const answer = await steno.call('POST', '/keys/create', {
      key: token,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect(await list(token)).toEqual([]);
  });

  test('revoking needs no body, works at once, twice, and only on own keys', async () => {
    const { token } = await newcomer();
    const stranger = await newcomer();
    const { id, key } = (await create(token)).body.data;
    expect(await works(key)).toBe(true);
    const revoke = (as: string, keyId: string) => steno.call('POST', `/keys/${keyId}/revoke`, { key: as });

    const foreign = await revoke(stranger.token, id);
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found']);
    expect((await revoke(token, 'no-uuid')).status).toBe(404);
    expect(await works(key)).toBe(true);

    const revoked = await revoke(token, id.toUpperCase());
    expect(revoked.status).toBe(200);
    expect(revoked.body).toEqual({ data: { revoked: true }, message: expect.any(String) });
    expect((await revoke(token, id)).body).toEqual(revoked.body);
    expect(await works(key)).toBe(false);
    expect(await list(token)).toEqual([]);
  });

  test('keys do not open the key routes', async () => {
    const { key, keyId } = await steno.person();
    const team = await steno.team();
    for (const credential of [key, team.key]) {
      const answers = [
        await create(credential),
        await steno.call('GET', '/keys/list', { key: credential }),
        await steno.call('POST', `/keys/${keyId}/revoke`, { key: credential }),
      ];
      for (const { status, body } of answers) expect([status, body.error.code]).toEqual([403, 'forbidden']);
    }
    expect(await works(key)).toBe(true);
  });

  test('workspace keys of the same person are not listed and not revoked here', async () => {
    const { user, keyId } = await steno.team();
    const { token } = await steno.signIn(user);
    expect(await list(token)).toEqual([]);
    expect((await steno.call('POST', `/keys/${keyId}/revoke`, { key: token })).status).toBe(404);
  });

  test('five keys may be active, however many are asked for at once', async () => {
    const { token } = await newcomer();
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(token)));
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(5);
    for (const { status, body } of answers)
      if (status !== 201) expect([status, body.error.code]).toEqual([400, 'limit_reached']);
    expect(await list(token)).toHaveLength(5);

    const [first] = created;
    await steno.call('POST', `/keys/${first?.body.data.id}/revoke`, { key: token });
    const again = await Promise.all(Array.from({ length: 3 }, () => create(token)));
    expect(again.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test('an expired key makes room and stays dead, even when the clock is set back', async () => {
    const { token } = await newcomer();
    const short = (await create(token, { name: 'short', expires_in_days: 1 })).body.data.key;
    for (let count = 0; count < 4; count += 1) await create(token);
    expect((await create(token)).status).toBe(400);
    expect(await works(short)).toBe(true);
    now += dayMs;
    expect(await works(short)).toBe(false);
    expect((await create(token)).status).toBe(201);
    now -= dayMs;
    expect(await works(short)).toBe(false);
    expect(await list(token)).toHaveLength(5);
  });

  test('whatever is created, revoked, expired, used and whenever: at most five work, and no dead one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { user, token } = await newcomer();
        await runModel(steps, { session: token, resume: async () => (await steno.signIn(user)).token });
      }),
      { numRuns: 15 },
    );
  });

  interface ModelKey {
    id: string;
    secret: string;
    expiresAt: number;
    dead: boolean;
  }

  async function runModel(
    steps: Step[],
    start: { session: string; resume(): Promise<string> },
  ): Promise<void> {
    const keys: ModelKey[] = [];
    let { session } = start;
    const alive = ({ dead, expiresAt }: ModelKey) => !dead && expiresAt > now;
    for (const next of steps) {
      if (next.kind === 'create') {
        for (const key of keys) if (key.expiresAt <= now) key.dead = true;
        const room = keys.filter(alive).length < 5;
        const days = next.days === 0 ? {} : { expires_in_days: next.days };
        const answer = await create(session, { name: 'model', ...days });
        expect(answer.status).toBe(room ? 201 : 400);
        if (!room) continue;
        const { id, key } = answer.body.data;
        const expiresAt = next.days === 0 ? Number.POSITIVE_INFINITY : now + next.days * dayMs;
        keys.push({ id, secret: key, expiresAt, dead: false });
      } else if (next.kind === 'revoke') {
        const key = keys[next.which % Math.max(1, keys.length)];
        if (!key) continue;
        expect((await steno.call('POST', `/keys/${key.id}/revoke`, { key: session })).status).toBe(200);
        key.dead = true;
      } else if (next.kind === 'use') {
        const key = keys[next.which % Math.max(1, keys.length)];
        if (key) expect(await works(key.secret)).toBe(alive(key));
      } else {
        now += next.ms;
        session = await start.resume();
      }
    }
    const working = await Promise.all(keys.map(({ secret }) => works(secret)));
    expect(working).toEqual(keys.map(alive));
    expect(working.filter(Boolean).length).toBeLessThanOrEqual(5);
    const listed = (await list(session)).map(({ id }: { id: string }) => id).sort();
    expect(listed).toEqual(
      keys
        .filter(alive)
        .map(({ id }) => id)
        .sort(),
    );
  }
});

type Step =
  | { kind: 'create'; days: number }
  | { kind: 'revoke'; which: number }
  | { kind: 'use'; which: number }
  | { kind: 'clock'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('create' as const), days: fc.integer({ min: 0, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('revoke' as const), which: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('use' as const), which: fc.nat(20) }) },
  // Back as well as forth: a key that has expired must not come back to life beside its successor.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      ms: fc.oneof(
        fc.integer({ min: -3, max: 3 }).map((days) => days * dayMs),
        fc.integer({ min: -2 * dayMs, max: 2 * dayMs }),
      ),
    }),
  },
);
