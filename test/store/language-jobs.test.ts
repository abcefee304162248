import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Asker } from '../../src/features/language/queries.ts';
import type { ClaimedJob } from '../../src/features/language/queue.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { languageQueue, type NewLanguageJob } from '../support/language-queue.ts';
import { at, insertNote, insertPerson, insertTeam, spaceRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
let queue: ReturnType<typeof languageQueue>;
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
  queue = languageQueue(steno);
});
// A claim returns a job of any person.
beforeEach(() => steno.database.write((db) => db.deleteFrom('language_jobs').execute()));
afterAll(() => steno.close());

const task = {
  id: 'summary',
  name: 'Summary',
  prompt: 'Write.',
  sections: null,
  output: 'replace',
  language: null,
} as const;
const mine = (userId: string, workspaceId: string | null = null): Asker => ({
  userId,
  workspaceId,
  notes: workspaceId === null ? { kind: 'member', userId } : { kind: 'any space of', workspaceId },
});
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

async function author() {
  const { id } = await insertPerson(store);
  const { row } = await insertNote(store, id);
  return { id, noteId: row.id };
}
async function queued(
  { id: userId, noteId }: { id: string; noteId: string },
  fields: Partial<NewLanguageJob> = {},
  second = 0,
) {
  const id = newUuid();
  const job = { id, asker: mine(userId), noteId, task: { ...task, id }, ...fields };
  expect(await queue.insert(job, 9, at(second))).toMatchObject({
    id,
    state: 'queued',
    automatic: false,
    progress: 0,
  });
  return id;
}
async function claimed(now = at(5), running: string[] = []): Promise<ClaimedJob> {
  const job = await queue.claim(now, running);
  if (!job) throw new Error('nothing to claim');
  return job;
}
const stateOf = async (userId: string, id: string) => (await queue.get(mine(userId), id))?.state;
const rowOf = (id: string) =>
  steno.database.db.selectFrom('language_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const orphan = (id: string) =>
  steno.database.write((db) =>
    db.updateTable('language_jobs').set({ worker: 'gone' }).where('id', '=', id).execute(),
  );
const part = (position: number, text: string) => ({ position, asked_hash: `hash ${position}`, text });

test('the same text is asked for once; of the rest no more wait than may', async () => {
  const [ada, eve] = [await author(), await author()];
  const insert = (who: typeof ada, id: string, name: string, noteId = who.noteId) =>
    queue.insert({ id, asker: mine(who.id), noteId, task: { ...task, name } }, 2, at(0));
  const [first, second] = [newUuid(), newUuid()];
  await insert(eve, newUuid(), 'One');
  expect(await insert(ada, first, 'One')).toMatchObject({ id: first });
  expect(await insert(ada, newUuid(), 'One')).toMatchObject({ id: first });
  const { row } = await insertNote(store, ada.id);
  expect(await insert(ada, second, 'One', row.id)).toMatchObject({ id: second });
  expect(await insert(ada, newUuid(), 'Two')).toBe('limit_reached');
  expect(await insert(ada, newUuid(), 'One')).toMatchObject({ id: first });
  expect(await queue.list(mine(ada.id), { limit: 9 })).toHaveLength(2);
  await queue.cancel(mine(ada.id), first, at(1));
  // What is over neither counts nor is given again.
  const third = newUuid();
  expect(await insert(ada, third, 'One')).toMatchObject({ id: third });
});

test('jobs are their person’s, or those of the workspace whose key asks', async () => {
  const [eve, ours] = [await author(), await insertTeam(store)];
  const space = await store.spaces.insert(ours.id, spaceRow());
  const shared = await insertNote(store, space.id, { space_id: space.id, user_id: ours.admin.id });
  const ada = { id: ours.admin.id, noteId: shared.row.id };
  const joins = { user_id: eve.id, role: 'member', managed: false, created_at: at(0) } as const;
  await store.members.add(ours.id, joins);
  const first = await queued(ada);
  const second = await queued(ada, { asker: mine(ada.id, ours.id) }, 1);
  const other = await queued(eve, { noteId: ada.noteId }, 2);
  const { row } = await insertNote(store, ada.id);
  const third = await queued(ada, { noteId: row.id }, 3);
  const list = async (reach: Asker, noteId?: string) => idsOf(await queue.list(reach, { limit: 9, noteId }));
  expect(await list(mine(ada.id))).toEqual([third, second, first]);
  expect(await list(mine(ada.id), ada.noteId)).toEqual([second, first]);
  expect(await list(mine(ada.id, ours.id))).toEqual([second]);
  expect(await queue.get(mine(eve.id), first)).toBeUndefined();
  expect(await queue.get(mine(ada.id, ours.id), first)).toBeUndefined();
  expect(await queue.get(mine(ada.id), second)).toMatchObject({ id: second });
  expect(await queue.cancel(mine(eve.id), first, at(4))).toBe('not_found');
  expect(await queue.cancel(mine(ada.id), first, at(4))).toBeUndefined();
  expect([await stateOf(ada.id, first), await stateOf(ada.id, second), await stateOf(eve.id, other)]).toEqual(
    ['cancelled', 'queued', 'queued'],
  );
});

test('whoever has waited longest is next, with one text at a time, and none before its time', async () => {
  expect(await queue.claim(at(5), [])).toBeUndefined();
  const [ada, eve] = [await author(), await author()];
  const [first, second] = [await queued(ada, {}, 0), await queued(ada, {}, 1)];
  const other = await queued(eve, {}, 3);
  expect(await queue.claim(at(-1), [])).toBeUndefined();
  expect(await claimed(at(5))).toMatchObject({
    id: first,
    state: 'writing',
    updated_at: at(5),
    task: { prompt: 'Write.' },
    plan: 'business',
    faults: 0,
  });
  expect(await stateOf(ada.id, first)).toBe('writing');
  expect(await stateOf(ada.id, second)).toBe('queued');
  // Ada has her turn; what this server already runs is not given again.
  expect(await queue.claim(at(6), [other])).toBeUndefined();
  expect(await claimed(at(6))).toMatchObject({ id: other });
  expect(await queue.claim(at(7), [])).toBeUndefined();
  await queue.fail(other, { code: 'internal_error', message: 'broken' }, at(8));
  const again = await queued(eve, {}, 2);
  await queue.fail(first, { code: 'internal_error', message: 'broken' }, at(8));
  // Hers was asked for first, but her last turn was before Eve's.
  expect(await claimed(at(9))).toMatchObject({ id: second });
  expect(await claimed(at(9))).toMatchObject({ id: again });
});

test('a job of a server that is gone is taken over, and that server can write to it no more', async () => {
  const [ada, eve] = [await author(), await author()];
  const [id, held] = [await queued(ada), await queued(eve)];
  const [one, two] = [await claimed(), await claimed()];
  expect(new Set(idsOf([one, two]))).toEqual(new Set([id, held]));
  await orphan(id);
  const job = one.id === id ? one : two;
  expect(await queue.keep(id, part(0, 'lost'), 0.5, at(6))).toBe(false);
  await queue.fail(id, { code: 'internal_error', message: 'lost' }, at(6));
  await queue.release(id, { notBefore: at(6) }, at(6));
  expect(await queue.settle(job, 'lost', at(6))).toBe(false);
  expect(await stateOf(ada.id, id)).toBe('writing');
  expect(
    (await store.notes.get({ kind: 'owner', ownerId: ada.id }, ada.noteId))?.enhanced_content,
  ).toBeNull();
  expect(await claimed(at(7), [held])).toMatchObject({ id });
  expect(await queue.claim(at(7), [])).toBeUndefined();
});

test('what was written so far is kept for the job, until it ends', async () => {
  const [ada, eve] = [await author(), await author()];
  const ids = [await queued(ada), await queued(eve)];
  for (const _ of ids) await claimed();
  const [first = '', second = ''] = ids;
  await queue.release(first, { notBefore: at(5), faults: 2 }, at(5));
  await claimed(at(6));
  expect((await rowOf(first)).faults).toBe(2);
  for (const [position, text] of [
    [1, 'two'],
    [0, 'one'],
    [1, 'deux'],
  ] as const)
    expect(await queue.keep(first, part(position, text), 0.5, at(6))).toBe(true);
  expect(await queue.keep(second, part(0, 'his'), 0.25, at(6))).toBe(true);
  expect(await rowOf(first)).toMatchObject({ progress: 0.5, faults: 0 });
  expect(await rowOf(second)).toMatchObject({ progress: 0.25 });
  expect((await queue.parts(first)).map(({ text }) => text)).toEqual(['one', 'deux']);
  await queue.cancel(mine(ada.id), first, at(7));
  expect(await queue.parts(first)).toEqual([]);
  expect(await queue.keep(first, part(0, 'late'), 1, at(8))).toBe(false);
  expect(await queue.parts(second)).toHaveLength(1);
  await queue.fail(second, { code: 'internal_error', message: 'broken' }, at(8));
  expect(await queue.parts(second)).toEqual([]);
  expect(await rowOf(second)).toMatchObject({ state: 'failed', error: 'broken', worker: '' });
  // One that is over stays as it is.
  expect(await queue.cancel(mine(eve.id), second, at(9))).toBeUndefined();
  expect(await stateOf(eve.id, second)).toBe('failed');
});

test('a job ends with its text in the note, or in a new one, and only while the note is there', async () => {
  const [ada, eve] = [await author(), await author()];
  const [first, other] = [await queued(ada), await queued(eve)];
  const [one, two] = [await claimed(), await claimed()];
  const job = one.id === first ? one : two;
  await queue.keep(first, part(0, 'draft'), 0.5, at(5));
  expect(await queue.settle(job, 'written', at(6))).toBe(true);
  expect((await store.notes.get({ kind: 'owner', ownerId: ada.id }, ada.noteId))?.enhanced_content).toBe(
    'written',
  );
  expect(await queue.parts(first)).toEqual([]);
  expect(await rowOf(first)).toMatchObject({ state: 'done', progress: 1, worker: '', result_note_id: null });
  expect(await stateOf(eve.id, other)).toBe('writing');
  expect(await queue.settle(job, 'written', at(7))).toBe(false);

  const toNote = { task: { ...task, output: 'note' } } as const;
  await queued(ada, toNote, 7);
  const next = await claimed(at(7));
  const noteId = newUuid();
  expect(await queue.settle(next, 'made of another', at(8), { newId: () => noteId })).toBe(true);
  expect(await rowOf(next.id)).toMatchObject({ state: 'done', result_note_id: noteId });
  expect(await store.notes.get({ kind: 'owner', ownerId: ada.id }, noteId)).toMatchObject({
    content: 'made of another',
  });
  expect((await store.notes.get({ kind: 'owner', ownerId: ada.id }, ada.noteId))?.enhanced_content).toBe(
    'written',
  );

  await queued(ada, toNote, 8);
  const last = await claimed(at(9));
  // A note that cannot be stored: its folder belongs to another person.
  const foreign = {
    id: newUuid(),
    owner_id: eve.id,
    name: 'F',
    name_key: 'f',
    is_default: 0,
    sort_order: 0,
    created_at: at(0),
    updated_at: at(0),
  };
  await steno.database.write(async (tx) => {
    await tx.insertInto('folders').values(foreign).execute();
    await tx.updateTable('notes').set({ folder_id: foreign.id }).where('id', '=', ada.noteId).execute();
  });
  await expect(queue.settle(last, 'homeless', at(9))).rejects.toMatchObject({
    code: 'not_found',
  });
  await store.notes.softDelete({ kind: 'owner', ownerId: ada.id }, ada.noteId, at(9));
  await expect(queue.settle(last, 'written', at(9))).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await stateOf(ada.id, last.id)).toBe('writing');
});

test('with a workspace key a job writes to the spaces of that workspace, and nowhere else', async () => {
  const [ours, ada] = [await insertTeam(store), await author()];
  const space = await store.spaces.insert(ours.id, spaceRow());
  const { row } = await insertNote(store, space.id, { space_id: space.id, user_id: ours.admin.id });
  const reach = mine(ours.admin.id, ours.id);
  await queued({ id: ours.admin.id, noteId: row.id }, { asker: reach });
  expect(await queue.settle(await claimed(), 'written', at(6))).toBe(true);
  await queued({ id: ours.admin.id, noteId: ada.noteId }, { asker: reach });
  const foreign = await claimed();
  await expect(queue.settle(foreign, 'written', at(6))).rejects.toMatchObject({
    code: 'not_found',
  });
  await queue.fail(foreign.id, { code: 'not_found', message: 'gone' }, at(6));
  // Their own credential reaches spaces as a member does.
  await queued({ id: ours.admin.id, noteId: row.id });
  expect(await queue.settle(await claimed(), 'written', at(7))).toBe(true);
});

test('a job goes back with what went wrong, and a server that stops gives all of its jobs back', async () => {
  const [ada, eve, kim] = [await author(), await author(), await author()];
  const ids = [await queued(ada), await queued(eve), await queued(kim)];
  for (const _ of ids) await claimed();
  const [first = '', second = '', third = ''] = ids;
  await queue.release(
    first,
    { notBefore: at(20), faults: 3, error: { code: 'service_unavailable', message: 'busy' } },
    at(6),
  );
  expect(await rowOf(first)).toMatchObject({
    state: 'queued',
    worker: '',
    not_before: at(20),
    faults: 3,
    error: 'busy',
    error_code: 'service_unavailable',
  });
  expect(await queue.inQueue()).toEqual({
    queued: { count: 1, since: at(20) },
    writing: { count: 2, since: at(5) },
  });
  expect(await queue.claim(at(19), [])).toBeUndefined();
  await orphan(third);
  expect(await queue.giveBack([], at(7))).toBe(1);
  expect(await stateOf(eve.id, second)).toBe('queued');
  expect(await stateOf(kim.id, third)).toBe('writing');
  expect((await claimed(at(8), [third])).id).toBe(second);
  expect(await queue.giveBack([second], at(9))).toBe(0);
  expect(await stateOf(eve.id, second)).toBe('writing');
});

test('old jobs that are over are forgotten; those that wait are not', async () => {
  const [ada, eve] = [await author(), await author()];
  const [old, waiting, fresh] = [
    await queued(ada, {}, 0),
    await queued(eve, {}, 0),
    await queued(ada, {}, 10),
  ];
  for (const id of [old, fresh]) await queue.cancel(mine(ada.id), id, at(11));
  await queue.removeOlder(at(10));
  expect(idsOf(await queue.list(mine(ada.id), { limit: 9 }))).toEqual([fresh]);
  expect(await stateOf(eve.id, waiting)).toBe('queued');
});
