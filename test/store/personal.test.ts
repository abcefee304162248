import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownedBy } from '../../src/domain/owner.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { Store } from '../../src/ports/store.ts';
import { at, insertNote, insertPerson, noteRow, transcriptionRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: Store;
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const person = (fields = {}) => insertPerson(store, fields);
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const made = (second = 0) => ({ created_at: at(second), updated_at: at(second) });
const page = { limit: 9 };

describe('words', () => {
  const word = (text: string, second = 0) => ({
    id: newUuid(),
    word: text,
    word_key: text.toLowerCase(),
    source: 'manual' as const,
    ...made(second),
  });

  test('are kept once for each person, changed and removed by them alone', async () => {
    const [ada, eve] = [await person(), await person()];
    const [first, again, other] = [word('Zürich', 1), word('zürich', 2), word('Bern', 2)];
    const added = await store.dictionary.add(ada.id, [first, other, again]);
    expect(idsOf(added)).toEqual([first.id, other.id, first.id]);
    const theirs = word('Zürich');
    expect(idsOf(await store.dictionary.add(eve.id, [theirs]))).toEqual([theirs.id]);
    expect(idsOf(await store.dictionary.list(ada.id, page))).toEqual([other.id, first.id]);
    const update = (userId: string, id: string, text: string) =>
      store.dictionary.update(userId, id, { word: text, word_key: text.toLowerCase() }, at(5));
    expect(await update(eve.id, first.id, 'Basel')).toBe('not found');
    expect(await update(ada.id, first.id, 'BERN')).toBe('conflict');
    expect(await update(ada.id, first.id, 'ZÜRICH')).toMatchObject({ word: 'ZÜRICH', updated_at: at(5) });
    expect((await store.dictionary.list(eve.id, page)).map((each) => each.word)).toEqual(['Zürich']);
    expect((await store.dictionary.list(ada.id, page)).map((each) => each.word)).toEqual(['Bern', 'ZÜRICH']);
    // Those used last come first, and hers are not used when he speaks.
    expect(await store.dictionary.forPrompt(ada.id, 9)).toEqual(['Bern', 'ZÜRICH']);
    await store.dictionary.markUsed(eve.id, ['bern', 'zürich'], at(8));
    expect(await store.dictionary.forPrompt(ada.id, 9)).toEqual(['Bern', 'ZÜRICH']);
    await store.dictionary.markUsed(ada.id, ['zürich'], at(9));
    expect(await store.dictionary.forPrompt(ada.id, 9)).toEqual(['ZÜRICH', 'Bern']);
    expect(await store.dictionary.forPrompt(ada.id, 1)).toEqual(['ZÜRICH']);
    expect(await store.dictionary.remove(eve.id, first.id)).toBe(false);
    expect(await store.dictionary.remove(ada.id, first.id)).toBe(true);
    const gone = await store.bulk.removeWords(ada.id, [other.id, theirs.id, newUuid()], () => ({}));
    expect([...gone]).toEqual([other.id]);
    expect(idsOf(await store.dictionary.list(eve.id, page))).toEqual([theirs.id]);
  });
});

describe('snippets', () => {
  const snippet = (trigger: string, second = 0) => ({
    id: newUuid(),
    trigger,
    trigger_key: trigger,
    replacement: 'text',
    ...made(second),
  });

  test('have each trigger once for a person, one at a time or many', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, two] = [snippet('a', 1), snippet('b', 2)];
    for (const each of [one, two]) expect(await store.snippets.insert(ada.id, each)).toBe('ok');
    expect(await store.snippets.insert(ada.id, snippet('a'))).toBe('conflict');
    const theirs = snippet('a');
    expect(await store.snippets.insert(eve.id, theirs)).toBe('ok');
    const many = [snippet('b', 3), snippet('c', 4), snippet('c', 5)];
    expect(await store.bulk.insertSnippets(ada.id, many, () => ({}))).toEqual(['conflict', 'ok', 'conflict']);
    expect(await store.bulk.insertSnippets(eve.id, [snippet('b')], () => ({}))).toEqual(['ok']);
    expect(await store.bulk.insertSnippets(eve.id, [snippet('b')], () => ({}))).toEqual(['conflict']);
    expect((await store.snippets.list(ada.id, page)).map(({ trigger }) => trigger)).toEqual(['c', 'b', 'a']);
    const rename = (userId: string, id: string, trigger: string) =>
      store.snippets.update(userId, id, { trigger, trigger_key: trigger }, at(6));
    expect(await rename(eve.id, one.id, 'z')).toBe('not found');
    expect(await rename(ada.id, one.id, 'b')).toBe('conflict');
    expect(await rename(ada.id, one.id, 'a')).toMatchObject({ trigger: 'a', updated_at: at(6) });
    expect(await store.snippets.update(ada.id, one.id, { replacement: 'new' }, at(7))).toMatchObject({
      replacement: 'new',
    });
    expect(await store.snippets.get(ada.id, two.id)).toMatchObject({
      replacement: 'text',
      updated_at: at(2),
    });
    expect(await store.snippets.get(eve.id, two.id)).toBeUndefined();
    expect(await store.snippets.remove(eve.id, one.id)).toBe(false);
    expect(await store.snippets.remove(ada.id, one.id)).toBe(true);
    expect(await store.snippets.list(ada.id, page)).toHaveLength(2);
    expect(await store.snippets.get(eve.id, theirs.id)).toBeDefined();
  });
});

describe('conversations', () => {
  const turn = (question: string) => ({
    question,
    answer: 'yes',
    found: true,
    citations: [],
    created_at: at(1),
  });
  const begin = (userId: string, second: number) => {
    const row = { id: newUuid(), space_id: null, title: 'Where?', ...made(second) };
    return store.conversations
      .add(userId, { ...row, isNew: true }, turn('one'))
      .then((added) => ({ ...row, added }));
  };

  test('are one’s own, with their turns in order; the oldest goes when there are too many', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, other] = [await begin(ada.id, 1), await begin(eve.id, 0)];
    expect([one.added, (await begin(newUuid(), 1)).added]).toEqual([true, false]);
    const go = (userId: string, id = one.id) =>
      store.conversations.add(userId, { ...one, id, updated_at: at(5), isNew: false }, turn('two'));
    expect(await go(eve.id)).toBe(false);
    expect(await go(ada.id, newUuid())).toBe(false);
    expect(await go(ada.id)).toBe(true);
    const found = await store.conversations.get(ownedBy(ada.id), one.id);
    expect(found?.turns.map(({ question }) => question)).toEqual(['one', 'two']);
    expect(found?.updated_at).toBe(at(5));
    expect(await store.conversations.get(ownedBy(eve.id), one.id)).toBeUndefined();
    expect(await store.conversations.get(ownedBy(eve.id), other.id)).toMatchObject({
      updated_at: at(0),
      turns: [{ question: 'one' }],
    });
    const rows = Array.from({ length: 98 }, () => ({
      id: newUuid(),
      space_id: null,
      title: '',
      user_id: ada.id,
      ...made(10),
    }));
    await steno.database.write((db) => db.insertInto('conversations').values(rows).execute());
    const last = await begin(ada.id, 20);
    expect(await store.conversations.get(ownedBy(ada.id), one.id)).toBeDefined();
    const [newest] = await store.conversations.list(ownedBy(ada.id), { limit: 1 });
    expect(newest?.id).toBe(last.id);
    await begin(ada.id, 21);
    expect(await store.conversations.list(ownedBy(ada.id), { limit: 200 })).toHaveLength(100);
    expect(await store.conversations.get(ownedBy(ada.id), one.id)).toBeUndefined();
    expect(idsOf(await store.conversations.list(ownedBy(eve.id), page))).toEqual([other.id]);
    expect(await store.conversations.remove(ownedBy(eve.id), last.id)).toBe(false);
    expect(await store.conversations.remove(ownedBy(ada.id), last.id)).toBe(true);
    expect(await store.conversations.list(ownedBy(ada.id), { limit: 200 })).toHaveLength(99);
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
