import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertNote } from '../support/rows.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('folders that change, on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let now = Date.UTC(2026, 4, 1, 12);
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  beforeEach(async () => {
    ({ key } = await steno.person());
  });
  afterAll(() => steno.close());

  const create = async (name: string) =>
    (await steno.call('POST', '/folders/create', { key, body: { name } })).body.data;
  const patch = (id: string, body?: unknown) => steno.call('PATCH', `/folders/${id}`, { key, body });
  const remove = (id: string, query = '') => steno.call('DELETE', `/folders/${id}${query}`, { key });
  const noteIn = async (folder_id: string, content = 'inside') =>
    (await steno.call('POST', '/notes/create', { key, body: { content, folder_id } })).body.data;
  const read = (id: string) => steno.call('GET', `/notes/${id}`, { key });

  test('a folder gets another name and place, and what is left out stays', async () => {
    const folder = await create('Work');
    now += 1000;
    const renamed = await patch(folder.id, { name: ' Labour ' });
    const updated_at = new Date(now).toISOString();
    expect([renamed.status, renamed.body.data]).toEqual([200, { ...folder, name: 'Labour', updated_at }]);
    expect((await patch(folder.id, { sort_order: 7 })).body.data).toMatchObject({
      name: 'Labour',
      sort_order: 7,
    });
    expect((await patch(folder.id)).status).toBe(200);
    expect((await patch(folder.id, { name: '' })).body.error.message).toContain('name');
    expect((await patch(folder.id, { name: null })).status).toBe(400);
  });

  test('the name of another folder is a conflict; its own in other letters is not', async () => {
    const [one, other] = [await create('One'), await create('Other')];
    const refused = await patch(other.id, { name: 'ONE' });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect((await patch(one.id, { name: 'ONE' })).body.data.name).toBe('ONE');
  });

  test('of twenty that take one name at the same time, one gets it', async () => {
    const folders = await Promise.all(Array.from({ length: 20 }, (_, index) => create(`Folder ${index}`)));
    const answers = await Promise.all(folders.map(({ id }) => patch(id, { name: 'The one' })));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  test('the notes of a deleted folder stay, without a folder', async () => {
    const folder = await create('Gone');
    const notes = [await noteIn(folder.id), await noteIn(folder.id)];
    expect((await remove(folder.id)).status).toBe(204);
    for (const note of notes) {
      const { data } = (await read(note.id)).body;
      expect(data.folder_id).toBeNull();
      expect(data.updated_at > note.updated_at).toBe(true);
    }
    expect((await remove(folder.id)).body.error.message).toBe('Folder not found');
  });

  test('the notes go to the trash when that is asked, however many they are', async () => {
    const folder = await create('Many');
    const { user_id, ...note } = await noteIn(folder.id, 'kumquat');
    const notes = [note];
    for (let count = 0; count < 510; count += 1)
      notes.push((await insertNote(steno.store, user_id, { content: 'kumquat', folder_id: folder.id })).row);
    expect((await remove(folder.id, '?notes=trash')).status).toBe(204);
    for (const { id } of notes.slice(0, 3)) expect((await read(id)).status).toBe(404);
    expect((await steno.call('GET', '/notes/list', { key })).body.data).toEqual([]);
    expect(
      (await steno.call('POST', '/notes/search', { key, body: { query: 'kumquat' } })).body.data,
    ).toEqual([]);
    const trash = await steno.call('GET', '/notes/trash?limit=100', { key });
    expect([trash.body.data.length, trash.body.has_more]).toEqual([100, true]);
    expect((await remove((await create('x')).id, '?notes=burn')).status).toBe(400);
  });

  test('a team changes and deletes the folders of its spaces alone', async () => {
    const [red, blue] = [await steno.team(), await steno.team()];
    const body = { name: 'Team', space_id: red.space.id };
    const folder = (await steno.call('POST', '/folders/create', { key: red.key, body })).body.data;
    const path = `/folders/${folder.id}`;
    const rename = { name: 'Red' };
    expect((await steno.call('PATCH', path, { key: blue.key, body: rename })).status).toBe(404);
    expect((await steno.call('DELETE', path, { key })).status).toBe(404);
    expect((await steno.call('PATCH', path, { key: red.key, body: rename })).body.data.name).toBe('Red');
    expect((await steno.call('DELETE', path, { key: red.key })).status).toBe(204);
  });
});
