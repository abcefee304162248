import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/authority.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

/** Members read and write the notes of their workspaces' spaces with a session, as in the console. */
describe.each(databaseKinds)('members and the notes of spaces on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  let team: Awaited<ReturnType<TestSteno['team']>>;
  let member: { user: { id: string }; key: string; token: string };
  let stranger: typeof member;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
    team = await steno.team();
    member = await signedIn('Member');
    stranger = await signedIn('Stranger');
    await steno.members.add(operator, team.workspace.id, { user_id: member.user.id, role: 'member' });
  });
  afterAll(() => steno.close());
  beforeEach(() => {
    now += 60_000;
  });

  async function signedIn(name: string) {
    const { user, key } = await steno.person({ name });
    return { user, key, token: (await steno.signIn(user)).token };
  }

  const noteIn = async (spaceId: string, key: string, content = 'words of the team') => {
    const body = { content, space_id: spaceId };
    return (await steno.call('POST', '/notes/create', { key, body })).body.data;
  };

  test('a member makes, finds, changes, deletes and restores notes of a space', async () => {
    const key = member.token;
    const in_ = `?space_id=${team.space.id}`;
    const folder = await steno.call('POST', '/folders/create', {
      key,
      body: { name: 'Plans', space_id: team.space.id },
    });
    expect(folder.status).toBe(201);
    const note = await noteIn(team.space.id, key);
    // Only what is older than one sitting is kept as a revision.
    now += 660_000;
    const changed = await steno.call('PATCH', `/notes/${note.id}`, {
      key,
      body: { content: 'changed words of the team', folder_id: folder.body.data.id },
    });
    expect(changed.body.data).toMatchObject({ id: note.id, folder_id: folder.body.data.id });

    const ids = async (path: string, as = key) =>
      (await steno.call('GET', path + in_, { key: as })).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('/notes/list')).toEqual([note.id]);
    expect(await ids('/notes/list', team.key)).toEqual([note.id]);
    expect(await ids('/folders/list')).toEqual([folder.body.data.id]);
    const body = { query: 'changed', space_id: team.space.id };
    expect((await steno.call('POST', '/notes/search', { key, body })).body.total).toBe(1);
    const revisions = await steno.call('GET', `/notes/${note.id}/revisions`, { key });
    expect(revisions.body.data).toHaveLength(1);
    expect((await steno.call('GET', `/changes${in_}`, { key })).status).toBe(200);
    expect((await steno.call('GET', `/export${in_}`, { key })).status).toBe(200);
    // Their own notes are another list.
    expect((await steno.call('GET', '/notes/list', { key })).body.data).toEqual([]);

    expect((await steno.call('DELETE', `/notes/${note.id}`, { key })).status).toBe(204);
    expect(await ids('/notes/trash')).toEqual([note.id]);
    expect((await steno.call('POST', `/notes/${note.id}/restore`, { key })).status).toBe(200);
    expect((await steno.call('DELETE', `/folders/${folder.body.data.id}?notes=trash`, { key })).status).toBe(
      204,
    );
    expect((await steno.call('DELETE', `/notes/trash${in_}`, { key })).status).toBe(204);
    expect(await ids('/notes/trash')).toEqual([]);
  });

  /** Every call that reaches the notes of a space, as it is answered to somebody else. */
  async function refused(key: string, note: { id: string }, spaceId: string) {
    const one = `/notes/${note.id}`;
    const calls: [string, string, object?][] = [
      ['GET', `/notes/list?space_id=${spaceId}`],
      ['GET', `/folders/list?space_id=${spaceId}`],
      ['GET', `/notes/trash?space_id=${spaceId}`],
      ['DELETE', `/notes/trash?space_id=${spaceId}`],
      ['GET', `/changes?space_id=${spaceId}`],
      ['GET', `/export?space_id=${spaceId}`],
      ['POST', '/notes/create', { content: 'x', space_id: spaceId }],
      ['POST', '/notes/search', { query: 'words', space_id: spaceId }],
      ['POST', '/folders/create', { name: 'x', space_id: spaceId }],
      ['GET', one],
      ['PATCH', one, { content: 'stolen' }],
      ['DELETE', one],
      ['GET', `${one}/transcript`],
      ['GET', `${one}/revisions`],
    ];
    const statuses = [];
    for (const [method, path, body] of calls)
      statuses.push((await steno.call(method, path, { key, ...(body ? { body } : {}) })).status);
    return new Set(statuses);
  }

  test('somebody who is not a member finds nothing of it, and a former member neither', async () => {
    const note = await noteIn(team.space.id, team.key);
    expect(await refused(stranger.token, note, team.space.id)).toEqual(new Set([404]));
    const former = await signedIn('Former');
    await steno.members.add(operator, team.workspace.id, { user_id: former.user.id, role: 'member' });
    expect((await steno.call('GET', `/notes/${note.id}`, { key: former.token })).status).toBe(200);
    await steno.members.remove(operator, team.workspace.id, former.user.id, { revokeKeys: false });
    expect(await refused(former.token, note, team.space.id)).toEqual(new Set([404]));
    const { body } = await steno.call('GET', `/notes/${note.id}`, { key: team.key });
    expect(body.data.content).toBe('words of the team');
  });

  test('an archived space is gone for its members', async () => {
    const space = await steno.spaces.create(operator, team.workspace.id, { name: 'Old' });
    const note = await noteIn(space.id, team.key);
    await steno.spaces.archive(operator, { kind: 'of any workspace' }, space.id);
    expect(await refused(member.token, note, space.id)).toEqual(new Set([404]));
  });

  test('a personal key stays with the notes of its person', async () => {
    const note = await noteIn(team.space.id, team.key);
    expect(await refused(member.key, note, team.space.id)).toEqual(new Set([400, 404]));
  });

  test('members share spaces, not their own notes and folders', async () => {
    const mine = await steno.call('POST', '/notes/create', { key: member.token, body: { content: 'mine' } });
    const folder = await steno.call('POST', '/folders/create', { key: member.token, body: { name: 'Mine' } });
    const admin = (await steno.signIn(team.user)).token;
    expect((await steno.call('GET', `/notes/${mine.body.data.id}`, { key: admin })).status).toBe(404);
    // A note of the space does not go into the folder of a member, nor a member's note into the space's.
    const shared = await noteIn(team.space.id, member.token);
    const moved = await steno.call('PATCH', `/notes/${shared.id}`, {
      key: member.token,
      body: { folder_id: folder.body.data.id },
    });
    expect(moved.status).toBe(400);
  });
});
