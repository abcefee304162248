import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OwnerFilter } from '../../src/domain/owner.ts';
import type { Transcription } from '../../src/domain/transcription.ts';
import * as language from '../../src/features/language/queries.ts';
import type { LanguageSettings } from '../../src/features/language/schema.ts';
import { deleteTranscription } from '../../src/features/transcriptions/operations.ts';
import * as transcriptions from '../../src/features/transcriptions/queries.ts';
import { byDay, totalOf } from '../../src/features/usage/queries.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { act } from '../support/act.ts';
import { at, insertNote, insertPerson, transcriptionRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';
import { changed } from '../support/transcriptions.ts';

let steno: TestStore;
let store: TestStore['store'];
let leases: TestStore['store']['leases'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
  ({ leases } = store);
});
afterAll(() => steno.close());

const month = { from: at(0), until: at(1_000) };
const quota = { limitMs: 100, month };
const record = (userId: string) => transcriptionRow(userId, { created_at: at(5) });
async function leased(userId: string, keyId: string = newUuid(), second = 0) {
  const id = newUuid();
  expect(await leases.acquire({ id, keyId, userId, expiresAt: at(second + 20) }, at(second))).toBe('taken');
  return id;
}

async function transcribed(userId: string, fields: Partial<Transcription> = {}) {
  const row = transcriptionRow(userId, fields);
  await store.imports.insertTranscription({ ...row, segments: null });
  return row;
}

const owner = (ownerId: string) => ({ kind: 'owner', ownerId }) as const;
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

test('one transcription runs on a key, until its lease is over or given back', async () => {
  const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
  const keyId = newUuid();
  const first = await leased(ada.id, keyId);
  const again = (second: number) =>
    leases.acquire({ id: newUuid(), keyId, userId: ada.id, expiresAt: at(90) }, at(second));
  expect(await again(19)).toEqual({ runningUntil: at(20) });
  const [second, other] = [await leased(ada.id), await leased(eve.id)];
  expect(await leases.renew(first, at(30), at(19))).toBe(true);
  expect(await again(29)).toEqual({ runningUntil: at(30) });
  // The lease of another is not renewed with it.
  expect(await leases.renew(other, at(99), at(20))).toBe(false);
  expect(await leases.renew(newUuid(), at(99), at(20))).toBe(false);
  await leases.release(first);
  expect(await leases.left(second, quota, at(19))).toBe(100);
  expect(await leases.left(first, quota, at(19))).toBe(0);
  const third = await leased(ada.id, keyId, 19);
  await steno.database.write((db) =>
    db.updateTable('transcription_leases').set({ holder: 'gone' }).where('id', '=', third).execute(),
  );
  // The server that held it is gone.
  expect(await again(20)).toBe('taken');
});

test('minutes are reserved within the month, beside all others of the person that still run', async () => {
  const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
  const [one, two, other] = [await leased(ada.id), await leased(ada.id), await leased(eve.id)];
  const reserve = (id: string, audioMs: number, second = 1) =>
    leases.reserve(id, { audioMs, ...quota }, at(second));
  expect(await reserve(one, 60)).toEqual({ outcome: 'ok' });
  expect(await reserve(other, 100)).toEqual({ outcome: 'ok' });
  expect(await reserve(two, 41)).toEqual({ outcome: 'quota exceeded', leftMs: 40 });
  expect(await reserve(two, 40)).toEqual({ outcome: 'ok' });
  // What it reserved itself does not stand in its way.
  expect(await leases.left(one, quota, at(2))).toBe(60);
  expect(await reserve(one, 60)).toEqual({ outcome: 'ok' });
  expect(await leases.left(one, { limitMs: 10, month }, at(2))).toBe(0);
  // Another month has minutes of its own.
  const next = { limitMs: 100, month: { from: at(2), until: at(2_000) } };
  expect(await leases.left(one, next, at(3))).toBe(100);
  const before = { limitMs: 100, month: { from: at(-9), until: at(1) } };
  expect(await leases.left(one, before, at(3))).toBe(100);
  expect(await leases.renew(one, at(50), at(3))).toBe(true);
  expect(await leases.left(one, quota, at(20))).toBe(100);
  expect(await reserve(two, 1, 20)).toEqual({ outcome: 'lost' });
});

test('what was heard is counted once, for its person, in the month of the reservation', async () => {
  const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
  const [one, lost, other] = [await leased(ada.id), await leased(ada.id), await leased(eve.id)];
  await leases.reserve(one, { audioMs: 30, ...quota }, at(1));
  await leases.reserve(other, { audioMs: 7, ...quota }, at(1));
  const [heard, unheard] = [record(ada.id), record(ada.id)];
  expect(await leases.settle(one, heard, at(5))).toBe(true);
  expect(await leases.settle(one, record(ada.id), at(5))).toBe(false);
  expect(await leases.settle(lost, unheard, at(20))).toBe(false);
  const total = (userId: string, period = month) => totalOf(steno.database.db, userId, period);
  expect(await total(ada.id)).toEqual({ words: 3, audioMs: 30 });
  expect(await total(eve.id)).toEqual({ words: 0, audioMs: 0 });
  expect(await total(ada.id, { from: at(2), until: at(9) })).toEqual({ words: 0, audioMs: 0 });
  expect(await total(ada.id, { from: at(-9), until: at(1) })).toEqual({ words: 0, audioMs: 0 });
  await leases.settle(other, record(eve.id), at(5));
  const days = (userId: string, period = month) => byDay(steno.database.db, userId, period);
  expect(await days(ada.id)).toEqual([{ date: at(0).slice(0, 10), words: 3, audio_ms: 30 }]);
  expect(await days(ada.id, { from: at(2), until: at(9) })).toEqual([]);
  expect(await days(ada.id, { from: at(-9), until: at(1) })).toEqual([]);
  const mine = { kind: 'owner', ownerId: ada.id } as const;
  expect(
    (await store.transcriptions.list(mine, { limit: 9, withSegments: false })).map(({ id }) => id),
  ).toEqual([heard.id]);
  // The next one finds the minutes that are left.
  expect(await leases.left(await leased(ada.id), quota, at(6))).toBe(70);
});

test('tokens are those of a person and a period; what a person wants is theirs alone', async () => {
  const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
  const [may, june] = ['2026-05-31T10:00:00.000Z', '2026-06-01T00:00:00.000Z'];
  const { db } = steno.database;
  const setSettings = (userId: string, changes: Partial<LanguageSettings>) =>
    steno.database.write((tx) => language.changeSettings(tx, userId, changes));
  const count = (userId: string, now: string) =>
    language.countTokens(steno.database, userId, { prompt: 10, answer: 1 }, now);
  for (const now of [may, may, june]) await count(ada.id, now);
  await count(eve.id, may);
  await count(newUuid(), may);
  const period = { from: '2026-05-01T00:00:00.000Z', until: june };
  expect(await language.tokensOf(db, ada.id, period)).toBe(22);
  expect(await language.tokensOf(db, ada.id, { from: june, until: '2026-07-01T00:00:00.000Z' })).toBe(11);
  expect(await language.tokensOf(db, eve.id, period)).toBe(11);
  expect(await language.personOf(db, eve.id)).toMatchObject({ isAllowed: true, plan: 'business' });
  expect(await language.personOf(db, newUuid())).toBeUndefined();
  await setSettings(ada.id, { titles: false });
  expect(await setSettings(ada.id, { allowed: false })).toMatchObject({
    allowed: false,
    titles: false,
  });
  expect(await language.settingsOf(db, ada.id)).toMatchObject({ allowed: false, titles: false });
  expect(await language.settingsOf(db, eve.id)).toMatchObject({ allowed: true, titles: true });
  await setSettings(eve.id, { actions: ['summary'] });
  expect(await language.settingsOf(db, eve.id)).toMatchObject({ allowed: true, actions: ['summary'] });
  expect((await language.personOf(db, ada.id))?.isAllowed).toBe(false);
});

test('transcriptions are listed and deleted by who may, with every filter', async () => {
  const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
  const row = (await insertNote(store, ada.id)).row;
  const one = await transcribed(ada.id, {
    created_at: at(1),
    language: 'en-US',
    note_id: row.id,
    text: 'Alpha words',
  });
  const two = await transcribed(ada.id, { created_at: at(2), language: 'de', text: 'Beta words' });
  const three = await transcribed(ada.id, { created_at: at(3), language: 'eng', text: 'gamma' });
  const other = await transcribed(eve.id, { created_at: at(2) });
  const list = async (options = {}, reader: OwnerFilter = owner(ada.id)) =>
    idsOf(
      await transcriptions.page(steno.database.db, reader, { limit: 9, withSegments: false, ...options }),
    );
  expect(await list()).toEqual([three.id, two.id, one.id]);
  expect(await list({ oldestFirst: true })).toEqual([one.id, two.id, three.id]);
  expect(await list({ language: 'en' })).toEqual([one.id]);
  expect(await list({ since: at(2) })).toEqual([three.id, two.id]);
  expect(await list({ until: at(2) })).toEqual([one.id]);
  expect(await list({ noteId: row.id })).toEqual([one.id]);
  expect(await list({ said: { words: ['words'], among: [one.id, three.id, other.id] } })).toEqual([one.id]);
  expect(await list({ said: { words: ['words'], among: [] } })).toEqual([]);
  expect(await list({ withoutRecorded: true })).toHaveLength(3);
  expect(await transcriptions.sizes(steno.database.db, owner(ada.id), { limit: 1 })).toEqual([
    { id: three.id, created_at: at(3), word_count: 3 },
  ]);
  expect(await store.transcriptions.beginnings([one.id])).toEqual([
    { id: one.id, word_count: 3, beginning: 'Alpha words' },
  ]);
  expect(await store.transcriptions.beginnings([])).toEqual([]);
  expect(await store.transcriptions.get(owner(eve.id), one.id)).toBeUndefined();
  const [listed] = await store.transcriptions.list(owner(ada.id), { limit: 1, withSegments: true });
  expect(listed).toHaveProperty('segments', null);
  const [short] = await store.transcriptions.list(owner(ada.id), { limit: 1, withSegments: false });
  expect(short).not.toHaveProperty('segments');
  const segment = { start: 0, end: 1, text: 'new words here now', speaker: null, words: [] };
  const change = (userId: string) =>
    changed(steno.database, { userId, id: two.id, segments: [segment], now: at(5) });
  expect(await change(eve.id)).toBe('not_found');
  expect(await change(ada.id)).toMatchObject({ text: 'new words here now', word_count: 4 });
  expect(await store.transcriptions.get(owner(ada.id), three.id)).toEqual(three);
  const remove = (userId: string) =>
    act(steno.database, deleteTranscription, { userId, now: at(6) }, { id: one.id });
  expect(await remove(eve.id)).toBe('not_found');
  expect(await remove(ada.id)).toBeUndefined();
  expect(await list()).toEqual([three.id, two.id]);
  expect(await list({}, owner(eve.id))).toEqual([other.id]);
  expect(await store.audit.list({ act: 'transcription.deleted' }, { limit: 9 })).toMatchObject([
    { subject_id: one.id },
  ]);
});
