import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { personalKeysOf, workspaceKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

/** Members read and write the notes of their workspaces' spaces with a session, as in the console. */
describe.each(anyDatabase)('members and the notes of spaces on %s', (databaseKind) => {
  let now = Date.now();
  const speech = createFakeSpeech();
  let steno: TestSteno;
  let team: Awaited<ReturnType<TestSteno['team']>>;
  let member: { user: { id: string }; key: string; token: string };
  let stranger: typeof member;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, speech });
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
    const team = await steno.team();
    await steno.members.add(operator, team.workspace.id, { user_id: member.user.id, role: 'member' });
    const key = member.token;
    const in_ = `?space_id=${team.space.id}`;
    const folder = await steno.call('POST', '/folders/create', {
      key,
      body: { name: 'Plans', space_id: team.space.id },
    });
    expect(folder.status).toBe(201);
    const note = await noteIn(team.space.id, key);
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
    const own = (await steno.call('GET', '/notes/list', { key })).body.data;
    expect(own.map(({ id }: { id: string }) => id)).not.toContain(note.id);

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
    await steno.spaces.archive(operator, {}, space.id);
    expect(await refused(member.token, note, space.id)).toEqual(new Set([404]));
  });

  test('a personal key stays with the notes of its person', async () => {
    const note = await noteIn(team.space.id, team.key);
    expect(await refused(member.key, note, team.space.id)).toEqual(new Set([400, 404]));
  });

  test('a member records into a folder of a space; who has left meanwhile has the note alone', async () => {
    const recorder = await signedIn('Recorder');
    const key = recorder.token;
    await steno.members.add(operator, team.workspace.id, { user_id: recorder.user.id, role: 'member' });
    const made = await steno.call('POST', '/folders/create', {
      key,
      body: { name: 'Meetings', space_id: team.space.id },
    });
    const folder_id: string = made.body.data.id;
    const place = `?note=true&space_id=${team.space.id}&folder_id=${folder_id}`;
    const record = async () => (await uploadTo(steno, key, recording(), place)).body.data.id;
    const noteOf = async (id: string) => (await settled(steno, key, id)).note_id;
    const shared = await noteOf(await record());
    expect((await steno.call('GET', `/notes/${shared}`, { key: member.token })).body.data).toMatchObject({
      folder_id,
    });
    expect((await uploadTo(steno, stranger.token, recording(), place)).status).toBe(404);

    const letGo = speech.hold();
    const id = await record();
    await steno.members.remove(operator, team.workspace.id, recorder.user.id, { revokeKeys: false });
    letGo();
    const own = await noteOf(id);
    expect((await steno.call('GET', `/notes/${own}`, { key })).body.data).toMatchObject({ folder_id: null });
    expect((await steno.call('GET', `/notes/${own}`, { key: member.token })).status).toBe(404);
  });

  describe('the recording of a note in a space', () => {
    let note: { id: string };
    let heard: Awaited<ReturnType<typeof settled>>;
    beforeEach(async () => {
      const { id } = (await uploadTo(steno, member.key, recording())).body.data;
      const { transcription_id } = await settled(steno, member.key, id);
      const body = { content: 'x', space_id: team.space.id, transcription_id };
      note = (await steno.call('POST', '/notes/create', { key: member.token, body })).body.data;
      heard = await settled(steno, member.key, id);
      expect(heard.note_id).toBe(note.id);
    });

    const readings = () => [
      `/recordings?note_id=${note.id}`,
      `/recordings/${heard.id}`,
      `/recordings/${heard.id}/audio`,
      `/transcriptions/${heard.transcription_id}`,
    ];
    const statuses = async (key: string) =>
      Promise.all(readings().map(async (path) => (await steno.call('GET', path, { key })).status));
    const listed = async (key: string) =>
      (await steno.call('GET', `/recordings?note_id=${note.id}`, { key })).body.data;

    test('is found and played by the members and the keys of its workspace, and changed by its owner only', async () => {
      const admin = (await steno.signIn(team.user)).token;
      expect(await statuses(admin)).toEqual([200, 200, 200, 200]);
      expect(await listed(admin)).toEqual([heard]);
      expect((await steno.call('GET', `/recordings/${heard.id}/audio`, { key: admin })).text).toBe(
        recording().toString(),
      );
      const words = await steno.call('GET', `/transcriptions/list?note_id=${note.id}`, { key: admin });
      expect(words.body.data).toMatchObject([{ id: heard.transcription_id }]);
      // The lists of their own stay their own.
      expect((await steno.call('GET', '/recordings', { key: admin })).body.data).toEqual([]);

      // Workspace keys have no transcriptions, but the words are in the recording.
      expect(await statuses(team.key)).toEqual([200, 200, 200, 403]);
      const told = await steno.call('GET', `/recordings/${heard.id}?include=transcript`, { key: team.key });
      expect(told.body.data.transcript).toBe('word1 word2');
      expect((await steno.call('GET', '/recordings', { key: team.key })).status).toBe(400);

      const changes: [string, string, object?][] = [
        ['PATCH', `/recordings/${heard.id}`, { name: 'mine' }],
        ['DELETE', `/recordings/${heard.id}`],
        ['POST', `/recordings/${heard.id}/retry`],
        ['GET', `/recordings/${heard.id}/events`],
        ['PATCH', `/transcriptions/${heard.transcription_id}`, { speakers: { 'Speaker 1': 'Eve' } }],
        ['DELETE', `/transcriptions/${heard.transcription_id}`],
      ];
      for (const [method, path, body] of changes)
        expect((await steno.call(method, path, { key: admin, ...(body ? { body } : {}) })).status).toBe(404);
    });

    test('is 404 for strangers, other workspaces and personal keys of members', async () => {
      const [other, admin] = [await steno.team({ name: 'Other' }), await steno.signIn(team.user)];
      const { key: personal } = await steno.keys.issue(operator, personalKeysOf(team.user.id), {
        name: 'personal',
        scopes: personalScopes,
      });
      for (const key of [stranger.token, stranger.key, personal]) {
        expect(await statuses(key)).toEqual([200, 404, 404, 404]);
        expect(await listed(key)).toEqual([]);
      }
      expect(await statuses(other.key)).toEqual([200, 404, 404, 403]);
      expect(await listed(other.key)).toEqual([]);
      const { key: noteReader } = await steno.keys.issue(operator, workspaceKeysOf(team.workspace.id), {
        name: 'notes only',
        scopes: ['workspace:notes:read'],
        user_id: team.user.id,
      });
      expect(await statuses(noteReader)).toEqual([403, 403, 403, 403]);
      // A note in the trash is read by nobody, but its recording is still its owner's.
      await steno.call('DELETE', `/notes/${note.id}`, { key: member.token });
      expect(await statuses(admin.token)).toEqual([200, 404, 404, 404]);
      expect(await statuses(member.key)).toEqual([200, 200, 200, 200]);
      await steno.call('DELETE', `/notes/trash/${note.id}`, { key: admin.token });
      expect((await steno.call('GET', `/recordings/${heard.id}`, { key: member.key })).status).toBe(404);
    });

    test('nobody links the transcription of somebody else', async () => {
      const { id } = (await uploadTo(steno, member.key, recording())).body.data;
      const { transcription_id } = await settled(steno, member.key, id);
      const { token } = await steno.signIn(team.user);
      const body = { content: 'x', space_id: team.space.id, transcription_id };
      expect((await steno.call('POST', '/notes/create', { key: token, body })).status).toBe(400);
      const { transcription_id: linked } = heard;
      const again = { content: 'x', space_id: team.space.id, transcription_id: linked };
      expect((await steno.call('POST', '/notes/create', { key: member.token, body: again })).status).toBe(
        409,
      );
    });
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
