import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transcription } from '../../src/domain/transcription.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import {
  at,
  folderRow,
  insertNote,
  insertPerson,
  insertTeam,
  noteRow,
  spaceRow,
  transcriptionRow,
} from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const person = () => insertPerson(store);
const owner = (ownerId: string) => ({ kind: 'owner', ownerId }) as const;
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const _writing = (userId: string, fields = {}) => ({
  by: { edit: null, edited_by: userId, edited_with: null },
  limits: { id: newUuid(), max: 3, notBefore: at(0), ...fields },
});
const note = async (ownerId: string, fields = {}) => (await insertNote(store, ownerId, fields)).row;
const folder = async (ownerId: string, fields = {}) => {
  const row = folderRow(ownerId, fields);
  expect(await store.folders.insert(row, 50)).toMatchObject({ id: row.id });
  return row;
};

describe('many notes', () => {
  test('change together, except those of others, in the trash, or as asked already', async () => {
    const [ada, eve] = [await person(), await person()];
    const [mine, theirs] = [await folder(ada.id), await folder(eve.id)];
    const [one, two, pinned, gone] = [
      await note(ada.id),
      await note(ada.id),
      await note(ada.id, { pinned: true }),
      await note(ada.id),
    ];
    const other = await note(eve.id);
    await store.notes.softDelete(owner(ada.id), gone.id, at(1));
    const ids = [one.id, two.id, pinned.id, gone.id, other.id];
    const change = async (
      what: Parameters<typeof store.manyNotes.change>[2],
      second: number,
      which = ids,
    ) => {
      const outcome = await store.manyNotes.change(owner(ada.id), which, what, at(second));
      return typeof outcome === 'string'
        ? outcome
        : outcome.map(({ id, updated_at }) => [id, updated_at]).sort();
    };
    expect(await change({ pinned: true }, 2)).toEqual(
      [
        [one.id, at(2)],
        [two.id, at(2)],
        [pinned.id, at(0)],
      ].sort(),
    );
    expect(await store.notes.get(owner(ada.id), one.id)).toMatchObject({ pinned: true, revision: 2 });
    expect(await store.notes.get(owner(ada.id), pinned.id)).toMatchObject({ revision: 1 });
    expect(await store.notes.get(owner(eve.id), other.id)).toMatchObject({ pinned: false, revision: 1 });
    expect(await change({ folder_id: theirs.id }, 3)).toBe('unknown folder');
    expect(await change({ folder_id: newUuid() }, 3)).toBe('unknown folder');
    expect(await change({ folder_id: mine.id }, 3, [one.id, two.id])).toHaveLength(2);
    expect(await store.notes.get(owner(ada.id), pinned.id)).toMatchObject({ folder_id: null });
    expect(await change({ folder_id: null }, 4, [one.id])).toEqual([[one.id, at(4)]]);
    expect(await change({ deleted: true }, 5, [one.id, gone.id, other.id])).toHaveLength(2);
    expect(idsOf(await store.trash.list(ada.id, { limit: 9 }))).toEqual([one.id, gone.id]);
    expect(await store.notes.get(owner(eve.id), other.id)).toBeDefined();
    expect(await change({ deleted: false }, 6, [one.id, two.id])).toEqual(
      [
        [one.id, at(6)],
        [two.id, at(3)],
      ].sort(),
    );
    await expect
      .poll(async () => (await store.notes.search(ada.id, { query: 'words', limit: 9 })).data)
      .toHaveLength(3);
    expect(idsOf(await store.trash.list(ada.id, { limit: 9 }))).toEqual([gone.id]);
  });

  test('that go to the trash or to another owner while a search runs are not shown', async () => {
    const [ada, eve] = [await person(), await person()];
    const [stays, gone, moved] = [await note(ada.id), await note(ada.id), await note(ada.id)];
    // As if it happened between the index and the notes.
    const set = (id: string, values: { deleted_at: string } | { owner_id: string }) =>
      steno.database.write((db) => db.updateTable('notes').set(values).where('id', '=', id).execute());
    await set(gone.id, { deleted_at: at(1) });
    await set(moved.id, { owner_id: eve.id });
    const { data } = await store.notes.search(ada.id, { query: 'words', limit: 9 });
    expect(idsOf(data)).toEqual([stays.id]);
    expect((await store.notes.search(ada.id, { query: 'nowhere', limit: 9 })).data).toEqual([]);
  });

  test('of a member go into a folder of the same owner only', async () => {
    const ours = await insertTeam(store);
    const space = await store.spaces.insert(ours.id, spaceRow());
    const shared = await folder(space.id, { space_id: space.id });
    const [own, team] = [
      await note(ours.admin.id),
      await note(space.id, { space_id: space.id, user_id: ours.admin.id }),
    ];
    const move = (...ids: string[]) =>
      store.manyNotes.change({ kind: 'member', userId: ours.admin.id }, ids, { folder_id: shared.id }, at(2));
    expect(await move(own.id, team.id)).toBe('unknown folder');
    expect(await move(team.id)).toHaveLength(1);
  });

  test('stored together have each an outcome, and are found; nobody gets them who has no account', async () => {
    const [ada, eve] = [await person(), await person()];
    const linked = await transcribed(ada.id);
    const rows = [
      { note: noteRow(ada.id, { content: 'harbour one' }), transcriptionId: undefined },
      { note: noteRow(ada.id, { folder_id: newUuid() }), transcriptionId: undefined },
      { note: noteRow(ada.id, { content: 'harbour two' }), transcriptionId: linked.id },
      { note: noteRow(ada.id), transcriptionId: linked.id },
      { note: noteRow(ada.id), transcriptionId: (await transcribed(eve.id)).id },
      { note: noteRow(ada.id, { content: 'harbour three' }), transcriptionId: undefined },
    ];
    const outcomes = ['ok', 'unknown folder', 'ok', 'linked already', 'unknown transcription', 'ok'];
    expect(await store.bulk.insertNotes(rows)).toEqual(outcomes);
    expect((await store.notes.search(ada.id, { query: 'harbour', limit: 9 })).data).toHaveLength(3);
    expect((await store.transcriptions.get(owner(ada.id), linked.id))?.note_id).toBe(rows[2]?.note.id);
    const nobody = [
      { note: noteRow(ada.id), transcriptionId: undefined },
      { note: noteRow(newUuid()), transcriptionId: undefined },
    ];
    await expect(store.bulk.insertNotes(nobody)).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect(await store.notes.list(ada.id, { limit: 9 })).toHaveLength(3);
    await expect(
      store.bulk.insertNotes([{ note: noteRow(newUuid()), transcriptionId: undefined }]),
    ).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});

async function transcribed(userId: string, fields: Partial<Transcription> = {}) {
  const row = transcriptionRow(userId, fields);
  await store.imports.insertTranscription({ ...row, segments: null });
  return row;
}

describe('the trash', () => {
  test('is its owner’s: listed, given back and emptied by them alone, or after its time', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, two, kept] = [
      await note(ada.id, { content: 'lost and found' }),
      await note(ada.id),
      await note(ada.id),
    ];
    const other = await note(eve.id);
    const heard = [await transcribed(ada.id), await transcribed(ada.id)];
    await steno.database.write((db) =>
      db
        .updateTable('transcriptions')
        .set({ note_id: two.id })
        .where('id', '=', heard[0]?.id ?? '')
        .execute(),
    );
    await steno.database.write((db) =>
      db
        .updateTable('transcriptions')
        .set({ note_id: kept.id })
        .where('id', '=', heard[1]?.id ?? '')
        .execute(),
    );
    for (const [second, { id }] of [one, two].entries())
      await store.notes.softDelete(owner(ada.id), id, at(second + 1));
    await store.notes.softDelete(owner(eve.id), other.id, at(2));
    const list = async (ownerId: string) => idsOf(await store.trash.list(ownerId, { limit: 9 }));
    expect(await list(ada.id)).toEqual([two.id, one.id]);
    expect(await store.trash.restore(owner(eve.id), one.id, at(3))).toBeUndefined();
    expect(await store.trash.restore(owner(ada.id), kept.id, at(3))).toBeUndefined();
    expect(await store.trash.restore(owner(ada.id), one.id, at(3))).toMatchObject({
      id: one.id,
      updated_at: at(3),
    });
    expect(idsOf((await store.notes.search(ada.id, { query: 'found', limit: 9 })).data)).toEqual([one.id]);
    expect(await list(ada.id)).toEqual([two.id]);
    expect(await store.trash.purge(owner(eve.id), two.id)).toBe(false);
    expect(await store.trash.purge(owner(ada.id), kept.id)).toBe(false);
    expect(await store.trash.purge(owner(ada.id), two.id)).toBe(true);
    expect(await list(ada.id)).toEqual([]);
    expect(await list(eve.id)).toEqual([other.id]);
    const words = await Promise.all(heard.map(({ id }) => store.transcriptions.get(owner(ada.id), id)));
    expect(words.map((each) => each !== undefined)).toEqual([false, true]);
    expect(await store.notes.list(ada.id, { limit: 9 })).toHaveLength(2);

    await store.notes.softDelete(owner(ada.id), one.id, at(4));
    await store.trash.purgeOlder(at(2));
    expect([await list(ada.id), await list(eve.id)]).toEqual([[one.id], [other.id]]);
    await store.trash.empty(ada.id);
    expect([await list(ada.id), await list(eve.id)]).toEqual([[], [other.id]]);
    await store.trash.empty(ada.id);
    await store.trash.purgeOlder(at(3));
    expect(await list(eve.id)).toEqual([]);
    expect(idsOf(await store.notes.list(ada.id, { limit: 9 }))).toEqual([kept.id]);
    const purged = (await store.audit.list({ act: 'note.purged' }, { limit: 9 })).map(
      ({ subject_id, detail }) => subject_id ?? detail,
    );
    expect(purged.sort()).toEqual(['1 notes of the trash', two.id].sort());
  });
});

describe('folders', () => {
  test('are renamed and removed by their owner; their notes stay, or go to the trash', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, two, theirs] = [
      await folder(ada.id, { name: 'One' }),
      await folder(ada.id, { name: 'Two' }),
      await folder(eve.id, { name: 'Three' }),
    ];
    const [inside, second, outside] = [
      await note(ada.id, { folder_id: one.id }),
      await note(ada.id, { folder_id: two.id }),
      await note(ada.id),
    ];
    const gone = await note(ada.id, { folder_id: one.id });
    await store.notes.softDelete(owner(ada.id), gone.id, at(1));
    const rename = (ownerId: string, id: string, name: string) =>
      store.folders.update(owner(ownerId), id, { name }, at(2));
    expect(await rename(eve.id, one.id, 'Mine')).toBe('not found');
    expect(await rename(ada.id, one.id, 'Two')).toBe('conflict');
    expect(await rename(ada.id, one.id, 'Three')).toMatchObject({ name: 'Three', updated_at: at(2) });
    expect(await rename(ada.id, one.id, 'three')).toMatchObject({ name: 'three' });
    expect(await store.folders.update(owner(ada.id), one.id, {}, at(9))).toMatchObject({ name: 'three' });
    expect((await store.folders.list(ada.id)).map(({ name }) => name)).toEqual(['three', 'Two']);
    const how = (notes: 'keep' | 'trash') => ({ notes, now: at(3) });
    expect(await store.folders.remove(owner(eve.id), one.id, how('keep'))).toBe(false);
    expect(await store.folders.remove(owner(ada.id), one.id, how('keep'))).toBe(true);
    expect(await store.notes.get(owner(ada.id), inside.id)).toMatchObject({
      folder_id: null,
      revision: 2,
      updated_at: at(3),
    });
    expect(await store.notes.get(owner(ada.id), second.id)).toMatchObject({ folder_id: two.id, revision: 1 });
    expect(await store.folders.remove(owner(ada.id), two.id, how('trash'))).toBe(true);
    expect(idsOf(await store.notes.list(ada.id, { limit: 9 })).sort()).toEqual(
      [inside.id, outside.id].sort(),
    );
    expect(await store.trash.list(ada.id, { limit: 9 })).toMatchObject([
      { id: second.id, deleted_at: at(3) },
      { id: gone.id, deleted_at: at(1) },
    ]);
    expect(await store.folders.list(ada.id)).toEqual([]);
    expect(idsOf(await store.folders.list(eve.id))).toEqual([theirs.id]);
  });
});
