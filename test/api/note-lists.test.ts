import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Note, noteSorts, noteTypes } from '../../src/domain/note.ts';
import { selectList } from '../../src/features/notes/lists.ts';
import { seededRandom } from '../support/random.ts';
import { at, folderRow, insertNote } from '../support/rows.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const folders = [true, false];
const combinations = folders.flatMap((inFolder) =>
  [undefined, ...noteTypes].flatMap((noteType) =>
    noteSorts.flatMap((sort) =>
      [true, false].flatMap((pinnedFirst) =>
        [true, false].map((bounded) => ({ inFolder, noteType, sort, pinnedFirst, bounded })),
      ),
    ),
  ),
);

describe.each(anyDatabase)('lists of notes on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let folderId: string;
  let notes: Note[];

  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
    const person = await steno.person();
    ({ key } = person);
    const random = seededRandom(7);
    const folder = await steno.store.folders.insert(folderRow(person.user.id), 50);
    folderId = typeof folder === 'string' ? expect.fail(folder) : folder.id;
    notes = [];
    for (let count = 0; count < 150; count += 1) {
      const created = random.between(0, 39);
      const { row } = await insertNote(steno.store, person.user.id, {
        note_type: noteTypes[random.between(0, 2)] ?? 'personal',
        folder_id: random.between(0, 2) === 0 ? null : folderId,
        pinned: random.between(0, 3) === 0,
        created_at: at(created),
        updated_at: at(created + random.between(0, 39)),
      });
      const { owner_id: _, space_id: __, transcript: ___, other_edit: ____, ...note } = row;
      if (random.between(0, 9) === 0) await steno.call('DELETE', `/notes/${note.id}`, { key });
      else notes.push(note);
    }
  });
  afterAll(() => steno.close());

  test.each(combinations)(
    '$noteType by $sort, in a folder: $inFolder, pinned first: $pinnedFirst, bounded: $bounded',
    async ({ inFolder, noteType, sort, pinnedFirst, bounded }) => {
      const [since, until] = [at(8), at(50)];
      const time = (note: Note) => (sort === 'created' ? note.created_at : note.updated_at);
      const expected = notes
        .filter((note) => !inFolder || note.folder_id === folderId)
        .filter((note) => noteType === undefined || note.note_type === noteType)
        .filter((note) => !bounded || (time(note) >= since && time(note) < until))
        .sort(
          (one, other) =>
            (pinnedFirst ? Number(other.pinned) - Number(one.pinned) : 0) ||
            compare(time(other), time(one)) ||
            compare(other.id, one.id),
        );
      const query = new URLSearchParams({ limit: '7', sort });
      if (inFolder) query.set('folder_id', folderId);
      if (noteType) query.set('note_type', noteType);
      if (pinnedFirst) query.set('pinned', 'first');
      if (bounded) for (const [name, value] of Object.entries({ since, until })) query.set(name, value);
      const seen: Note[] = [];
      for (let more = true; more; ) {
        const { status, body } = await steno.call('GET', `/notes/list?${query}`, { key });
        expect(status).toBe(200);
        seen.push(...body.data);
        more = body.has_more;
        query.set('cursor', body.next_cursor);
      }
      expect(seen).toEqual(expected);
    },
  );

  test.each(combinations)(
    'goes by an index: %o',
    async ({ inFolder, noteType, sort, pinnedFirst, bounded }) => {
      const query = {
        limit: 51,
        noteType,
        sort,
        pinnedFirst,
        folderId: inFolder ? folderId : undefined,
        after: { at: at(30), id: folderId, pinned: true },
        ...(bounded ? { since: at(8), until: at(50) } : {}),
      };
      const plan = await steno.database.db.transaction().execute(async (trx) => {
        const list = selectList(trx, 'x', query);
        if (databaseKind === 'sqlite') return JSON.stringify(await list.explain(undefined, sql`query plan`));
        for (const way of ['seqscan', 'bitmapscan', 'sort'])
          await sql.raw(`set local enable_${way} = off`).execute(trx);
        return JSON.stringify(await list.explain());
      });
      const name = `notes_${inFolder ? 'in_folder' : noteType || pinnedFirst || sort === 'updated' ? 'by_type' : 'by_owner'}`;
      const byChange = inFolder ? 'notes_in_folder_by_change' : 'notes_by_change';
      expect(plan).toContain(sort === 'updated' ? byChange : name);
      expect(plan).not.toMatch(/SCAN notes|Seq Scan on notes/);
    },
  );

  test('refuses the cursor of another order, and values it does not know', async () => {
    const { next_cursor } = (await steno.call('GET', '/notes/list?limit=1&pinned=first', { key })).body;
    for (const query of [
      `cursor=${next_cursor}`,
      'sort=title',
      'pinned=last',
      'since=yesterday',
      'note_type=x',
    ])
      expect((await steno.call('GET', `/notes/list?${query}`, { key })).status).toBe(400);
  });
});

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
