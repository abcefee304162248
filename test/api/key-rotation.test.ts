import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const hourMs = 3_600_000;

describe.each(anyDatabase)('keys that change, on %s', (databaseKind) => {
  let steno: TestSteno;
  let now = Date.UTC(2030, 0, 1);
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, config: { trustedProxies: ['127.0.0.1'] } });
  });
  afterAll(() => steno.close());

  async function person() {
    const user = await steno.users.add({ name: 'Ada', email: null, plan: 'business' });
    const { token } = await steno.signIn(user);
    return token;
  }
  const create = async (token: string, fields = {}) =>
    (await steno.call('POST', '/keys/create', { key: token, body: { name: 'Laptop', ...fields } })).body.data;
  const rotate = (token: string, id: string, body?: object) =>
    steno.call('POST', `/keys/${id}/rotate`, { key: token, body });
  const works = async (key: string, headers = {}) =>
    (await steno.call('GET', '/me', { key, headers })).status;
  const list = async (token: string) =>
    (await steno.call('GET', '/keys/list', { key: token })).body.data.keys;

  test('a rotated key is the same key with another secret; the old one works until the grace period ends', async () => {
    const token = await person();
    const { key: old, ...record } = await create(token, { expires_in_days: 30 });
    expect(await works(old)).toBe(200);
    const { status, body } = await rotate(token, record.id, { grace_hours: 2 });
    const { key, old_key_expires_at, ...rotated } = body.data;
    expect([status, rotated]).toEqual([200, { ...record, key_prefix: key.slice(0, 16) }]);
    expect(old_key_expires_at).toBe(new Date(now + 2 * hourMs).toISOString());
    expect([await works(key), await works(old)]).toEqual([200, 200]);
    expect(await list(token)).toHaveLength(1);
    now += 2 * hourMs - 1;
    expect(await works(old)).toBe(200);
    now += 1;
    expect([await works(key), await works(old)]).toEqual([200, 401]);
  });

  test('without a grace period the old one stops at once, and a second rotation ends the first grace period', async () => {
    const token = await person();
    const { key: first, id } = await create(token);
    const second = (await rotate(token, id)).body.data.key;
    expect([await works(first), await works(second)]).toEqual([200, 200]);
    const third = (await rotate(token, id, { grace_hours: 0 })).body.data.key;
    expect([await works(first), await works(second), await works(third)]).toEqual([401, 401, 200]);
    await steno.call('POST', `/keys/${id}/revoke`, { key: token });
    expect(await works(third)).toBe(401);
    expect((await rotate(token, id)).status).toBe(404);
  });

  test('an old secret does not outlive the expiry of its key', async () => {
    const token = await person();
    const { key, id } = await create(token, { expires_in_days: 1 });
    now += 23 * hourMs;
    await rotate(token, id);
    now += hourMs;
    expect(await works(key)).toBe(401);
  });

  test('the grace period is at most a day, and the key of another is not found', async () => {
    const [token, other] = [await person(), await person()];
    const { id, key } = await create(token);
    for (const grace_hours of [25, -1, 0.5, 'x'])
      expect((await rotate(token, id, { grace_hours })).status).toBe(400);
    expect((await rotate(other, id)).status).toBe(404);
    expect((await rotate(key, id)).status).toBe(403);
    expect(await works(key)).toBe(200);
  });

  test('a key that was revoked or has expired stays so: it is not rotated', async () => {
    const token = await person();
    const [revoked, expired] = [await create(token), await create(token, { expires_in_days: 1 })];
    await steno.call('POST', `/keys/${revoked.id}/revoke`, { key: token });
    now += 24 * hourMs;
    for (const { id } of [revoked, expired]) expect((await rotate(token, id)).status).toBe(404);
  });

  test('a key with addresses works from there alone', async () => {
    const token = await person();
    const { key, allowed_addresses } = await create(token, {
      allowed_addresses: ['192.0.2.7', '2001:db8::/32'],
    });
    expect(allowed_addresses).toEqual(['192.0.2.7', '2001:db8::/32']);
    const from = (address: string) => works(key, { 'x-forwarded-for': address });
    expect(await from('192.0.2.7')).toBe(200);
    expect(await from('::ffff:192.0.2.7')).toBe(200);
    expect(await from('2001:db8:7::1')).toBe(200);
    for (const address of ['192.0.2.8', '2001:db9::1', '198.51.100.1']) expect(await from(address)).toBe(403);
    for (const wrong of [[], ['x'], ['192.0.2.0/33'], ['1.2.3'], Array(21).fill('192.0.2.7')]) {
      const body = { name: 'x', allowed_addresses: wrong };
      expect((await steno.call('POST', '/keys/create', { key: token, body })).status).toBe(400);
    }
  });

  test('the list says when and for what a key was last used', async () => {
    const token = await person();
    const { key } = await create(token);
    await steno.call('GET', '/notes/list', { key });
    await steno.authentication.saveLastUsed();
    expect(await list(token)).toMatchObject([
      { last_used_at: new Date(now).toISOString(), last_used_route: 'GET /api/v1/notes/list' },
    ]);
  });

  test('an admin rotates a key of the workspace', async () => {
    const team = await steno.team();
    const { token } = await steno.signIn(team.user);
    const path = `/api/workspaces/${team.workspace.id}/api-keys`;
    const [{ id }] = (await steno.call('GET', path, { key: token })).body.data;
    const { body } = await steno.call('POST', `${path}/${id}/rotate`, {
      key: token,
      body: { grace_hours: 0 },
    });
    expect([await works(body.data.key), await works(team.key)]).toEqual([200, 401]);
  });
});
