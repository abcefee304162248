import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

const dayMs = 86_400_000;

describe.each(databaseKinds)('a suspended account on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());

  async function suspendedPerson() {
    const { user } = await steno.person({ name: 'Sue' });
    const { token, cookie } = await steno.signIn(user);
    await steno.store.people.setSuspended(user.id, new Date(now).toISOString());
    // A session in use is extended once a day.
    now += 2 * dayMs;
    return { user, token, cookie };
  }
  const sessionsOf = (userId: string) =>
    steno.database.db
      .selectFrom('sessions')
      .select(['id', 'expires_at', 'updated_at'])
      .where('user_id', '=', userId)
      .execute();

  test('has no session, and the one that it had is not extended', async () => {
    const { user, token, cookie } = await suspendedPerson();
    const before = await sessionsOf(user.id);
    for (const headers of [{ cookie }, { authorization: `Bearer ${token}` }]) {
      const answer = await steno.call('GET', '/api/auth/get-session', { headers });
      expect([answer.status, answer.body]).toEqual([200, null]);
      expect(answer.headers['set-auth-token']).toBeUndefined();
    }
    expect(await sessionsOf(user.id)).toEqual(before);
  });

  test('gets nothing from any route of /api/auth but the way out', async () => {
    const { user, token } = await suspendedPerson();
    const before = await sessionsOf(user.id);
    const routes = steno.routes.flatMap(({ method, url }) =>
      [method]
        .flat()
        .filter((name) => name === 'GET' || name === 'POST')
        .map((name) => ({ name, url })),
    );
    const tried = routes.filter(
      ({ url }) => url.startsWith('/api/auth/') && !url.includes('*') && !url.endsWith('/sign-out'),
    );
    expect(tried.length).toBeGreaterThan(10);
    for (const { name, url } of tried) {
      const answer = await steno.app.inject({
        method: name as 'GET',
        url,
        headers: { authorization: `Bearer ${token}`, origin: 'http://localhost:80' },
        ...(name === 'POST' ? { payload: {} } : {}),
      });
      const route = `${name} ${url}`;
      expect([route, answer.headers['set-auth-token']]).toEqual([route, undefined]);
      expect([route, answer.body.includes(user.id)]).toEqual([route, false]);
      expect([route, answer.body.includes(token)]).toEqual([route, false]);
    }
    expect(await sessionsOf(user.id)).toEqual(before);
  });
});
