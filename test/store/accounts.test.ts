import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import type { Recording } from '../../src/domain/recording.ts';
import { beginPause, endPause } from '../../src/features/transcribe/pause.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, insertNote, insertPerson, keyRow, noteRow, transcriptionRow, userRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const person = (fields = {}) => insertPerson(store, fields);
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const _made = (second = 0) => ({ created_at: at(second), updated_at: at(second) });
const _page = { limit: 9 };

describe('keys', () => {
  test('get a new secret from their owner; the old one works for its time, and the key no longer than it may', async () => {
    const [ada, eve] = [await person(), await person()];
    const [key, ends, bystander] = [keyRow(ada.id), keyRow(ada.id, { expires_at: at(20) }), keyRow(ada.id)];
    for (const each of [key, ends, bystander]) await store.keys.insert(each, 9, at(0));
    const rotate = (userId: string, { id }: typeof key, now = 1) => {
      return store.keys.rotate(personalKeysOf(userId), id, { now: at(now), oldExpiresAt: at(30) });
    };
    expect(await rotate(eve.id, key)).toBeUndefined();
    expect(await rotate(ada.id, ends, 20)).toBeUndefined();
    const [next, other] = [await rotate(ada.id, key), await rotate(ada.id, ends, 19)];
    const found = (hash = '') => store.keys.findByHash(hash);
    expect(await found(next?.key_hash)).toMatchObject({ id: key.id, expires_at: null });
    expect(await found(key.key_hash)).toMatchObject({ id: key.id, expires_at: at(30) });
    expect(await found(other?.key_hash)).toMatchObject({ id: ends.id, expires_at: at(20) });
    expect(await found(ends.key_hash)).toMatchObject({ id: ends.id, expires_at: at(20) });
    expect(await found(bystander.key_hash)).toMatchObject({ id: bystander.id });
    await store.keys.revoke(personalKeysOf(ada.id), key.id, at(2));
    expect(await found(key.key_hash)).toBeUndefined();
    expect(await rotate(ada.id, key)).toBeUndefined();
    await store.people.setSuspended(ada.id, at(3));
    expect(await found(bystander.key_hash)).toBeUndefined();
    const told = await store.audit.list({ act: 'key.rotated' }, { limit: 9 });
    expect(told.map(({ subject_id, subject_name }) => [subject_id, subject_name])).toEqual(
      expect.arrayContaining([
        [key.id, 'Laptop'],
        [ends.id, 'Laptop'],
      ]),
    );
    const revoked = await store.audit.list({ act: 'key.revoked' }, { limit: 9 });
    expect(idsOf(revoked.map(({ subject_id }) => ({ id: subject_id ?? '' })))).toEqual([key.id]);
  });
});

describe('accounts', () => {
  test('change for themselves, and no address is two people’s', async () => {
    const [ada, eve] = [await person(), await person()];
    expect(await store.users.update(ada.id, { email: eve.email })).toBe('conflict');
    expect(await store.users.update(ada.id, { email: ada.email, name: 'Ada L.' })).toBe('ok');
    expect(await store.users.find(eve.id)).toMatchObject({ name: 'Ada', email: eve.email });
    expect(await store.users.insert(userRow({ email: eve.email }))).toBe('conflict');
    expect(await store.users.setOperator(newUuid(), true)).toBe(false);
    for (const isOperator of [true, true, false])
      expect(await store.users.setOperator(ada.id, isOperator)).toBe(true);
    expect(await store.people.find(eve.id, at(0))).toMatchObject({ operator: false });
    const told = (await store.audit.list({}, { limit: 1_000 })).filter(
      ({ subject_id }) => subject_id === ada.id,
    );
    expect(told.map(({ act }) => act).sort()).toEqual([
      'account.changed',
      'account.created',
      'operator.given',
      'operator.taken',
    ]);
    expect(await store.users.insertFirst()).toBe(false);
  });

  test('set the server up while one of them is there alone', async () => {
    const { id } = await person();
    await store.setup.open(id);
    expect(await store.setup.owner()).toBe(id);
    let saved = 0;
    const close = (userId: string, fields = {}) =>
      store.setup.close({ userId, person: fields, settings: ['STENO_PORT'] }, () => {
        saved += 1;
      });
    expect(await close(newUuid())).toBe(false);
    expect(saved).toBe(0);
    expect(await close(id, { name: 'Head' })).toBe(true);
    expect([saved, (await store.users.find(id))?.name, await store.setup.owner()]).toEqual([
      1,
      'Head',
      undefined,
    ]);
    const [told] = await store.audit.list({ act: 'setup.finished' }, { limit: 1 });
    expect(told?.detail).toBe('STENO_PORT');
    await store.installation.set('colour', 'red');
    await store.setup.open(id);
    await person();
    expect(await store.setup.owner()).toBeUndefined();
    expect(await store.installation.read('colour')).toBe('red');
    expect(await store.installation.valueOf('colour', 'blue')).toBe('red');
    expect(await store.installation.valueOf('shape', 'round')).toBe('round');
    await store.installation.set('shape', 'square');
    expect([await store.installation.valueOf('shape', ''), await store.installation.read('none')]).toEqual([
      'square',
      undefined,
    ]);
  });

  test('have first steps until they end them, each ticked by doing it', async () => {
    const [ada, eve] = [await person(), await person()];
    const steps = (userId: string) => store.firstSteps.get(userId);
    const nothing = { recorded: false, wrote: false, connected: false, sample_id: null };
    const state = (userId: string, first_steps: 'new') =>
      steno.database.write((db) =>
        db.updateTable('users').set({ first_steps }).where('id', '=', userId).execute(),
      );
    for (const { id } of [ada, eve]) await state(id, 'new');
    expect(await steps(ada.id)).toEqual({ shown: true, isNew: true, ...nothing });
    expect(await steps(newUuid())).toEqual({ shown: false, isNew: false, ...nothing });
    await insertNote(store, ada.id, { edited_by: ada.id, content_is_transcript: true });
    expect((await steps(ada.id)).wrote).toBe(false);
    await insertNote(store, ada.id, { edited_by: ada.id });
    const [used, unused] = [keyRow(ada.id), keyRow(eve.id)];
    for (const key of [used, unused]) await store.keys.insert(key, 9, at(0));
    expect((await steps(ada.id)).connected).toBe(false);
    await store.keys.touch(new Map([[used.id, { at: at(1), route: 'GET /notes' }]]));
    expect(await steps(ada.id)).toMatchObject({
      wrote: true,
      connected: true,
      recorded: false,
      sample_id: null,
    });
    expect(await steps(eve.id)).toEqual({ shown: true, isNew: true, ...nothing });
    await store.firstSteps.end(ada.id);
    expect(await steps(ada.id)).toEqual({ shown: false, isNew: false, ...nothing });
    expect((await steps(eve.id)).shown).toBe(true);
  });
  test('get a sample once, if they have nothing yet', async () => {
    const [ada, eve, kim] = [await person(), await person(), await person()];
    await steno.database.write((db) => db.updateTable('users').set({ first_steps: 'new' }).execute());
    await insertNote(store, kim.id);
    const begin = (userId: string) => {
      const note = noteRow(userId);
      const transcription = transcriptionRow(userId, { note_id: note.id });
      const recording: Recording = {
        id: newUuid(),
        user_id: userId,
        name: 'Sample',
        media_type: 'audio/wav',
        bytes: 1,
        duration_ms: 1,
        state: 'done',
        progress: 1,
        error: null,
        error_code: null,
        language: null,
        prompt: null,
        transcription_id: transcription.id,
        note_id: note.id,
        keep_audio: false,
        has_audio: false,
        created_at: at(0),
        updated_at: at(0),
      };
      return store.firstSteps.begin(userId, { recording, waveform: '', transcription, note });
    };
    expect(await begin(ada.id)).toBe(true);
    expect(await begin(ada.id)).toBe(false);
    expect(await begin(kim.id)).toBe(false);
    const [note, ...others] = await store.notes.list(ada.id, { limit: 9 });
    expect(others).toEqual([]);
    const steps = { shown: true, isNew: false, recorded: false, wrote: false, connected: false };
    expect(await store.firstSteps.get(ada.id)).toEqual({ ...steps, sample_id: note?.id });
    expect(await store.firstSteps.get(kim.id)).toEqual({ ...steps, sample_id: null });
    expect((await store.firstSteps.get(eve.id)).isNew).toBe(true);
    const owner = { kind: 'owner', ownerId: ada.id } as const;
    await store.notes.softDelete(owner, note?.id ?? '', at(1));
    expect((await store.firstSteps.get(ada.id)).sample_id).toBeNull();
    // It does not come back, even when nothing of it is left.
    await steno.database.write(async (db) => {
      await db.deleteFrom('recordings').where('user_id', '=', ada.id).execute();
      await db.deleteFrom('notes').where('owner_id', '=', ada.id).execute();
    });
    expect(await begin(ada.id)).toBe(false);
    expect(await store.notes.list(ada.id, { limit: 9 })).toEqual([]);
  });
});

test('switches are turned on and off one by one', async () => {
  const { db } = steno.database;
  const rows = () => db.selectFrom('switches').select(['name', 'on_until']).orderBy('name').execute();
  const pause = (now: string, minutes?: number) =>
    steno.database.write((tx) => beginPause({ tx, now }, minutes));
  const another = { name: 'another', on_until: at(6) };
  await steno.database.write((tx) =>
    tx
      .insertInto('switches')
      .values({ ...another, updated_at: at(1) })
      .execute(),
  );
  await pause(at(0));
  expect(await rows()).toEqual([another, { name: 'transcription_paused', on_until: null }]);
  await pause(at(1), 1);
  expect(await rows()).toEqual([another, { name: 'transcription_paused', on_until: at(61) }]);
  await steno.database.write((tx) => endPause({ tx }));
  expect(await rows()).toEqual([another]);
});
