import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keep, ownConversation } from '../../src/features/ask/answer.ts';
import { deleteConversation } from '../../src/features/ask/operations.ts';
import { find, page as pageOf, turnsOf } from '../../src/features/ask/queries.ts';
import type { Conversation } from '../../src/features/ask/schema.ts';
import * as words from '../../src/features/dictionary/operations.ts';
import * as wordQueries from '../../src/features/dictionary/queries.ts';
import * as snippets from '../../src/features/snippets/operations.ts';
import * as snippetQueries from '../../src/features/snippets/queries.ts';
import { contextFor, act as run } from '../../src/kernel/run.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { act } from '../support/act.ts';
import { principalOf } from '../support/principal.ts';
import { at, insertNote, insertPerson, noteRow, transcriptionRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const person = (fields = {}) => insertPerson(store, fields);
const statusesOf = (outcomes: unknown) => (outcomes as { status: number }[]).map(({ status }) => status);
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const made = (second = 0) => ({ created_at: at(second), updated_at: at(second) });
const page = { limit: 9 };

describe('words', () => {
  const list = (userId: string) => wordQueries.page(steno.database.db, userId, page);
  const forPrompt = (userId: string, limit: number) =>
    wordQueries.forPrompt(steno.database.db, userId, limit);
  const use = (userId: string, used: string[], now: string) =>
    steno.database.write((tx) => wordQueries.markUsed(tx, userId, used, now));

  test('are kept once for each person, changed and removed by them alone', async () => {
    const [ada, eve] = [await person(), await person()];
    const by = (userId: string, second = 0) => ({ userId, now: at(second) });
    const add = async (userId: string, texts: string[], second: number) =>
      idsOf(
        (await act(steno.database, words.addDictionaryWords, by(userId, second), {
          body: { words: texts },
        })) as { id: string }[],
      );
    const [first = ''] = await add(ada.id, ['Zürich'], 1);
    const [known, other = '', again] = await add(ada.id, ['zürich', 'Bern', 'ZÜRICH'], 2);
    expect([known, again]).toEqual([first, first]);
    const [theirs = ''] = await add(eve.id, ['Zürich'], 0);
    expect(theirs).not.toBe(first);
    expect(idsOf(await list(ada.id))).toEqual([other, first]);
    const update = (userId: string, id: string, word: string) =>
      act(steno.database, words.updateDictionaryWord, by(userId, 5), { id, body: { word } });
    expect(await update(eve.id, first, 'Basel')).toBe('not_found');
    expect(await update(ada.id, first, 'BERN')).toBe('conflict');
    expect(await update(ada.id, first, 'ZÜRICH')).toMatchObject({ word: 'ZÜRICH', updated_at: at(5) });
    expect((await list(eve.id)).map((each) => each.word)).toEqual(['Zürich']);
    expect((await list(ada.id)).map((each) => each.word)).toEqual(['Bern', 'ZÜRICH']);
    // Those used last come first, and hers are not used when he speaks.
    expect(await forPrompt(ada.id, 9)).toEqual(['Bern', 'ZÜRICH']);
    await use(eve.id, ['bern', 'zürich'], at(8));
    expect(await forPrompt(ada.id, 9)).toEqual(['Bern', 'ZÜRICH']);
    await use(ada.id, ['zürich'], at(9));
    expect(await forPrompt(ada.id, 9)).toEqual(['ZÜRICH', 'Bern']);
    expect(await forPrompt(ada.id, 1)).toEqual(['ZÜRICH']);
    const remove = (userId: string, id: string) =>
      act(steno.database, words.deleteDictionaryWord, by(userId), { id });
    expect(await remove(eve.id, first)).toBe('not_found');
    expect(await remove(ada.id, first)).toBeUndefined();
    const rows = [other, theirs, newUuid()];
    const outcomes = await act(steno.database, words.deleteDictionaryWords, by(ada.id), { rows });
    expect(statusesOf(outcomes)).toEqual([204, 404, 404]);
    expect(idsOf(await list(eve.id))).toEqual([theirs]);
  });
});

describe('snippets', () => {
  const list = (userId: string) => snippetQueries.page(steno.database.db, userId, page);
  const get = (userId: string, id: string) => snippetQueries.find(steno.database.db, userId, id);

  test('have each trigger once for a person, one at a time or many', async () => {
    const [ada, eve] = [await person(), await person()];
    const by = (userId: string, second: number, id?: string) => ({
      userId,
      now: at(second),
      ...(id !== undefined && { newId: () => id }),
    });
    const create = (userId: string, trigger: string, second: number, id?: string) =>
      act(steno.database, snippets.createSnippet, by(userId, second, id), {
        body: { trigger, replacement: 'text' },
      });
    const [one, two, theirs] = [newUuid(), newUuid(), newUuid()];
    expect(await create(ada.id, 'a', 1, one)).toMatchObject({ id: one });
    expect(await create(ada.id, 'b', 2, two)).toMatchObject({ id: two });
    expect(await create(ada.id, 'a', 2)).toBe('conflict');
    expect(await create(eve.id, 'a', 0, theirs)).toMatchObject({ id: theirs });
    const many = async (userId: string, ...triggers: string[]) =>
      statusesOf(
        await act(steno.database, snippets.createSnippets, by(userId, 4), {
          rows: triggers.map((trigger) => ({ trigger, replacement: 'text' })),
        }),
      );
    expect(await many(ada.id, 'b', 'c', 'c')).toEqual([409, 201, 409]);
    expect(await many(eve.id, 'b')).toEqual([201]);
    expect(await many(eve.id, 'b')).toEqual([409]);
    expect((await list(ada.id)).map(({ trigger }) => trigger)).toEqual(['c', 'b', 'a']);
    const update = (userId: string, body: object, second = 6) =>
      act(steno.database, snippets.updateSnippet, by(userId, second), { id: one, body });
    expect(await update(eve.id, { trigger: 'z' })).toBe('not_found');
    expect(await update(ada.id, { trigger: 'b' })).toBe('conflict');
    expect(await update(ada.id, { trigger: 'a' })).toMatchObject({ trigger: 'a', updated_at: at(6) });
    expect(await update(ada.id, { replacement: 'new' }, 7)).toMatchObject({ replacement: 'new' });
    expect(await get(ada.id, two)).toMatchObject({ replacement: 'text', updated_at: at(2) });
    expect(await get(eve.id, two)).toBeUndefined();
    const remove = (userId: string) =>
      act(steno.database, snippets.deleteSnippet, by(userId, 8), { id: one });
    expect(await remove(eve.id)).toBe('not_found');
    expect(await remove(ada.id)).toBeUndefined();
    expect(await list(ada.id)).toHaveLength(2);
    expect(await get(eve.id, theirs)).toBeDefined();
  });
});

describe('conversations', () => {
  const answer = { answer: 'yes', found: true, citations: [] };
  const reader = (userId: string) => ({ db: steno.database.db, who: principalOf(userId) });
  const add = (userId: string, second: number, question: string, known?: Conversation) => {
    const actor = { ...steno.actor, clock: () => Date.parse(at(second)) };
    return run(contextFor(actor, principalOf(userId)), {}, (inside) =>
      keep(inside, known, { question }, answer),
    );
  };
  const begin = async (userId: string, second: number) => {
    const id = await add(userId, second, 'one');
    const row = { id: id ?? newUuid(), space_id: null, title: 'one', ...made(second) };
    return { ...row, added: id !== null };
  };
  const get = (userId: string, id: string) => find(steno.database.db, principalOf(userId), id);
  const turns = (userId: string, id: string) =>
    ownConversation(reader(userId), id).then((found) => turnsOf(steno.database.db, found));
  const list = (userId: string, limit = 200) => pageOf(steno.database.db, principalOf(userId), { limit });
  const remove = (userId: string, id: string) =>
    act(steno.database, deleteConversation, { userId, now: at(30) }, { id });

  test('are one’s own, with their turns in order; the oldest goes when there are too many', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, other] = [await begin(ada.id, 1), await begin(eve.id, 0)];
    expect([one.added, (await begin(newUuid(), 1)).added]).toEqual([true, false]);
    const go = (userId: string, id = one.id) => add(userId, 5, 'two', { ...one, id });
    expect(await go(eve.id)).toBe(null);
    expect(await go(ada.id, newUuid())).toBe(null);
    expect(await go(ada.id)).toBe(one.id);
    expect((await turns(ada.id, one.id)).map(({ question }) => question)).toEqual(['one', 'two']);
    expect((await get(ada.id, one.id))?.updated_at).toBe(at(5));
    expect(await get(eve.id, one.id)).toBeUndefined();
    expect(await get(eve.id, other.id)).toMatchObject({ updated_at: at(0) });
    expect(await turns(eve.id, other.id)).toMatchObject([{ question: 'one' }]);
    const rows = Array.from({ length: 98 }, () => ({
      id: newUuid(),
      space_id: null,
      title: '',
      user_id: ada.id,
      ...made(10),
    }));
    await steno.database.write((db) => db.insertInto('conversations').values(rows).execute());
    const last = await begin(ada.id, 20);
    expect(await get(ada.id, one.id)).toBeDefined();
    const [newest] = await list(ada.id, 1);
    expect(newest?.id).toBe(last.id);
    await begin(ada.id, 21);
    expect(await list(ada.id)).toHaveLength(100);
    expect(await get(ada.id, one.id)).toBeUndefined();
    expect(idsOf(await list(eve.id))).toEqual([other.id]);
    expect(await remove(eve.id, last.id)).toBe('not_found');
    expect(await remove(ada.id, last.id)).toBeUndefined();
    expect(await list(ada.id)).toHaveLength(99);
  });
});

test('an import finds whose an id is, and a record that came back with another id', async () => {
  const [ada, eve] = [await person(), await person()];
  const { row } = await insertNote(store, ada.id, { client_note_id: 'mine', created_at: at(3) });
  const { row: gone } = await insertNote(store, ada.id, { client_note_id: 'gone', created_at: at(3) });
  await store.notes.softDelete({ kind: 'owner', ownerId: ada.id }, gone.id, at(4));
  const words = transcriptionRow(ada.id, { text: 'said', created_at: at(3) });
  const others = transcriptionRow(ada.id, { text: 'else', created_at: at(3) });
  for (const each of [others, words]) await store.imports.insertTranscription({ ...each, segments: null });
  const { imports } = store;
  expect(await imports.ownerOf('notes', gone.id)).toBe(ada.id);
  expect(await imports.ownerOf('transcriptions', words.id)).toBe(ada.id);
  expect(await imports.ownerOf('transcriptions', row.id)).toBeUndefined();
  expect(await imports.ownerOf('notes', newUuid())).toBeUndefined();
  const note = (userId: string, client_note_id: string, second = 3) =>
    imports.twinOf(userId, { kind: 'notes', created_at: at(second), client_note_id });
  expect(await note(ada.id, 'mine')).toBe(row.id);
  expect(await note(ada.id, 'mine', 4)).toBeUndefined();
  expect(await note(eve.id, 'mine')).toBeUndefined();
  expect(await note(ada.id, 'gone')).toBeUndefined();
  const said = (userId: string, text: string) =>
    imports.twinOf(userId, { kind: 'transcriptions', created_at: at(3), text });
  expect(await said(ada.id, 'said')).toBe(words.id);
  expect(await said(ada.id, 'other')).toBeUndefined();
  expect(await said(eve.id, 'said')).toBeUndefined();
});

test('a note of nobody is refused, as is one with a transcription of somebody else', async () => {
  await expect(store.notes.insert(noteRow(newUuid()))).rejects.toMatchObject({ code: 'invalid_api_key' });
  const [ada, eve] = [await person(), await person()];
  const words = transcriptionRow(eve.id);
  await store.imports.insertTranscription({ ...words, segments: null });
  const insert = (userId: string, fields = {}) => store.notes.insert(noteRow(userId, fields), words.id);
  expect(await insert(ada.id)).toBe('unknown transcription');
  const first = noteRow(eve.id);
  expect(await store.notes.insert(first, words.id)).toBe('ok');
  expect(await insert(eve.id)).toBe('linked already');
  await store.notes.softDelete({ kind: 'owner', ownerId: eve.id }, first.id, at(1));
  // A link to a note in the trash does not count.
  expect(await insert(eve.id)).toBe('ok');
});
