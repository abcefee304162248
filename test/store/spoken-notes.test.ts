import { afterAll, beforeAll, expect, test } from 'vitest';
import { maySpeakInto } from '../../src/features/notes/spoken.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, insertNote, insertPerson, insertTeam, spaceRow, transcriptionRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';
import { changed } from '../support/transcriptions.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const owner = (ownerId: string) => ({ kind: 'owner', ownerId }) as const;
const segment = (text: string) => ({ start: 0, end: 1, text, speaker: null, words: [] });
async function spoken(userId: string, noteId: string | null, text: string, second = 0) {
  const row = transcriptionRow(userId, {
    note_id: noteId,
    text,
    audio_duration_ms: 2_000,
    created_at: at(second),
  });
  await store.imports.insertTranscription({ ...row, segments: JSON.stringify([segment(text)]) });
  return row.id;
}

test('a note follows the corrections of what was said in it, while it is within reach', async () => {
  const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
  const voice = { content: 'one two', content_is_transcript: true, transcript: '[]' };
  const [{ row }, { row: other }] = [
    await insertNote(store, ada.id, voice),
    await insertNote(store, ada.id, voice),
  ];
  const second = await spoken(ada.id, row.id, 'two', 2);
  const first = await spoken(ada.id, row.id, 'one', 1);
  await spoken(ada.id, other.id, 'else');
  const correct = (id: string, text: string, now: number, reach = owner(ada.id)) =>
    changed(steno.database, {
      userId: ada.id,
      id,
      segments: [segment(text)],
      now: at(now),
      note: {
        by: { edit: null, edited_by: ada.id, edited_with: null },
        limits: { id: newUuid(), max: 9, notBefore: at(0) },
        reach,
      },
    });
  const note = () => store.notes.get(owner(ada.id), row.id);
  const texts = async () =>
    JSON.parse((await note())?.transcript ?? '[]').map(({ text, start }: { text: string; start: number }) => [
      start,
      text,
    ]);
  await correct(second, 'three', 5);
  expect(await texts()).toEqual([
    [0, 'one'],
    [2, 'three'],
  ]);
  expect(await note()).toMatchObject({
    content_is_transcript: true,
    revision: 2,
    edited_by: ada.id,
    edited_at: at(5),
    updated_at: at(5),
  });
  expect((await note())?.content).toContain('three');
  expect((await store.revisions.list(owner(ada.id), row.id, at(0)))?.length).toBe(1);
  expect(await store.notes.get(owner(ada.id), other.id)).toMatchObject({ content: 'one two', revision: 1 });
  // The same words again are no new text.
  await correct(second, 'three', 6);
  expect(await note()).toMatchObject({ revision: 2, edited_at: at(5), updated_at: at(6) });
  await correct(first, 'zero', 7, owner(eve.id));
  expect(await texts()).toEqual([
    [0, 'one'],
    [2, 'three'],
  ]);
  expect((await store.transcriptions.get(owner(ada.id), first))?.text).toBe('zero');
  // What somebody wrote stays.
  const by = { edit: null, edited_by: ada.id, edited_with: null };
  await store.notes.update(owner(ada.id), row.id, { content: 'written' }, at(8), {
    by,
    limits: { id: newUuid(), max: 9, notBefore: at(0) },
  });
  await correct(second, 'four', 9);
  expect(await note()).toMatchObject({ content: 'written', revision: 3, updated_at: at(9) });
  expect(await texts()).toEqual([
    [0, 'zero'],
    [2, 'four'],
  ]);
  await store.notes.softDelete(owner(ada.id), row.id, at(10));
  await correct(second, 'five', 11);
  await store.trash.restore(owner(ada.id), row.id, at(12));
  expect(await texts()).toEqual([
    [0, 'zero'],
    [2, 'four'],
  ]);
  // A transcription without a note changes alone.
  const alone = await spoken(ada.id, null, 'alone');
  expect(await correct(alone, 'changed', 13)).toMatchObject({ text: 'changed', word_count: 1 });
});

test('one may speak into one’s own notes and those of one’s teams, unless a transcript came from elsewhere', async () => {
  const [ours, eve] = [await insertTeam(store), await insertPerson(store)];
  const { id: ada } = ours.admin;
  const space = await store.spaces.insert(ours.id, spaceRow());
  const [own, team, foreign, voice] = [
    await insertNote(store, ada),
    await insertNote(store, space.id, { space_id: space.id, user_id: eve.id }),
    await insertNote(store, ada, { transcript: 'from elsewhere' }),
    await insertNote(store, ada, { transcript: '[]' }),
  ].map(({ row }) => row.id);
  await spoken(ada, voice ?? '', 'here');
  const may = (userId: string, noteId = '') =>
    steno.database.write((trx) => maySpeakInto(trx, userId, noteId));
  expect([await may(ada, own), await may(ada, team), await may(ada, foreign), await may(ada, voice)]).toEqual(
    [true, true, false, true],
  );
  expect([await may(eve.id, own), await may(eve.id, team), await may(ada, newUuid())]).toEqual([
    false,
    false,
    false,
  ]);
  await store.notes.softDelete(owner(ada), own ?? '', at(1));
  expect(await may(ada, own)).toBe(false);
});
