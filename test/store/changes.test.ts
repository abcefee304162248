import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { logChange } from '../../src/features/changes/queries.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, folderRow, insertNote, insertPerson, webhookRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';
import { webhooksIn } from '../support/webhooks.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
// What is forgotten is everybody's, so each test begins with an empty log.
beforeEach(() =>
  steno.database.write(async (db) => {
    for (const table of ['changes', 'change_marks', 'webhooks', 'installation'] as const)
      await db.deleteFrom(table).execute();
  }),
);
afterAll(() => steno.close());

const start = { tx: 0, seq: 0 };
const day = 86_400;

test('an owner’s changes are read from a place on, with what is known of each note now', async () => {
  const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
  const owner = { kind: 'owner', ownerId: ada.id } as const;
  const [one, two] = [(await insertNote(store, ada.id)).row, (await insertNote(store, ada.id)).row];
  await insertNote(store, eve.id);
  const folder = folderRow(ada.id);
  await store.folders.insert(folder, 9);
  const by = { edit: { session: 's', seq: 1 }, edited_by: ada.id, edited_with: null };
  const limits = { id: newUuid(), max: 9, notBefore: at(0) };
  await store.notes.update(owner, one.id, { content: 'written' }, at(1), { by, limits });
  await store.notes.update(owner, two.id, { pinned: true }, at(1), { by, limits });
  await steno.database.write((trx) =>
    logChange(trx, ada.id, { type: 'recording', id: one.id, action: 'done', at: at(2) }),
  );
  const read = await store.changes.read(ada.id, start, 9);
  expect(read.map(({ type, action }) => `${type} ${action}`)).toEqual([
    'note created',
    'note created',
    'folder created',
    'note updated',
    'note updated',
    'recording done',
  ]);
  expect(await store.changes.read(ada.id, read[1] ?? start, 2)).toEqual(read.slice(2, 4));
  const events = await store.changes.readEvents([ada.id], start, 9);
  expect(events.map(({ revision, session, by }) => [revision, session, by])).toEqual([
    [2, 's', ada.id],
    [2, null, null],
    [null, null, null],
    [2, 's', ada.id],
    [2, null, null],
    [null, null, null],
  ]);
  expect(await store.changes.readEvents([], start, 9)).toEqual([]);
  expect(await store.changes.readEvents([ada.id, eve.id], start, 99)).toHaveLength(7);
  expect(await store.changes.readEvents([ada.id], events[3] ?? start, 9)).toEqual(events.slice(4));
  await store.notes.softDelete(owner, one.id, at(3));
  const [first] = await store.changes.readEvents([ada.id], start, 1);
  expect(first).toMatchObject({ id: one.id, revision: null });
  const end = await store.changes.end();
  expect(await store.changes.read(ada.id, end, 9)).toEqual([]);
  await insertNote(store, ada.id);
  expect(await store.changes.read(ada.id, end, 9)).toHaveLength(1);
});

test('the mark of an owner moves with their changes alone', async () => {
  const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
  expect(await store.changes.mark(ada.id)).toBeUndefined();
  await insertNote(store, ada.id);
  const mark = await store.changes.mark(ada.id);
  expect(mark).toMatch(/ 0 \d+$/);
  await insertNote(store, eve.id);
  expect(await store.changes.mark(ada.id)).toBe(mark);
  await insertNote(store, ada.id);
  expect(await store.changes.mark(ada.id)).not.toBe(mark);
});

test('old changes are forgotten by days, and it is known up to where', async () => {
  const { id } = await insertPerson(store);
  const left = async () => (await store.changes.read(id, start, 9)).length;
  const marks = () => steno.database.db.selectFrom('change_marks').select('at').orderBy('at').execute();
  await insertNote(store, id);
  await store.changes.forget(at(0), at(day));
  expect(await store.changes.forgotten()).toBeUndefined();
  await insertNote(store, id);
  // One mark a day is enough.
  await store.changes.forget(at(0), at(2 * day - 1));
  expect(await marks()).toEqual([{ at: at(day) }]);
  await store.changes.forget(at(0), at(2 * day));
  await insertNote(store, id);
  await store.changes.forget(at(day), at(2 * day));
  expect(await left()).toBe(3);
  await store.changes.forget(at(day + 1), at(2 * day));
  expect(await left()).toBe(2);
  expect(await store.changes.forgotten()).toMatchObject({ at: at(day) });
  await store.changes.forget(at(2 * day + 1), at(3 * day));
  expect(await left()).toBe(1);
  expect(await store.changes.forgotten()).toMatchObject({ at: at(2 * day) });
  expect(await marks()).toEqual([{ at: at(2 * day) }, { at: at(3 * day) }]);
});

test('the first start names the timeline, so that no stream has to', async () => {
  const fresh = await openStore('sqlite');
  const names = fresh.database.db
    .selectFrom('installation')
    .select('value')
    .where('name', '=', 'changes_timeline');
  expect(await names.execute()).toEqual([]);
  await fresh.store.changes.startOver({ always: false });
  expect(await names.execute()).toHaveLength(1);
  await fresh.close();
});

test('a new timeline forgets the marks and keeps for each webhook what waits for it', async () => {
  const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
  await insertNote(store, ada.id);
  await insertNote(store, eve.id);
  const [waits, idle] = [webhookRow(ada.id), webhookRow(eve.id)];
  for (const made of [waits, idle]) await webhooksIn(steno).insert(made, 9);
  const { row } = await insertNote(store, ada.id);
  await store.changes.forget(at(0), at(day));
  await store.changes.startOver({ always: false });
  const timeline = (await store.changes.mark(ada.id))?.split(' ')[0];
  await store.changes.startOver({ always: false });
  expect((await store.changes.mark(ada.id))?.split(' ')[0]).toBe(timeline);
  const marks = steno.database.db.selectFrom('change_marks').select('at');
  expect(await marks.execute()).toHaveLength(1);
  await store.changes.startOver({ always: true });
  expect(await marks.execute()).toEqual([]);
  expect((await store.changes.mark(ada.id))?.split(' ')[0]).not.toBe(timeline);
  const waiting = async (id: string, ownerId: string) => {
    const found = await webhooksIn(steno).get({ kind: 'owner', ownerId }, id);
    return found ? (await webhooksIn(steno).waiting(found, 9)).map((change) => change.id) : undefined;
  };
  expect(await waiting(waits.id, ada.id)).toEqual([row.id]);
  expect(await waiting(idle.id, eve.id)).toEqual([]);
  // As after a move from a PostgreSQL whose transactions had larger numbers.
  await steno.database.write((db) => db.updateTable('changes').set({ tx: 7 }).execute());
  await store.changes.startOver({ always: false });
  const numbers = await steno.database.db.selectFrom('changes').select('tx').distinct().execute();
  expect(numbers).toEqual([{ tx: 0 }]);
});
