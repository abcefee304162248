import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { openMailbox } from '../support/mailbox.ts';
import { fill, type Operation, operations, sample } from '../support/operations.ts';
import { fixtures, type Owner, tickingMinutes, unknownId, upload, word } from '../support/owned.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

// isolation.test.ts has personal and workspace keys, isolation-sessions.test.ts sessions. Here: every route with an id, by
// every kind of credential, with the ids of one person and of one workspace.

const withIds = operations.filter(({ pathIds, needsCredential }) => needsCredential && pathIds.length > 0);
/** Of the workspace, not of its admin. */
const ofWorkspace = new Set(['workspaces', 'members', 'invitations', 'spaces', 'api-keys']);

let mailbox: Awaited<ReturnType<typeof openMailbox>>;
beforeAll(async () => {
  mailbox = await openMailbox();
});
afterAll(() => mailbox.close());

type Headers = Record<string, string>;

describe.each(databaseKinds)('with the ids of another, on %s', (databaseKind) => {
  let steno: TestSteno;
  let ids: Record<string, string>;
  let belongings: () => Promise<string>;
  let credentials: [kind: string, headers: Headers][];

  beforeAll(async () => {
    const config = { webhookNetworks: ['127.0.0.1'], smtpUrl: mailbox.url };
    const clock = tickingMinutes();
    steno = await startSteno({ databaseKind, clock, config, webhookPollMs: 2 ** 31 - 1 });
    const { user } = await steno.person({ name: 'late' });
    const issued = { name: 'late', scopes: personalScopes, expires_in_days: 1 };
    const { key: late } = await steno.keys.issue(operator, personalKeysOf(user.id), issued);
    // A minute at each look.
    for (let minute = 0; minute < 1_500; minute += 1) clock();
    const ada = await steno.team({ name: 'ada' });
    const { id: keyId, key } = await steno.keys.issue(operator, personalKeysOf(ada.user.id), {
      name: 'secretofada',
      scopes: personalScopes,
    });
    const owner: Owner = { name: 'ada', kind: 'personal', key, spaces: [], ids: {}, secret: 'secretofada' };
    for (const [segment, { make }] of Object.entries(fixtures)) {
      const id = await make(steno, owner, undefined);
      if (id !== undefined) owner.ids[segment] = [id];
    }
    const guest = await steno.users.add({ name: `${word} member`, email: null, plan: 'pro' });
    await steno.members.add(operator, ada.workspace.id, { user_id: guest.id, role: 'member' });
    await steno.signIn(ada.user);
    const session = await steno.signIn(ada.user);
    const bySession = (path: string) => steno.call('GET', path, { key: session.token });
    const base = `/api/workspaces/${ada.workspace.id}`;
    const invited = await steno.call('POST', `${base}/invitations`, {
      key: session.token,
      body: { email: 'guest@example.org' },
    });
    await steno.users.setEmail(ada.user.id, 'ada@example.org');
    const password = await steno.call('POST', '/api/app-passwords', {
      key: session.token,
      body: { name: 'secretofada' },
    });
    const sessions = (await bySession('/api/sessions')).body.data;
    ids = {
      ...Object.fromEntries(Object.entries(owner.ids).map(([segment, [id]]) => [segment, id ?? unknownId])),
      workspaces: ada.workspace.id,
      members: guest.id,
      people: guest.id,
      invitations: invited.body.data.id,
      spaces: ada.space.id,
      'api-keys': ada.keyId,
      keys: keyId,
      'app-passwords': password.body.data.id,
      sessions: sessions.find((one: { current: boolean }) => !one.current).id,
    };
    const own = ['/notes/list', '/folders/list', '/dictionary/list', '/snippets/list', '/recordings'];
    const more = ['/transcriptions/list', '/webhooks', '/trash/list', '/keys/list', '/api/workspaces'];
    const parts = ['members', 'invitations', 'spaces', 'api-keys', 'policy'].map((part) => `${base}/${part}`);
    const note = [`/notes/${ids.notes}`, `/notes/${ids.notes}/revisions`, `/recordings/${ids.recordings}`];
    belongings = async () => {
      const seen: string[] = [];
      for (const path of [...own, ...more, ...parts, ...note]) {
        const { status, text } = await bySession(path);
        // Keys tell when they were used last.
        seen.push(`${path} ${status} ${text.replace(/"last_used_\w+":("[^"]*"|null)/g, '')}`);
      }
      return seen.join('\n');
    };

    const eve = await steno.person({ name: 'eve' });
    const few = await steno.person({ name: 'few', scopes: ['notes:read'] });
    const gone = await steno.person({ name: 'gone' });
    await steno.keys.revoke(operator, personalKeysOf(gone.user.id), gone.keyId);
    const other = await steno.team({ name: 'other' });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    credentials = [
      ['none', {}],
      ['a personal key', bearer(eve.key)],
      ['a key with fewer scopes', bearer(few.key)],
      ['a key of another workspace', bearer(other.key)],
      ['the cookie of a session', { cookie: (await steno.signIn(eve.user)).cookie }],
      ['the cookie of an admin elsewhere', { cookie: (await steno.signIn(other.user)).cookie }],
      ['an agent token', bearer(await agentToken('agent@example.org'))],
      ['a revoked key', bearer(gone.key)],
      ['an expired key', bearer(late)],
      ['the cookie of a member', { cookie: (await steno.signIn(guest)).cookie }],
    ];
  });
  afterAll(() => steno.close());

  async function agentToken(email: string): Promise<string> {
    await steno.users.add({ name: 'Agent', email, plan: 'business' });
    await steno.call('POST', '/auth/email-code', { body: { email } });
    await steno.outbox.idle();
    const body = { email, code: mailbox.codeFor(email) };
    return (await steno.call('POST', '/auth/email-code/verify', { body })).body.data.token;
  }

  function send(route: Operation, headers: Headers) {
    const path = fill(
      route.path,
      route.pathIds.map((segment) => ids[segment] ?? unknownId),
    );
    if (route.pathIds.includes('uploads')) {
      const { headers: more = {}, body } = (upload[route.method] ?? {}) as {
        headers?: Headers;
        body?: object;
      };
      return steno.call(route.method, path, { headers: { ...headers, ...more }, body });
    }
    const body = route.body && {
      ...Object(sample(route.body, route.method === 'PATCH')),
      ...(route.body.properties?.scopes ? { scopes: ['workspace:*'] } : {}),
    };
    return steno.call(route.method, path, { headers, ...(body ? { body } : {}) });
  }

  /** A member may look at the workspace and leave it. */
  const isOwn = (kind: string, route: Operation) =>
    kind === 'the cookie of a member' &&
    route.pathIds.some((segment) => ofWorkspace.has(segment)) &&
    (route.method === 'GET' || /\/(leave|members\/\{\w+\})$/.test(route.path));

  test('there are routes to look at, and each of their ids is somebody’s', () => {
    expect(withIds.length).toBeGreaterThan(40);
    // A grant cannot be made where each call takes a minute; isolation-sessions.test.ts has one.
    const known = new Set([...Object.keys(ids), 'models', 'grants']);
    expect(withIds.flatMap(({ pathIds }) => pathIds).filter((segment) => !known.has(segment))).toEqual([]);
  });

  test.each(withIds.filter(({ pathIds }) => !pathIds.includes('models')))(
    '$name is refused to every kind of credential, tells nothing and changes nothing',
    async (route) => {
      const before = await belongings();
      for (const [kind, headers] of credentials.filter(([one]) => !isOwn(one, route))) {
        const answer = await send(route, headers);
        expect([kind, answer.status]).toEqual([kind, expect.toSatisfy((s) => [401, 403, 404].includes(s))]);
        expect([kind, answer.text.includes('secretofada')]).toEqual([kind, false]);
      }
      expect(await belongings()).toBe(before);
    },
  );
});
