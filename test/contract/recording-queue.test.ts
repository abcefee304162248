import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownedBy } from '../../src/domain/owner.ts';
import { noWishes, type Recording } from '../../src/domain/recording.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { Tx } from '../../src/platform/database/database.ts';
import type { Made } from '../../src/platform/database/idempotency.ts';
import { completeKey } from '../../src/platform/database/idempotency.ts';
import { at, userRow } from '../support/rows.ts';
import { databaseKinds } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';

const next = { isLive: false, running: [] };

describe.each(databaseKinds)('the queue of recordings on %s', (databaseKind) => {
  let steno: TestStore;
  let second: number;
  const now = () => at(second);
  beforeAll(async () => {
    steno = await openStore(databaseKind);
  });
  beforeEach(async () => {
    second = 1_000;
    for (const { id } of await steno.store.users.list()) await steno.store.users.remove(id);
  });
  afterAll(() => steno.close());

  async function person() {
    const user = userRow();
    await steno.store.users.insert(user);
    return user.id;
  }

  async function queued(
    userId: string,
    complete?: (tx: Tx, made: Made) => Promise<void>,
  ): Promise<Recording> {
    second += 1;
    const id = newUuid();
    await steno.store.recordings.insert(
      {
        id,
        user_id: userId,
        name: 'A recording',
        media_type: 'audio/wav',
        bytes: 0,
        duration_ms: null,
        state: 'uploading',
        progress: 0,
        error: null,
        error_code: null,
        language: null,
        prompt: null,
        transcription_id: null,
        note_id: null,
        keep_audio: true,
        has_audio: true,
        created_at: now(),
        updated_at: now(),
        ...noWishes,
        is_named: false,
        speakers: 2,
        wants_note: true,
      },
      { isResumable: false, length: null },
    );
    const recording = await steno.store.recordings.queue(id, { bytes: 5 }, now(), complete);
    if (!recording) throw new Error('it was not queued');
    return recording;
  }

  test('one sent with an Idempotency-Key is there for every server when the call returns, and so is the key', async () => {
    const { recordingQueue, idempotency } = steno.store;
    const userId = await person();
    const row = { id: newUuid(), caller: userId, route: 'r', keyHash: 'k', expiresAt: at(10_000) };
    expect(await idempotency.begin(row, now())).toBe('begun');
    const completed = { fingerprint: 'f', answer: 'a' };
    const claim = { id: row.id, complete: () => completed };
    const { id } = await queued(userId, (tx, made) => completeKey(tx, claim, made));
    expect([
      (await recordingQueue.claim(at(2_000), next))?.id === id,
      await idempotency.begin({ ...row, id: newUuid() }, now()),
    ]).toEqual([true, completed]);
  });

  test('a job that names this server, which does not run it, waits again; one that it runs does not', async () => {
    const [ada, eve] = [await person(), await person()];
    const { recordingQueue: queue, recordings } = steno.store;
    const [left, runs] = [await queued(ada), await queued(eve)];
    for (const _ of [left, runs]) await queue.claim(now(), next);
    expect(await queue.giveBack([runs.id], now())).toBe(1);
    expect(await queue.giveBack([runs.id], now())).toBe(0);
    expect((await recordings.get(ownedBy(ada), left.id))?.state).toBe('queued');
    expect((await recordings.get(ownedBy(eve), runs.id))?.state).toBe('transcribing');
    expect(await queue.claim(now(), next)).toMatchObject({ id: left.id });
  });

  test('never gives a job that this server still runs, whoever had it meanwhile', async () => {
    const { id } = await queued(await person());
    const { recordingQueue: queue } = steno.store;
    expect(await queue.claim(now(), { isLive: false, running: [id] })).toBeUndefined();
    expect(await queue.claim(now(), next)).toMatchObject({ id });
  });

  const part = (position: number) => ({
    position,
    start_ms: position * 1_000,
    end_ms: position * 1_000 + 900,
    text: `text ${position}`,
    detail: `detail ${position}`,
    language: 'en',
  });

  const result = (userId: string, mayKeepAudio = true) => ({
    transcription: {
      id: newUuid(),
      user_id: userId,
      note_id: null,
      status: 'completed' as const,
      text: 'text',
      word_count: 1,
      source: 'cloud',
      provider: null,
      model: null,
      language: 'en',
      reason: null,
      audio_duration_ms: 5_000,
      processing_ms: 1,
      segments: [],
      created_at: now(),
    },
    note: null,
    durationMs: 5_000,
    mayKeepAudio,
    isLanguageOn: false,
    name: 'Its first words',
    peaks: new Uint8Array(),
    into: null,
  });

  const month = { from: at(0), until: at(1_000_000) };

  test('gives a job once, with all that the work needs', async () => {
    const userId = await person();
    const recording = await queued(userId);
    const { recordingQueue: queue } = steno.store;
    expect(await queue.claim(now(), next)).toMatchObject({
      id: recording.id,
      state: 'transcribing',
      plan: 'business',
      speakers: 2,
      wants_note: true,
      note_space_id: null,
      note_folder_id: null,
      faults: 0,
    });
    expect(await queue.claim(now(), next)).toBeUndefined();
  });

  test('gives one job of each user at a time, and users take turns', async () => {
    const [ada, eve] = [await person(), await person()];
    const { recordingQueue: queue } = steno.store;
    const [a1, a2] = [await queued(ada), await queued(ada), await queued(ada)];
    const e1 = await queued(eve);
    const claimed = async () => {
      second += 1;
      return (await queue.claim(now(), next))?.id;
    };
    expect(await queue.othersWait(ada, now())).toBe(true);
    expect([await claimed(), await claimed(), await claimed()]).toEqual([a1.id, e1.id, undefined]);
    expect(await queue.othersWait(eve, now())).toBe(false);
    const e2 = await queued(eve);
    const no = { code: 'internal_error', message: 'no' } as const;
    await queue.fail(a1.id, no, now());
    await queue.fail(e1.id, no, now());
    expect([await claimed(), await claimed()]).toEqual([a2.id, e2.id]);
  });

  test('lets a job wait after a fault', async () => {
    const { id } = await queued(await person());
    const { recordingQueue: queue } = steno.store;
    await queue.claim(now(), next);
    await queue.release(id, { notBefore: at(second + 10), faults: 3 }, now());
    expect(await queue.claim(now(), next)).toBeUndefined();
    second += 10;
    expect(await queue.claim(now(), next)).toMatchObject({ id, faults: 3 });
  });

  test('keeps what was heard, tells it without gaps, and forgets nothing', async () => {
    const userId = await person();
    const { id } = await queued(userId);
    const { recordingQueue: queue, recordings } = steno.store;
    await queue.claim(now(), next);
    for (const position of [0, 2]) expect(await queue.keep(id, part(position), 0.5, now())).toBe(true);
    expect((await recordings.texts(id, 0)).map(({ text }) => text)).toEqual(['text 0']);
    await expect(queue.keep(id, part(2), 0.6, now())).rejects.toThrow();
    await queue.keep(id, part(1), 0.7, now());
    expect((await recordings.texts(id, 1)).map(({ text }) => text)).toEqual(['text 1', 'text 2']);
    expect(await queue.transcribedSoFar(id)).toEqual({ positions: new Set([0, 1, 2]), language: 'en' });
    expect(await queue.details(id)).toEqual(['detail 0', 'detail 1', 'detail 2']);
    expect(await recordings.get(ownedBy(userId), id)).toMatchObject({ progress: 0.7 });
  });

  test('stores and charges the result once', async () => {
    const userId = await person();
    const { id } = await queued(userId);
    const { recordingQueue: queue, recordings, transcriptions } = steno.store;
    await queue.claim(now(), next);
    const first = result(userId);
    expect(await queue.settle(id, first, now())).toBe(true);
    expect(await queue.settle(id, result(userId), now())).toBe(false);
    expect(await recordings.usedMs(userId, month)).toBe(5_000);
    expect(await transcriptions.list(ownedBy(userId), { limit: 9, withSegments: false })).toHaveLength(1);
    expect(await recordings.get(ownedBy(userId), id)).toMatchObject({
      state: 'done',
      progress: 1,
      duration_ms: 5_000,
      transcription_id: first.transcription.id,
    });
  });

  test('takes a job from nobody who runs, and a lost job writes nothing', async () => {
    const userId = await person();
    const { id } = await queued(userId);
    const { recordingQueue: queue, recordings } = steno.store;
    await queue.claim(now(), next);
    await recordings.remove(userId, id, { withTranscription: false });
    expect(await queue.keep(id, part(0), 0.5, now())).toBe(false);
    expect(await queue.settle(id, result(userId), now())).toBe(false);
    expect(await recordings.usedMs(userId, month)).toBe(0);
  });

  test('gives the jobs and drops the uploads of a server that is gone', async () => {
    const userId = await person();
    const { id } = await queued(userId);
    const { recordingQueue: queue, recordings } = steno.store;
    await queue.claim(now(), next);
    await queue.keep(id, part(0), 0.5, now());
    await steno.database.write(async (trx) => {
      await trx.updateTable('recordings').set({ worker: newUuid() }).where('id', '=', id).execute();
    });
    expect(await queue.keep(id, part(1), 0.5, now())).toBe(false);
    expect(await queue.claim(now(), next)).toMatchObject({ id, progress: 0.5 });
    expect((await queue.transcribedSoFar(id)).positions).toEqual(new Set([0]));
    await steno.database.write(async (trx) => {
      await trx
        .updateTable('recordings')
        .set({ holder: newUuid(), worker: '', state: 'uploading' })
        .where('id', '=', id)
        .execute();
    });
    await recordings.removeAbandoned();
    expect(await recordings.get(ownedBy(userId), id)).toBeUndefined();
  });

  test('dooms the sound with the recording, the account, and when it is not kept', async () => {
    const [ada, eve] = [await person(), await person()];
    const { recordings, recordingQueue: queue } = steno.store;
    for (const id of await recordings.doomed()) await recordings.forget(id);
    const [deleted, dropped] = [await queued(ada), await queued(ada)];
    await recordings.remove(ada, deleted.id, { withTranscription: false });
    await queue.claim(now(), next);
    await queue.settle(dropped.id, result(ada, false), now());
    const cascaded = await queued(eve);
    await steno.database.write((tx) => tx.deleteFrom('users').where('id', '=', eve).execute());
    expect((await recordings.doomed()).sort()).toEqual([deleted.id, dropped.id, cascaded.id].sort());
    await recordings.forget(deleted.id);
    expect(await recordings.doomed()).not.toContain(deleted.id);
    expect(await recordings.get(ownedBy(ada), dropped.id)).toMatchObject({ has_audio: false });
  });
});
