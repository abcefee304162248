import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { connectAssistant } from '../support/connect.ts';
import { fill, type Operation, operations, sample } from '../support/operations.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

/** What isolation.test.ts is for keys, for what only a signed-in person reaches. */
const forSessions = operations.filter(
  ({ session, operator, personal, workspace, pathIds }) =>
    session && !operator && personal === undefined && workspace === undefined && pathIds.length > 0,
);

interface Person {
  name: string;
  token: string;
  /** By the path segment that takes the id. */
  ids: Record<string, string>;
}

const unknownId = '0198c0de-0000-7000-8000-000000000000';

describe.each(anyDatabase)('a session reaches nothing of another, on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  let people: Person[];
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
    people = [await adminOf('secretofada'), await adminOf('secretofbob')];
  });
  afterAll(() => steno.close());
  // All routes together are more calls than a person has in a minute.
  beforeEach(() => {
    now += 60_000;
  });

  /** Someone who runs a workspace and has one of everything in it. */
  async function adminOf(name: string): Promise<Person> {
    const { workspace, space, keyId, user } = await steno.team({ name });
    const email = `${name}@example.org`;
    const member = await steno.users.add({ name: `member ${name}`, email, plan: 'pro' });
    await steno.members.add(operator, workspace.id, { user_id: member.id, role: 'member' });
    const { id: personalKey } = await steno.keys.issue(operator, personalKeysOf(user.id), {
      name,
      scopes: ['notes:read'],
    });
    // The right of an operator opens no workspace.
    await steno.users.setOperator(user.id, true);
    await steno.users.setEmail(user.id, `admin-${email}`);
    // The first session is what others try to end; the second asks.
    await steno.signIn(user);
    const { token } = await steno.signIn(user);
    const sessions = await steno.call('GET', '/api/sessions', { key: token });
    const other = sessions.body.data.find((session: { current: boolean }) => !session.current);
    await connectAssistant(steno, user.id);
    const grants = await steno.call('GET', '/api/grants', { key: token });
    const invited = await steno.call('POST', `/api/workspaces/${workspace.id}/invitations`, {
      key: token,
      body: { email: `guest-${email}` },
    });
    const made = await steno.call('POST', '/api/app-passwords', { key: token, body: { name } });
    return {
      name,
      token,
      ids: {
        // Its token, in the routes that take one, is for the invited address: invitations.test.ts.
        invitations: invited.body.data.id,
        workspaces: workspace.id,
        members: member.id,
        spaces: space.id,
        'api-keys': keyId,
        keys: personalKey,
        sessions: other.id,
        'app-passwords': made.body.data.id,
        grants: grants.body.data[0].id,
      },
    };
  }

  const idOf = ({ ids }: Person, segment: string, route: Operation) =>
    ids[segment] ??
    expect.fail(`${route.name} takes the id of one of the ${segment}: say in this file how to make one.`);

  /** Everything that someone can see of their own; it must not change. */
  async function belongings({ token, ids }: Person): Promise<string> {
    const base = `/api/workspaces/${ids.workspaces}`;
    const paths = ['members', 'invitations', 'spaces', 'api-keys', 'policy'].map((part) => `${base}/${part}`);
    const seen = [];
    for (const path of [
      '/api/workspaces',
      '/api/sessions',
      '/api/app-passwords',
      '/api/grants',
      '/keys/list',
      ...paths,
    ]) {
      const answer = await steno.call('GET', path, { key: token });
      expect([path, answer.status]).toEqual([path, 200]);
      seen.push(answer.text);
    }
    return seen.join('\n');
  }

  test('there are routes to look at', () => {
    expect(new Set(forSessions.flatMap(({ pathIds }) => pathIds))).toEqual(
      new Set([
        'workspaces',
        'members',
        'invitations',
        'spaces',
        'api-keys',
        'keys',
        'sessions',
        'app-passwords',
        'grants',
      ]),
    );
  });

  test.each(forSessions)('$name with the ids of another is 404 and changes nothing', async (route) => {
    for (const me of people)
      for (const other of people.filter((person) => person !== me)) {
        const before = await belongings(other);
        // Every mixture of own and foreign ids in which at least one is foreign.
        for (let mixture = 1; mixture < 2 ** route.pathIds.length; mixture += 1) {
          const ids = route.pathIds.map((segment, at) =>
            idOf(mixture & (1 << at) ? other : me, segment, route),
          );
          const answer = await send(me, route, ids);
          expect([ids, answer.status, answer.body?.error?.code]).toEqual([ids, 404, 'not_found']);
          expect(answer.text).not.toContain(other.name);
          // Nobody learns whether an id exists at all.
          const unknown = route.pathIds.map((segment, at) =>
            mixture & (1 << at) ? unknownId : idOf(me, segment, route),
          );
          expect((await send(me, route, unknown)).text).toBe(answer.text);
        }
        expect(await belongings(other)).toBe(before);
      }
  });

  function send(me: Person, route: Operation, ids: string[]) {
    const body = route.body && {
      ...Object(sample(route.body, route.method === 'PATCH')),
      ...(route.body.properties?.scopes ? { scopes: ['workspace:*'] } : {}),
      ...(route.body.properties?.email ? { email: `${me.name}@example.org` } : {}),
    };
    return steno.call(route.method, fill(route.path, ids), { key: me.token, ...(body ? { body } : {}) });
  }
});
