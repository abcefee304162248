import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { queue } from '../../src/features/language/queue.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

type FakeModel = Awaited<ReturnType<typeof startFakeModel>>;

const content = 'The roof of the old mill leaks again. Anna will call the roofer on Monday.';
const draft = { name: 'Decisions', prompt: 'Write what was decided.' };

describe.each(databaseKinds)('leaving while a language model writes, with %s', (databaseKind) => {
  let steno: TestSteno;
  let model: FakeModel;
  let team: Awaited<ReturnType<TestSteno['team']>>;
  let member: Awaited<ReturnType<TestSteno['person']>> & { token: string };
  let noteId: string;

  beforeAll(async () => {
    model = await startFakeModel();
    const language = { url: model.url, key: '', model: '', window: 0 };
    steno = await startSteno({ databaseKind, config: { language } });
  });
  afterAll(async () => {
    await steno.close();
    await model.close();
  });
  beforeEach(async () => {
    team = await steno.team();
    const person = await steno.person({ name: 'Bob' });
    await steno.members.add(operator, team.workspace.id, { user_id: person.user.id, role: 'member' });
    member = { ...person, token: (await steno.signIn(person.user)).token };
    const body = { content, title: 'Mill', space_id: team.space.id };
    noteId = (await steno.call('POST', '/notes/create', { key: team.key, body })).body.data.id;
  });

  const leave = () =>
    steno.members.remove(operator, team.workspace.id, member.user.id, { revokeKeys: false });
  const enhance = async (key: string, body: object = { action: 'summary', output: 'note' }) =>
    (await steno.call('POST', `/notes/${noteId}/enhance`, { key, body })).body.data.id as string;
  const notesOf = async (key: string) => (await steno.call('GET', '/notes/list', { key })).body.data;
  const teamNotes = async () =>
    (await steno.call('GET', `/notes/list?space_id=${team.space.id}`, { key: team.key })).body.data;
  const rowOf = (id: string) =>
    steno.database.db
      .selectFrom('language_jobs')
      .select(['state', 'error', 'error_code', 'result_note_id'])
      .where('id', '=', id)
      .executeTakeFirst();

  /** A job whose model has begun to answer; `then` happens before it goes on. */
  async function during(key: string, then: () => Promise<unknown>, body?: object) {
    const before = model.requests.length;
    model.next('slow');
    const id = await enhance(key, body);
    await expect.poll(() => model.requests.length).toBe(before + 1);
    await then().finally(model.goOn);
    return id;
  }
  const failed = async (id: string) => {
    await expect.poll(async () => (await rowOf(id))?.state).toBe('failed');
    return rowOf(id);
  };

  test.each(['note', 'replace', 'append'])(
    'a text of a team (%s) does not go to a member who left meanwhile',
    async (output) => {
      const id = await during(member.token, leave, { action: 'summary', output });
      expect(await failed(id)).toMatchObject({ error_code: 'not_found', result_note_id: null });
      expect((await rowOf(id))?.error).toContain('no longer');
      expect(await notesOf(member.key)).toEqual([]);
      expect(await teamNotes()).toMatchObject([{ id: noteId, enhanced_content: null }]);
    },
  );

  test('a text of a team does not go to the maker of its key when the space is archived meanwhile', async () => {
    const { token } = await steno.signIn(team.user);
    const id = await during(team.key, () => steno.spaces.archive(operator, {}, team.space.id));
    expect(await failed(id)).toMatchObject({ error_code: 'not_found', result_note_id: null });
    expect(await notesOf(token)).toEqual([]);
  });

  test('a note that was deleted meanwhile does not come back as a new one', async () => {
    const id = await during(team.key, () => steno.call('DELETE', `/notes/${noteId}`, { key: team.key }));
    expect(await failed(id)).toMatchObject({ error_code: 'not_found', result_note_id: null });
    expect(await teamNotes()).toEqual([]);
  });

  test('a personal key and a former member do not get the job of a note that they cannot read', async () => {
    let id = '';
    const read = async (key: string) => {
      const answers = await Promise.all(
        [`/language/jobs/${id}`, `/language/jobs/${id}/events`, `/notes/${noteId}`].map((path) =>
          steno.call('GET', path, { key }),
        ),
      );
      const removed = await steno.call('DELETE', `/language/jobs/${id}`, { key });
      const { data } = (await steno.call('GET', '/language/jobs', { key })).body;
      return [...answers.map(({ status }) => status), removed.status, data.length];
    };
    id = await during(member.token, async () => {
      const [job] = (await steno.call('GET', '/language/jobs', { key: member.token })).body.data;
      id = job.id;
      expect(await read(member.key)).toEqual([404, 404, 404, 404, 0]);
      await leave();
      expect(await read(member.token)).toEqual([404, 404, 404, 404, 0]);
    });
    await failed(id);
    expect(await read(member.token)).toEqual([404, 404, 404, 404, 0]);
  });

  test('who follows a job gets nothing more of it after they left the workspace', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<string>();
    await during(member.token, async () => {
      const [job] = (await steno.call('GET', '/language/jobs', { key: member.token })).body.data;
      const path = `/language/jobs/${job.id}/events`;
      void steno.call('GET', path, { key: member.token }).then(({ text }) => resolve(text));
      await leave();
    });
    expect(await answer).not.toContain('Anna');
  });

  test('the shared action of a member who left is changed by the workspace alone', async () => {
    const shared = { ...draft, workspace_id: team.workspace.id };
    const { id } = (await steno.call('POST', '/actions', { key: member.token, body: shared })).body.data;
    const { token: admin } = await steno.signIn(team.user);
    const ids = async (key: string) =>
      (await steno.call('GET', '/actions', { key })).body.data.map((one: { id: string }) => one.id);
    const change = async (key: string) =>
      (await steno.call('PATCH', `/actions/${id}`, { key, body: { name: 'Mine' } })).status;
    expect(await change(member.token)).toBe(200);
    await leave();
    for (const key of [member.token, member.key]) {
      expect(await change(key)).toBe(404);
      expect((await steno.call('DELETE', `/actions/${id}`, { key })).status).toBe(404);
      expect(await ids(key)).not.toContain(id);
    }
    expect(await change(admin)).toBe(200);
    expect(await ids(team.key)).toContain(id);
  });

  test('a personal key of an admin does not change what the team made', async () => {
    const shared = { ...draft, workspace_id: team.workspace.id };
    const { id } = (await steno.call('POST', '/actions', { key: member.token, body: shared })).body.data;
    const admin = await steno.person();
    await steno.members.add(operator, team.workspace.id, { user_id: admin.user.id, role: 'admin' });
    const { token } = await steno.signIn(admin.user);
    const change = async (key: string) =>
      (await steno.call('PATCH', `/actions/${id}`, { key, body: { name: 'Ours' } })).status;
    expect([await change(admin.key), await change(token)]).toEqual([404, 200]);
    expect((await steno.call('DELETE', `/actions/${id}`, { key: admin.key })).status).toBe(404);
  });

  test('a personal key changes no shared action, also none that its person made', async () => {
    const shared = { ...draft, workspace_id: team.workspace.id };
    const { id } = (await steno.call('POST', '/actions', { key: member.token, body: shared })).body.data;
    const change = async (key: string) =>
      (await steno.call('PATCH', `/actions/${id}`, { key, body: { name: 'Ours' } })).status;
    expect([await change(member.key), await change(member.token)]).toEqual([404, 200]);
    const remove = async (key: string) => (await steno.call('DELETE', `/actions/${id}`, { key })).status;
    expect([await remove(member.key), await remove(member.token)]).toEqual([404, 204]);
  });

  test.each(['member', 'former member'])(
    'a shared action stays with its workspace when the account of a %s is deleted',
    async (kind) => {
      const shared = { ...draft, workspace_id: team.workspace.id };
      const made = await steno.call('POST', '/actions', { key: member.token, body: shared });
      const own = await steno.call('POST', '/actions', { key: member.token, body: draft });
      if (kind !== 'member') await leave();
      await steno.users.remove(member.user.id);
      const { data } = (await steno.call('GET', '/actions', { key: team.key })).body;
      expect(data.at(-1)).toMatchObject({ id: made.body.data.id, user_id: team.user.id });
      const left = await steno.database.db.selectFrom('actions').select('id').execute();
      expect(left.map(({ id }) => id)).not.toContain(own.body.data.id);
    },
  );

  test('a conversation about a space goes out of reach with it, in the list too, and nothing is added', async () => {
    model.answerWith(() => 'Anna will call the roofer on Monday [1].');
    const ask = (key: string, more = {}) =>
      steno.call('POST', '/ask', {
        key,
        body: { question: 'Whom will Anna call?', space_id: team.space.id, ...more },
        headers: { accept: 'application/json' },
      });
    const list = async (key: string) => (await steno.call('GET', '/conversations', { key })).body.data;
    const { conversation_id } = (await ask(member.token)).body.data;
    expect(conversation_id).toEqual(expect.any(String));
    expect([await list(member.token), await list(member.key)]).toMatchObject([[{ id: conversation_id }], []]);
    expect(
      (await steno.call('DELETE', `/conversations/${conversation_id}`, { key: member.key })).status,
    ).toBe(404);
    const before = model.requests.length;
    model.next('slow');
    const asked = ask(member.token);
    await expect.poll(() => model.requests.length).toBe(before + 1);
    await leave();
    model.goOn();
    expect((await asked).status).toBe(404);
    const rows = await steno.database.db
      .selectFrom('conversations')
      .select('id')
      .where('user_id', '=', member.user.id)
      .execute();
    expect(rows).toEqual([{ id: conversation_id }]);
    expect(await list(member.token)).toEqual([]);
    model.answerWith();
  });

  test('a text for a suspended account waits, is not stored, and is written when the account works again', async () => {
    const suspend = (suspended: boolean) =>
      steno.store.people.setSuspended(member.user.id, suspended ? '2026-01-01T00:00:00.000Z' : null);
    const id = await during(member.token, () => suspend(true));
    await expect.poll(async () => (await rowOf(id))?.state).toBe('queued');
    const second = queue.claim(steno.database, new Date().toISOString(), []);
    expect(await second).toBe(undefined);
    expect(await teamNotes()).toHaveLength(1);
    await suspend(false);
    await expect.poll(async () => (await rowOf(id))?.state).toBe('done');
    expect(await teamNotes()).toHaveLength(2);
  });
});
