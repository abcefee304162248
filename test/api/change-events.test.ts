import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { followChanges } from '../../src/features/changes/follow.ts';
import { followEvents } from '../support/follow-events.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(databaseKinds)('changes as events, on %s', (databaseKind) => {
  let steno: TestSteno;
  let url: string;
  const left: (() => void)[] = [];
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
    url = await steno.app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => {
    for (const leave of left.splice(0)) leave();
  });
  afterAll(() => steno.close());

  async function follow(key: string, headers: Record<string, string> = {}, query = '') {
    const { next, leave } = await followEvents(url, key, headers, query);
    left.push(leave);
    return next;
  }

  const write = async (key: string, method: 'POST' | 'PATCH', path: string, body: object) =>
    (await steno.call(method, path, { key, body })).body.data;

  async function member(workspaceId: string) {
    const { user } = await steno.person();
    await steno.members.add(operator, workspaceId, { user_id: user.id, role: 'member' });
    return { user, token: (await steno.signIn(user)).token };
  }

  test('one stream tells a person of their own notes and of what others write in their spaces', async () => {
    const team = await steno.team();
    const [ada, eve] = [await member(team.workspace.id), await member(team.workspace.id)];
    const next = await follow(ada.token);
    expect(await next()).toMatchObject({ event: 'ready' });
    const own = await write(ada.token, 'POST', '/notes/create', { content: 'x' });
    expect((await next())?.data).toMatchObject({
      id: own.id,
      action: 'created',
      space_id: null,
      by: ada.user.id,
    });
    const edit = { session: 'eve writes', seq: 1 };
    const shared = { content: 'x', space_id: team.space.id, edit };
    const { id } = await write(eve.token, 'POST', '/notes/create', shared);
    const told = { type: 'note', id, space_id: team.space.id };
    const made = { ...told, action: 'created', revision: 1, session: 'eve writes', by: eve.user.id };
    expect((await next())?.data).toMatchObject(made);
    await write(eve.token, 'PATCH', `/notes/${id}`, { pinned: true });
    const pinned = { ...told, action: 'updated', revision: 2, session: null, by: null };
    expect((await next())?.data).toMatchObject(pinned);
    // Who has left the workspace hears no more of it.
    await steno.members.remove(operator, team.workspace.id, ada.user.id, { revokeKeys: false });
    await write(eve.token, 'PATCH', `/notes/${id}`, { content: 'not for ada' });
    await write(ada.token, 'PATCH', `/notes/${own.id}`, { content: 'mine' });
    expect((await next())?.data).toMatchObject({ id: own.id, revision: 2 });
  });

  test('Last-Event-ID goes on after the last event, with the cursors of GET /changes', async () => {
    const { key } = await steno.person();
    const { next_cursor } = (await steno.call('GET', '/changes', { key })).body;
    const ids: string[] = [];
    for (const content of ['one', 'two', 'three'])
      ids.push((await write(key, 'POST', '/notes/create', { content })).id);
    const next = await follow(key, { 'last-event-id': next_cursor });
    await next();
    const first = await next();
    expect(first?.data.id).toBe(ids[0]);
    const again = await follow(key, { 'last-event-id': first?.id ?? '' });
    await again();
    expect([(await again())?.data.id, (await again())?.data.id]).toEqual(ids.slice(1));
    const listed = await steno.call('GET', `/changes?since=${first?.id}`, { key });
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1));
  });

  test('HEAD is answered at once', async () => {
    const { key } = await steno.person();
    const { status, headers } = await steno.call('HEAD', '/changes/events', { key });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
  });

  test('a revoked key ends its stream', async () => {
    const { user, key, keyId } = await steno.person();
    const next = await follow(key);
    await next();
    const { token } = await steno.signIn(user);
    await steno.call('POST', `/keys/${keyId}/revoke`, { key: token });
    expect(await next()).toBeUndefined();
  });

  test('the stream of a space ends with the membership', async () => {
    const team = await steno.team();
    const { user, token } = await member(team.workspace.id);
    const next = await follow(token, {}, `?space_id=${team.space.id}`);
    await next();
    await steno.members.remove(operator, team.workspace.id, user.id, { revokeKeys: false });
    expect(await next()).toBeUndefined();
  });

  test('a stream looks again after a pause, and at once only while more is waiting', async () => {
    const { key } = await steno.person();
    const { next_cursor } = (await steno.call('GET', '/changes', { key })).body;
    const words = Array.from({ length: 450 }, (_, at) => `word${at}`);
    for (let at = 0; at < words.length; at += 90)
      await write(key, 'POST', '/dictionary/create', { words: words.slice(at, at + 90) });
    const principal = await steno.authentication.authenticate(key);
    let looks = 0;
    const leaving = new AbortController();
    const context = {
      ...steno.look(),
      who: principal ?? expect.fail('no principal'),
      signal: leaving.signal,
    };
    const events = await followChanges(
      {
        ...context,
        async whoNow() {
          looks += 1;
          return principal;
        },
      },
      { since: next_cursor, jobs: false },
    );
    let told = -1;
    for await (const _ of events) {
      told += 1;
      if (told === words.length) setTimeout(() => leaving.abort(), 500);
    }
    // One to ask for the first time, three to read it all, and one for each second.
    expect([told, looks < 20]).toEqual([words.length, true]);
  });

  test.each([
    ['since=nonsense', 400],
    ['space_id=018f0000-0000-7000-8000-000000000000', 404],
    ['type=recording', 400],
  ])('%s is %d instead of a stream', async (query, status) => {
    const { user } = await steno.person();
    const { token } = await steno.signIn(user);
    expect((await steno.call('GET', `/changes/events?${query}`, { key: token })).status).toBe(status);
  });
});
