import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxFoldersPerOwner } from '../../src/domain/folder.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import {
  at,
  folderRow,
  insertNote,
  keyRow,
  noteRow,
  spaceRow,
  userRow,
  workspaceRow,
} from '../support/rows.ts';
import { databaseKinds } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';

describe.each(databaseKinds)('the store on %s', (databaseKind) => {
  let steno: TestStore;
  let store: TestStore['store'];
  beforeAll(async () => {
    steno = await openStore(databaseKind);
    ({ store } = steno);
  });
  afterAll(() => steno.close());

  const writing = {
    by: { edit: null, edited_by: newUuid(), edited_with: null },
    get limits() {
      return { id: newUuid(), max: 100, notBefore: at(0) };
    },
  };
  const owner = (ownerId: string) => ({ kind: 'owner', ownerId }) as const;
  const found = async (ownerId: string, query: string) =>
    (await store.notes.search(ownerId, { query: query, limit: 50 })).data.map(({ id }) => id);
  async function person(fields = {}) {
    const user = userRow(fields);
    expect(await store.users.insert(user)).toBe('ok');
    return user;
  }
  async function team() {
    const admin = await person();
    const workspace = workspaceRow();
    await store.workspaces.insert(workspace, admin.id);
    const space = await store.spaces.insert(workspace.id, spaceRow());
    return { admin, workspace, space };
  }

  describe('notes', () => {
    test('come back exactly as they were stored', async () => {
      const { id: ownerId } = await person();
      const { row, outcome } = await insertNote(store, ownerId, {
        title: 'Zürich 🎙 "quoted"',
        content: "line\r\n\ttab ' % _ \\ \u{1F600}",
        enhanced_content: '',
        note_type: 'meeting',
        participants: '["Ada"]',
        calendar_event_id: 'event',
        transcript: '[]',
        updated_at: at(5),
      });
      expect(outcome).toBe('ok');
      const { owner_id: _, space_id: __, other_edit: ___, ...wire } = row;
      expect(await store.notes.get(owner(ownerId), row.id)).toEqual(wire);
      const { transcript: ____, ...listed } = wire;
      expect(await store.notes.list(ownerId, { limit: 9 })).toEqual([listed]);
    });

    test('keep each field in its column, whatever order a note names them in', async () => {
      const { id: ownerId } = await person();
      await insertNote(store, ownerId);
      const row = noteRow(ownerId, { title: 'the title', content: 'the content' });
      const reversed = Object.fromEntries(Object.entries(row).reverse()) as typeof row;
      expect(await store.notes.insert(reversed)).toBe('ok');
      const { owner_id: _, space_id: __, other_edit: ___, ...wire } = row;
      expect(await store.notes.get(owner(ownerId), row.id)).toEqual(wire);
    });

    test('that cannot be stored leave neither a row nor a word to find', async () => {
      const { id: ownerId } = await person();
      const { row } = await insertNote(store, ownerId, { content: 'first' });
      await expect(insertNote(store, ownerId, { id: row.id, content: 'duplicate' })).rejects.toThrow();
      const unknown = await insertNote(store, ownerId, { content: 'homeless', folder_id: newUuid() });
      expect(unknown.outcome).toBe('unknown folder');
      expect(await found(ownerId, 'duplicate')).toEqual([]);
      expect(await found(ownerId, 'homeless')).toEqual([]);
      expect(await store.notes.list(ownerId, { limit: 9 })).toHaveLength(1);
    });

    test('list newest first, ties by id, and go on after a position while others come and go', async () => {
      const { id: ownerId } = await person();
      const rows = await Promise.all(
        [1, 1, 1, 2, 3].map((second) => insertNote(store, ownerId, { created_at: at(second) })),
      );
      const order = rows
        .map(({ row }) => row)
        .sort((one, other) =>
          one.created_at === other.created_at
            ? other.id < one.id
              ? -1
              : 1
            : other.created_at < one.created_at
              ? -1
              : 1,
        )
        .map(({ id }) => id);
      const ids = async (options: Parameters<typeof store.notes.list>[1]) =>
        (await store.notes.list(ownerId, options)).map(({ id }) => id);
      expect(await ids({ limit: 9 })).toEqual(order);
      expect(await ids({ limit: 3 })).toEqual(order.slice(0, 3));
      const [, , third = ''] = order;
      await insertNote(store, ownerId, { created_at: at(9) });
      await store.notes.softDelete(owner(ownerId), third, at(9));
      expect(await ids({ limit: 9, after: { at: at(1), id: third } })).toEqual(order.slice(3));
      expect(await ids({ limit: 9, after: { at: at(2), id: null } })).toEqual(order.slice(3));
    });

    test('list by folder', async () => {
      const { id: ownerId } = await person();
      const folder = folderRow(ownerId);
      await store.folders.insert(folder, 50);
      const inside = await insertNote(store, ownerId, { folder_id: folder.id });
      await insertNote(store, ownerId);
      const listed = await store.notes.list(ownerId, { limit: 9, folderId: folder.id });
      expect(listed.map(({ id }) => id)).toEqual([inside.row.id]);
      const stranger = await person();
      expect(await store.notes.list(stranger.id, { limit: 9, folderId: folder.id })).toEqual([]);
    });

    test('change only in what is given, and are found by what they say now', async () => {
      const { id: ownerId } = await person();
      const { row } = await insertNote(store, ownerId, { title: 'old title', content: 'apples' });
      const changed = await store.notes.update(owner(ownerId), row.id, { content: 'pears' }, at(7), writing);
      const { owner_id: _, space_id: __, other_edit: ___, ...wire } = row;
      const author = { ...writing.by, edited_at: at(7) };
      expect(changed).toEqual({ ...wire, ...author, content: 'pears', revision: 2, updated_at: at(7) });
      expect(await store.notes.get(owner(ownerId), row.id)).toEqual(changed);
      expect(await found(ownerId, 'apples')).toEqual([]);
      expect(await found(ownerId, 'pears title')).toEqual([row.id]);
      expect(await store.notes.update(owner(ownerId), row.id, {}, at(8), writing)).toEqual(changed);
    });

    test('whose change fails stay as they were, words included', async () => {
      const { id: ownerId } = await person();
      const { row } = await insertNote(store, ownerId, { content: 'steady' });
      const before = await store.notes.get(owner(ownerId), row.id);
      const nothing = { title: 'shaken', content: null as unknown as string };
      await expect(store.notes.update(owner(ownerId), row.id, nothing, at(7), writing)).rejects.toThrow();
      const unknown = { content: 'shaken', folder_id: newUuid() };
      expect(await store.notes.update(owner(ownerId), row.id, unknown, at(7), writing)).toBe(
        'unknown folder',
      );
      expect(await store.notes.get(owner(ownerId), row.id)).toEqual(before);
      expect(await found(ownerId, 'steady')).toEqual([row.id]);
      expect(await found(ownerId, 'shaken')).toEqual([]);
    });

    test('are gone for every call once deleted, and deleted once', async () => {
      const { id: ownerId } = await person();
      const { row } = await insertNote(store, ownerId, { content: 'ephemeral' });
      const deletes = await Promise.all(
        [1, 2, 3].map(() => store.notes.softDelete(owner(ownerId), row.id, at(3))),
      );
      expect(deletes.filter(Boolean)).toHaveLength(1);
      expect(await store.notes.get(owner(ownerId), row.id)).toBeUndefined();
      expect(await store.notes.list(ownerId, { limit: 9 })).toEqual([]);
      expect(await found(ownerId, 'ephemeral')).toEqual([]);
      expect(await store.notes.update(owner(ownerId), row.id, { content: 'x' }, at(4), writing)).toBe(
        'not found',
      );
    });

    test('of another owner are out of reach of every call', async () => {
      const [ada, eve] = [await person(), await person()];
      const folder = folderRow(ada.id);
      await store.folders.insert(folder, 50);
      const { row } = await insertNote(store, ada.id, { content: 'confidential' });
      expect(await store.notes.get(owner(eve.id), row.id)).toBeUndefined();
      expect(await store.notes.softDelete(owner(eve.id), row.id, at(1))).toBe(false);
      expect(await store.notes.update(owner(eve.id), row.id, { content: 'x' }, at(1), writing)).toBe(
        'not found',
      );
      expect(await found(eve.id, 'confidential')).toEqual([]);
      expect((await insertNote(store, eve.id, { folder_id: folder.id })).outcome).toBe('unknown folder');
      expect(await found(ada.id, 'confidential')).toEqual([row.id]);
    });

    test('changed at the same time keep one whole change after the other', async () => {
      const { id: ownerId } = await person();
      const { row } = await insertNote(store, ownerId, { title: 'zero', content: 'zero' });
      await Promise.all(
        ['one', 'two', 'three', 'four', 'five', 'six'].map((word) =>
          store.notes.update(owner(ownerId), row.id, { title: word, content: word }, at(1), writing),
        ),
      );
      const after = await store.notes.get(owner(ownerId), row.id);
      expect(after?.title).toBe(after?.content);
      expect(await found(ownerId, `"${after?.title}"`)).toEqual([row.id]);
      expect(await found(ownerId, '"zero"')).toEqual([]);
    });

    test('of a space are reached through its workspace, unless the space is archived', async () => {
      const { admin, workspace, space } = await team();
      const other = await team();
      const { row } = await insertNote(store, space.id, { space_id: space.id, user_id: admin.id });
      const reach = { kind: 'any space of', workspaceId: workspace.id } as const;
      expect((await store.notes.get(reach, row.id))?.id).toBe(row.id);
      const foreign = { kind: 'any space of', workspaceId: other.workspace.id } as const;
      expect(await store.notes.get(foreign, row.id)).toBeUndefined();
      expect(await store.notes.softDelete(foreign, row.id, at(1))).toBe(false);
      await store.spaces.archive({}, space.id, at(1));
      expect(await store.notes.get(reach, row.id)).toBeUndefined();
    });

    test('score 1 when they match best, and less after that', async () => {
      const { id: ownerId } = await person();
      await insertNote(store, ownerId, { title: 'harbour', content: 'harbour harbour' });
      for (let number = 0; number < 3; number += 1)
        await insertNote(store, ownerId, { content: `harbour ${'and other words '.repeat(number + 1)}` });
      const harbour = { query: 'harbour', limit: 3 };
      const scores = (await store.notes.search(ownerId, harbour)).data.map(({ score }) => score);
      expect(scores).toHaveLength(3);
      expect(scores[0]).toBe(1);
      expect(scores).toEqual([...scores].sort((one, other) => other - one));
      expect(scores.every((score) => score > 0)).toBe(true);
      expect(scores[1]).toBeLessThan(1);
    });
  });

  describe('folders', () => {
    const insert = (folder: ReturnType<typeof folderRow>, max = maxFoldersPerOwner) =>
      store.folders.insert(folder, max);

    test('list by sort_order, then age; the default order is after the last', async () => {
      const { id: ownerId } = await person();
      expect(await insert(folderRow(ownerId, { name: 'b' }))).toMatchObject({
        sort_order: 0,
        is_default: false,
      });
      expect(await insert(folderRow(ownerId, { name: 'a', created_at: at(1) }))).toMatchObject({
        sort_order: 1,
      });
      await insert(folderRow(ownerId, { name: 'late', sort_order: 0, created_at: at(2), is_default: true }));
      await insert(folderRow(ownerId, { name: 'first', sort_order: -5 }));
      const listed = await store.folders.list(ownerId);
      expect(listed.map(({ name }) => name)).toEqual(['first', 'b', 'late', 'a']);
      expect(listed.map((folder) => folder.is_default)).toEqual([false, false, true, false]);
    });

    test('may stand at the very end of the order, and the next one there as well', async () => {
      const { id: ownerId } = await person();
      const last = 2 ** 31 - 1;
      expect(await insert(folderRow(ownerId, { sort_order: last }))).toMatchObject({ sort_order: last });
      expect(await insert(folderRow(ownerId))).toMatchObject({ sort_order: last });
    });

    test('of one name are one, however many ask at once; another owner has names of their own', async () => {
      const [ada, eve] = [await person(), await person()];
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          insert(folderRow(ada.id, { name: index % 2 ? 'Inbox' : ' inBOX ' })),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(19);
      expect(await store.folders.list(ada.id)).toHaveLength(1);
      expect(await insert(folderRow(eve.id, { name: 'Inbox' }))).toMatchObject({ name: 'Inbox' });
    });

    test(`are at most ${maxFoldersPerOwner}, however many ask at once`, async () => {
      const { id: ownerId } = await person();
      const outcomes = await Promise.all(
        Array.from({ length: maxFoldersPerOwner + 20 }, () => insert(folderRow(ownerId))),
      );
      expect(outcomes.filter((outcome) => outcome === 'limit reached')).toHaveLength(20);
      const listed = await store.folders.list(ownerId);
      expect(listed).toHaveLength(maxFoldersPerOwner);
      expect(listed.map(({ sort_order }) => sort_order)).toEqual(listed.map((_, index) => index));
    });
  });

  test('notes lose their folder with it and stay', async () => {
    const { id: ownerId } = await person();
    const folder = folderRow(ownerId);
    await store.folders.insert(folder, 50);
    const { row } = await insertNote(store, ownerId, { folder_id: folder.id });
    await steno.database.write((db) => db.deleteFrom('folders').where('id', '=', folder.id).execute());
    expect(await store.notes.get(owner(ownerId), row.id)).toMatchObject({ folder_id: null });
  });

  test('a rule that a row breaks rejects it, and the store goes on', async () => {
    const bad = [
      store.spaces.insert(newUuid(), spaceRow()),
      insertNote(store, newUuid(), { space_id: newUuid() }),
      store.keys.insert(keyRow(newUuid(), { kind: 'workspace' }), 5, at(0)),
      store.notes.insert({ ...noteRow(newUuid()), id: null as unknown as string }),
    ];
    const outcomes = await Promise.allSettled([...bad, steno.database.state()]);
    expect(outcomes.map(({ status }) => status)).toEqual([...bad.map(() => 'rejected'), 'fulfilled']);
  });
});
