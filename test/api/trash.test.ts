import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { purgeExpired } from '../../src/features/trash/purge.ts';
import { selectTrash } from '../../src/features/trash/queries.ts';
import { databaseFile } from '../../src/platform/database/sqlite.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const dayMs = 86_400_000;

describe.each(anyDatabase)('the trash on %s', (databaseKind) => {
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

  const create = async (body: object) => (await steno.call('POST', '/notes/create', { key, body })).body.data;
  const remove = (id: string) => steno.call('DELETE', `/notes/${id}`, { key });
  const restore = (id: string) => steno.call('POST', `/notes/${id}/restore`, { key });
  const trash = async (query = '') => (await steno.call('GET', `/notes/trash${query}`, { key })).body;
  const search = async (query: string) =>
    (await steno.call('POST', '/notes/search', { key, body: { query } })).body.data;
  async function trashed(body: object) {
    const note = await create(body);
    now += 1000;
    expect((await remove(note.id)).status).toBe(204);
    return { ...note, deleted_at: new Date(now).toISOString() };
  }

  test('holds what was deleted, the last deleted first, and search does not find it', async () => {
    const [one, two] = [
      await trashed({ content: 'aardvark one' }),
      await trashed({ content: 'aardvark two' }),
    ];
    expect(await trash()).toEqual({ data: [two, one], has_more: false, next_cursor: null });
    const first = await trash('?limit=1');
    expect(first).toMatchObject({ data: [two], has_more: true });
    expect(await trash(`?limit=1&cursor=${first.next_cursor}`)).toMatchObject({
      data: [one],
      has_more: false,
    });
    expect(await search('aardvark')).toEqual([]);
    const { body } = await steno.call('GET', `/notes/list?cursor=${first.next_cursor}`, { key });
    expect(body.error.message).toContain('cursor');
  });

  test('gives a note back into its folder, and search finds it again', async () => {
    const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'Home' } })).body.data;
    const note = await trashed({ content: 'badger', folder_id: folder.id });
    const restored = await restore(note.id);
    expect([restored.status, restored.body.data]).toMatchObject([200, { id: note.id, folder_id: folder.id }]);
    expect(restored.body.data.updated_at > note.updated_at).toBe(true);
    expect((await search('badger')).map(({ id }: { id: string }) => id)).toEqual([note.id]);
    expect(await trash()).toMatchObject({ data: [] });
    expect((await restore(note.id)).body.error.message).toBe('Note not found');
  });

  test('gives a note back without its folder, when that is gone', async () => {
    const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'Brief' } })).body.data;
    const note = await trashed({ content: 'x', folder_id: folder.id });
    expect((await steno.call('DELETE', `/folders/${folder.id}`, { key })).status).toBe(204);
    expect((await restore(note.id)).body.data.folder_id).toBeNull();
  });

  test('purges one note, and all of them', async () => {
    const notes = [];
    for (let count = 0; count < 3; count += 1) notes.push(await trashed({ content: `note ${count}` }));
    const live = await create({ content: 'alive' });
    const purge = (id: string) => steno.call('DELETE', `/notes/trash/${id}`, { key });
    expect((await purge(live.id)).status).toBe(404);
    expect((await purge(notes[0].id)).status).toBe(204);
    expect((await purge(notes[0].id)).status).toBe(404);
    expect((await restore(notes[0].id)).status).toBe(404);
    expect((await trash()).data).toHaveLength(2);
    expect((await steno.call('DELETE', '/notes/trash', { key })).status).toBe(204);
    expect((await trash()).data).toEqual([]);
    expect((await steno.call('GET', `/notes/${live.id}`, { key })).status).toBe(200);
  });

  test('is emptied after thirty days, a note at a time', async () => {
    const old = await trashed({ content: 'old' });
    now += 29 * dayMs;
    const young = await trashed({ content: 'young' });
    await purgeExpired(steno.look());
    expect((await trash()).data).toHaveLength(2);
    now += 2 * dayMs;
    await purgeExpired(steno.look());
    expect((await trash()).data).toEqual([young]);
    expect((await restore(old.id)).status).toBe(404);
  });

  test('the trash of a team is for its keys alone', async () => {
    const [red, blue] = [await steno.team(), await steno.team()];
    const at = `?space_id=${red.space.id}`;
    const body = { content: 'x', space_id: red.space.id };
    const note = (await steno.call('POST', '/notes/create', { key: red.key, body })).body.data;
    await steno.call('DELETE', `/notes/${note.id}`, { key: red.key });
    expect((await steno.call('GET', '/notes/trash', { key: red.key })).status).toBe(400);
    expect((await steno.call('GET', `/notes/trash${at}`, { key: blue.key })).status).toBe(404);
    expect((await steno.call('DELETE', `/notes/trash${at}`, { key: blue.key })).status).toBe(404);
    for (const other of [key, blue.key]) {
      expect((await steno.call('POST', `/notes/${note.id}/restore`, { key: other })).status).toBe(404);
      expect((await steno.call('DELETE', `/notes/trash/${note.id}`, { key: other })).status).toBe(404);
    }
    expect((await steno.call('GET', `/notes/trash${at}`, { key: red.key })).body.data).toHaveLength(1);
    expect((await steno.call('POST', `/notes/${note.id}/restore`, { key: red.key })).status).toBe(200);
  });

  test('many notes go into it and come back in one request, which may be sent twice and which others cannot use', async () => {
    const change = (body: object, as = key) => steno.call('POST', '/notes/change', { key: as, body });
    const notes = [await create({ content: 'ibex one' }), await create({ content: 'ibex two' })];
    const ids = notes.map(({ id }) => id).sort();
    const gone = '00000000-0000-4000-8000-000000000000';
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id).sort();
    const found = async () => idsOf({ data: await search('ibex') });

    const stranger = (await steno.person()).key;
    expect((await change({ ids, deleted: true }, stranger)).body.data).toEqual([]);
    now += 1000;
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await change({ ids: [...ids, gone], deleted: true });
      expect([status, idsOf(body)]).toEqual([200, ids]);
    }
    expect([await found(), (await trash()).data.length]).toEqual([[], 2]);
    expect((await change({ ids, pinned: true })).body.data).toEqual([]);
    for (let time = 0; time < 2; time += 1)
      expect(idsOf((await change({ ids, deleted: false })).body)).toEqual(ids);
    await steno.database.search.indexPending();
    expect([await found(), (await trash()).data.length]).toEqual([ids, 0]);

    const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'Hooves' } })).body.data;
    await change({ ids, pinned: true });
    await change({ ids, folder_id: folder.id });
    const wrong = await change({ ids, folder_id: gone });
    expect([wrong.status, wrong.body.error.message]).toEqual([
      400,
      'folder_id must be the id of one of your folders.',
    ]);
    const stored = (await steno.call('GET', `/notes/list?folder_id=${folder.id}`, { key })).body.data;
    const expected = { pinned: true, updated_at: new Date(now + 2).toISOString() };
    expect(stored).toMatchObject([expected, expected]);

    for (const body of [{ ids }, { ids, pinned: true, deleted: true }, { ids: [], pinned: true }])
      expect((await change(body)).status).toBe(400);
    const many = Array.from({ length: 501 }, () => gone);
    expect((await change({ ids: many, pinned: true })).status).toBe(400);
  });

  test('its list goes by the index', async () => {
    const explained = await steno.database.db.transaction().execute(async (trx) => {
      if (databaseKind === 'sqlite')
        return selectTrash(trx, 'x', { limit: 50 }).explain(undefined, sql`query plan`);
      await sql`set local enable_seqscan = off`.execute(trx);
      return selectTrash(trx, 'x', { limit: 50 }).explain();
    });
    expect(JSON.stringify(explained)).toContain('notes_in_trash');
    expect(JSON.stringify(explained)).not.toMatch(/sort|temp b-tree/i);
  });

  /** Whether the word is anywhere in the database: the files of SQLite, every table of PostgreSQL. */
  async function isStored(word: string): Promise<boolean> {
    if (databaseKind === 'sqlite') {
      const file = databaseFile(steno.config.dataDir);
      const connection = new DatabaseSync(file, { timeout: 10_000 });
      const checkpoint = connection.prepare('pragma wal_checkpoint(truncate)');
      // Busy while the search threads read or fold the log themselves.
      await expect.poll(() => Object.values(checkpoint.get() ?? {})[0]).toBe(0);
      connection.close();
      return [file, `${file}-wal`].some((name) => readFileSync(name).includes(word));
    }
    for (const { name } of await steno.database.db.introspection.getTables()) {
      const { rows } = await sql<{ found: number }>`select count(*) as found from ${sql.table(name)} as t
        where t::text like ${`%${word}%`} or t::text like ${`%${Buffer.from(word).toString('hex')}%`}`.execute(
        steno.database.db,
      );
      if (Number(rows[0]?.found) > 0) return true;
    }
    return false;
  }

  test('nothing of a purged note stays in the database: text, title, transcript, index', async () => {
    const { id } = (await steno.upload(key)).body.data;
    const spoken = 'quokkatranscript';
    await steno.database.db
      .updateTable('transcriptions')
      .set({ text: spoken, segments: null })
      .where('id', '=', id)
      .execute();
    const large = 'wombatcontent '.repeat(5_000);
    const note = await create({ title: 'numbattitle', content: large, transcription_id: id });
    await create({ content: 'echidna stays' });
    await steno.call('PATCH', `/notes/${note.id}`, { key, body: { enhanced_content: 'bilbyenhanced' } });
    await steno.database.search.indexPending();
    const { user_id } = note;
    await steno.database.search.merge(user_id);
    const words = ['numbattitl', 'wombatcont', 'bilbyenhanc', spoken];
    for (const word of [...words, 'echidna']) expect([word, await isStored(word)]).toEqual([word, true]);

    await remove(note.id);
    for (const word of words) expect([word, await isStored(word)]).toEqual([word, true]);
    expect((await steno.call('DELETE', `/notes/trash/${note.id}`, { key })).status).toBe(204);
    await steno.database.search.scrub();
    for (const word of words) expect([word, await isStored(word)]).toEqual([word, false]);
    expect(await search('echidna')).toHaveLength(1);
    expect((await steno.call('GET', `/transcriptions/${id}`, { key })).status).toBe(404);
  });
});
