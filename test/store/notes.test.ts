import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NoteListQuery } from '../../src/features/notes/lists.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, folderRow, insertNote, insertPerson, insertTeam, spaceRow } from '../support/rows.ts';
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
const writing = (userId: string, fields = {}) => ({
  by: { edit: null, edited_by: userId, edited_with: null },
  limits: { id: newUuid(), max: 3, notBefore: at(0), ...fields },
});
const note = async (ownerId: string, fields = {}) => (await insertNote(store, ownerId, fields)).row;
const folder = async (ownerId: string, fields = {}) => {
  const row = folderRow(ownerId, fields);
  expect(await store.folders.insert(row, 50)).toMatchObject({ id: row.id });
  return row;
};

describe('lists of notes', () => {
  test('have those of the owner that are asked for, in every order and with every filter', async () => {
    const [ada, eve] = [await person(), await person()];
    const inbox = await folder(ada.id);
    await folder(eve.id);
    const old = await note(ada.id, {
      created_at: at(1),
      updated_at: at(9),
      pinned: true,
      folder_id: inbox.id,
    });
    const meeting = await note(ada.id, { created_at: at(2), updated_at: at(2), note_type: 'meeting' });
    const fresh = await note(ada.id, { created_at: at(3), updated_at: at(3), folder_id: inbox.id });
    const gone = await note(ada.id, { created_at: at(4), updated_at: at(4), folder_id: inbox.id });
    await note(eve.id, { created_at: at(2), updated_at: at(2), pinned: true, note_type: 'meeting' });
    await store.notes.softDelete(owner(ada.id), gone.id, at(5));
    const names = new Map([
      [old.id, 'old'],
      [meeting.id, 'meeting'],
      [fresh.id, 'fresh'],
    ]);
    const list = async (query: Partial<NoteListQuery> = {}) =>
      (await store.notes.list(ada.id, { limit: 9, ...query })).map(({ id }) => names.get(id)).join(' ');
    expect(await list()).toBe('fresh meeting old');
    expect(await list({ since: at(2) })).toBe('fresh meeting');
    expect(await list({ until: at(3) })).toBe('meeting old');
    expect(await list({ sort: 'updated' })).toBe('old fresh meeting');
    expect(await list({ sort: 'updated', since: at(3) })).toBe('old fresh');
    expect(await list({ sort: 'updated', until: at(9) })).toBe('fresh meeting');
    expect(await list({ pinnedFirst: true })).toBe('old fresh meeting');
    expect(await list({ noteType: 'meeting' })).toBe('meeting');
    expect(await list({ folderId: inbox.id })).toBe('fresh old');
    expect(await list({ folderId: inbox.id, noteType: 'meeting' })).toBe('');
    expect(await store.notes.list(eve.id, { limit: 9, folderId: inbox.id })).toEqual([]);
    const behind = (row: typeof old, pinned?: boolean) => ({
      at: row.created_at,
      id: row.id,
      ...(pinned === undefined ? {} : { pinned }),
    });
    expect(await list({ after: behind(fresh) })).toBe('meeting old');
    expect(await list({ pinnedFirst: true, after: behind(old, true) })).toBe('fresh meeting');
    expect(await list({ pinnedFirst: true, after: behind(fresh, false) })).toBe('meeting');
    expect(await list({ folderId: inbox.id, after: behind(fresh) })).toBe('old');
    expect(await list({ pinnedFirst: true, limit: 2 })).toBe('old fresh');
    expect(idsOf(await store.notes.listWhole(ada.id, { limit: 9 }))).toEqual([fresh.id, meeting.id, old.id]);
  });

  test('read no more of a note than is asked for', async () => {
    const { id } = await person();
    await note(id, { title: 'Title', content: '# Head\n\nand the rest', enhanced_content: 'better' });
    const part = async (fields: string[], query = {}) =>
      (await store.notes.listParts(id, { limit: 1, ...query }, new Set(fields)))[0];
    const place = ['created_at', 'id', 'pinned', 'updated_at'];
    const names = async (fields: string[], query = {}) =>
      Object.keys((await part(fields, query)) ?? {}).sort();
    expect(await names(['id'])).toEqual(place);
    expect(await names(['title'])).toEqual([...place, 'title'].sort());
    expect(await names(['content'], { pinnedFirst: true })).toEqual([...place, 'content'].sort());
    expect(await names(['preview'])).toEqual([...place, 'preview'].sort());
    expect(await names(['preview'], { sort: 'updated' })).toEqual([...place, 'preview'].sort());
    expect((await part(['preview']))?.preview).toBe('Head and the rest');
    const rest = await names(['note_type']);
    expect(rest).toEqual(expect.arrayContaining(['note_type', 'folder_id', 'revision']));
    for (const field of ['content', 'title', 'enhanced_content', 'preview'])
      expect(rest).not.toContain(field);
  });
});

describe('one note', () => {
  test('is found by the id that its client gave it, by its owner alone, and is made once', async () => {
    const [ada, eve] = [await person(), await person()];
    const [first, second] = [await note(ada.id, { client_note_id: 'mine' }), await note(ada.id)];
    const other = await note(eve.id, { client_note_id: 'mine' });
    expect((await insertNote(store, ada.id, { client_note_id: 'mine' })).outcome).toBe('known');
    const find = async (ownerId: string, id: string) => (await store.notes.findByClientId(ownerId, id))?.id;
    expect(await find(ada.id, 'mine')).toBe(first.id);
    expect(await find(eve.id, 'mine')).toBe(other.id);
    expect(await find(ada.id, second.id)).toBe(second.id);
    expect(await find(eve.id, second.id)).toBeUndefined();
    await store.notes.softDelete(owner(ada.id), first.id, at(3));
    expect(await store.notes.findByClientId(ada.id, 'mine')).toMatchObject({ deleted_at: at(3) });
    expect(await store.notes.place(owner(ada.id), first.id)).toBeUndefined();
    expect(await store.notes.place(owner(eve.id), second.id)).toBeUndefined();
    expect(await store.notes.place(owner(ada.id), second.id)).toEqual({
      owner_id: ada.id,
      space_id: null,
      folder_id: null,
    });
  });

  test('of a space is reached by its members, while the space is there', async () => {
    const [ours, eve] = [await insertTeam(store), await person()];
    const space = await store.spaces.insert(ours.id, spaceRow());
    const row = await note(space.id, { space_id: space.id, user_id: ours.admin.id });
    const [own, mine] = [await note(eve.id), await note(ours.admin.id)];
    const member = (userId: string) => ({ kind: 'member', userId }) as const;
    const reached = async (userId: string) =>
      (await Promise.all([row, own, mine].map(({ id }) => store.notes.get(member(userId), id)))).map(
        (one) => one !== undefined,
      );
    expect(await reached(ours.admin.id)).toEqual([true, false, true]);
    expect(await reached(eve.id)).toEqual([false, true, false]);
    const owners = async (userId: string) => (await store.changes.ownersIn(member(userId))).sort();
    expect(await owners(ours.admin.id)).toEqual([ours.admin.id, space.id].sort());
    expect(await owners(eve.id)).toEqual([eve.id]);
    const inside = { kind: 'any space of', workspaceId: ours.id } as const;
    expect(await store.changes.ownersIn(inside)).toEqual([space.id]);
    expect(await store.changes.ownersIn(owner(eve.id))).toEqual([eve.id]);
    await store.spaces.archive({}, space.id, at(1));
    expect(await reached(ours.admin.id)).toEqual([false, false, true]);
    expect(await owners(ours.admin.id)).toEqual([ours.admin.id]);
    expect(await store.changes.ownersIn(inside)).toEqual([]);
  });

  test('changes once by one edit, as expected, into a folder of its owner', async () => {
    const [ada, eve] = [await person(), await person()];
    const [mine, theirs] = [await folder(ada.id), await folder(eve.id)];
    const row = await note(ada.id);
    const update = (changes: object, second: number, more = {}) =>
      store.notes.update(owner(ada.id), row.id, changes, at(second), { ...writing(ada.id), ...more });
    expect(await update({ folder_id: theirs.id }, 1)).toBe('unknown folder');
    const edit = { session: 's', seq: 1 };
    const by = { edit, edited_by: ada.id, edited_with: null };
    expect(await update({ folder_id: mine.id }, 2, { by })).toMatchObject({
      folder_id: mine.id,
      revision: 2,
      edit: null,
      edited_by: null,
    });
    expect(await update({ folder_id: null }, 3, { by })).toMatchObject({ folder_id: mine.id, revision: 2 });
    expect(await update({ content: 'x' }, 3, { expected: { revision: 1 } })).toMatchObject({
      changedSince: { revision: 2 },
    });
    expect(
      await update({ content: 'x' }, 3, {
        expected: { revision: 2 },
        by: { ...by, edit: { ...edit, seq: 2 } },
      }),
    ).toMatchObject({ content: 'x', revision: 3, edit: { seq: 2 }, edited_by: ada.id });
    // The clock stands still, and the times of changes do not.
    const next = await update({ content: 'y' }, 3);
    expect(next).toMatchObject({ updated_at: new Date(Date.parse(at(3)) + 1).toISOString() });
    expect(await store.folders.list(eve.id)).toHaveLength(1);
  });

  test('keeps so many earlier texts, for so long', async () => {
    const [ada, eve] = [await person(), await person()];
    const [row, other] = [await note(ada.id, { content: 'zero' }), await note(ada.id, { content: 'other' })];
    const update = (id: string, content: string, second: number, limits = {}) =>
      store.notes.update(owner(ada.id), id, { content }, at(second), writing(ada.id, limits));
    await update(other.id, 'changed', 1);
    for (const [second, content] of ['one', 'two', 'three', 'four'].entries())
      await update(row.id, content, second + 2);
    const texts = async (id = row.id, notBefore = at(0), reader = ada.id) => {
      const listed = (await store.revisions.list(owner(reader), id, notBefore)) ?? [];
      const whole = await Promise.all(
        listed.map((each) => store.revisions.get(owner(reader), id, each.id, notBefore)),
      );
      return whole.map((each) => each?.content).join(' ');
    };
    expect(await texts()).toBe('three two one');
    expect(await texts(row.id, at(4))).toBe('three two');
    expect(await texts(other.id)).toBe('other');
    expect(await store.revisions.list(owner(eve.id), row.id, at(0))).toBeUndefined();
    const [last] = (await store.revisions.list(owner(ada.id), row.id, at(0))) ?? [];
    const get = (reader: string, noteId: string, notBefore = at(0)) =>
      store.revisions.get(owner(reader), noteId, last?.id ?? '', notBefore);
    expect(await get(eve.id, row.id)).toBeUndefined();
    expect(await get(ada.id, other.id)).toBeUndefined();
    expect(await get(ada.id, row.id, at(9))).toBeUndefined();
    expect(await get(ada.id, row.id)).toMatchObject({ content: 'three' });
    await update(row.id, 'five', 6, { notBefore: at(5) });
    expect(await texts()).toBe('four three');
    await update(row.id, 'six', 7, { max: 0 });
    expect(await texts()).toBe('');
    await update(row.id, 'seven', 8);
    await store.revisions.removeOlder(at(8));
    expect([await texts(), await texts(other.id)]).toEqual(['six', '']);
    await store.notes.softDelete(owner(ada.id), row.id, at(9));
    expect(await store.revisions.list(owner(ada.id), row.id, at(0))).toBeUndefined();
  });
});
