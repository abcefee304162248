import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { fill, operations, sample } from '../support/operations.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

/** They change nothing, and whoever calls them has proved nothing: any page may. */
const openToPages = ['POST /api/auth/invitation'];
/** What every member of a workspace may call. Whoever adds a line here has thought about it. */
const forMembers = [
  'GET /api/workspaces/{id}/members',
  'GET /api/workspaces/{id}/spaces',
  'GET /api/workspaces/{id}/policy',
];

describe.each(anyDatabase)('every door, on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());
  // All routes together are more calls than a person has in a minute.
  beforeEach(() => {
    now += 3_600_000;
  });

  const writing = () =>
    steno.routes.flatMap(({ method, url, config, schema }) =>
      [method].flat().flatMap((name) => {
        const isReal = !Object.hasOwn(Object(schema?.response), 405);
        return isReal && !['GET', 'HEAD', 'OPTIONS'].includes(name) ? [{ name, url, config }] : [];
      }),
    );

  test.each(['https://evil.example', 'null', undefined])(
    'is shut to a page of %s that has only the cookie of an operator',
    async (origin) => {
      const { user } = await steno.team({ name: 'Red' });
      await steno.users.setOperator(user.id, true);
      const { cookie, token } = await steno.signIn(user);
      let tried = 0;
      for (const { name, url, config } of writing()) {
        const route = `${name} ${url}`;
        const isOpen = config?.access?.credential === 'none';
        // Without a cookie of ours that counts, there is nothing to forge.
        if ((isOpen && !url.startsWith('/api/auth/')) || openToPages.includes(route)) continue;
        // Its own cookie, which only our pages send, stands for the origin.
        if (origin === undefined && route === 'POST /api/auth/sign-in/link') continue;
        if (tried % 40 === 0) now += 60_000;
        tried += 1;
        const answer = await steno.app.inject({
          method: name as 'POST',
          url: url.replace(/:\w+/g, user.id),
          headers: { cookie, ...(origin === undefined ? {} : { origin }) },
        });
        expect([route, answer.statusCode]).toEqual([route, 403]);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
      expect(tried).toBeGreaterThan(60);
      expect((await steno.call('GET', '/me', { key: token })).status).toBe(200);
    },
  );

  test('of a workspace is open to members only where that is wanted', async () => {
    const { user, workspace, space, keyId } = await steno.team({ name: 'Red' });
    const { token: admin } = await steno.signIn(user);
    const guest = await steno.users.add({ name: 'Mem', email: 'mem@example.org' });
    await steno.members.add(operator, workspace.id, { user_id: guest.id, role: 'member' });
    const { token: key } = await steno.signIn(guest);
    const body = { email: 'x@example.org' };
    const invited = await steno.call('POST', `/api/workspaces/${workspace.id}/invitations`, {
      key: admin,
      body,
    });
    const ids: Record<string, string> = {
      workspaces: workspace.id,
      members: user.id,
      spaces: space.id,
      'api-keys': keyId,
      invitations: invited.body.data.id,
    };
    const routes = operations.filter(({ path }) => path.startsWith('/api/workspaces/{id}'));
    const open: string[] = [];
    for (const route of routes) {
      const sent = route.body && {
        ...Object(sample(route.body, route.method === 'PATCH')),
        ...(route.body.properties?.scopes ? { scopes: ['workspace:*'] } : {}),
        ...(route.body.properties?.email ? { email: 'y@example.org' } : {}),
      };
      const url = fill(
        route.path,
        route.pathIds.map((segment) => ids[segment] ?? expect.fail(`an id of ${segment}`)),
      );
      const answer = await steno.call(route.method, url, { key, ...(sent ? { body: sent } : {}) });
      if (answer.status < 300) open.push(route.name);
      else expect([route.name, answer.status]).toEqual([route.name, 403]);
    }
    expect(open.sort()).toEqual(forMembers.sort());
    const { data: members } = (
      await steno.call('GET', `/api/workspaces/${workspace.id}/members`, { key: admin })
    ).body;
    expect(members.map(({ role }: { role: string }) => role).sort()).toEqual(['admin', 'member']);
  });
});
