import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { compose } from '../../src/compose.ts';
import type { Config } from '../../src/config.ts';
import { encodeForm } from '../support/form.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { anyDatabase, silentLog, startSteno, type TestSteno } from '../support/steno.ts';

const dayMs = 86_400_000;

/** How long sounds stay: as the operator bounds it, as a person wants it, and whatever is killed in between. */
describe.each(anyDatabase)('the sound of recordings on %s', (databaseKind) => {
  let steno: TestSteno;
  let now = Date.parse('2026-10-15T12:00:00.000Z');
  const speech = createFakeSpeech();
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, speech });
  });
  afterEach(() => {
    now += 60_000;
  });
  afterAll(() => steno.close());

  const hasFile = (id: string) => existsSync(join(steno.config.dataDir, 'recordings', `${id}.sound`));
  async function heard(key: string, query = '') {
    const { body } = await uploadTo(steno, key, recording(), query);
    return settled(steno, key, body.data.id);
  }
  const get = async (key: string, id: string) =>
    (await steno.call('GET', `/recordings/${id}`, { key })).body.data;

  /** A second server on the same database and folder. */
  async function startSecond(bounds: Partial<Config['recordings']> = {}) {
    const config = { ...steno.config, recordings: { ...steno.config.recordings, ...bounds } };
    const second = await compose(config, { log: silentLog, clock: () => now, ...createFakeSpeech() });
    return {
      async call(method: 'GET' | 'PATCH' | 'POST', path: string, key: string, payload: object) {
        const headers = { authorization: `Bearer ${key}`, ...(Buffer.isBuffer(payload) && audio) };
        const answer = await second.app.inject({ method, url: `/api/v1${path}`, headers, payload });
        return { status: answer.statusCode, headers: answer.headers, data: answer.json().data };
      },
      close: () => second.close(),
    };
  }
  const audio = { 'content-type': 'audio/wav' };
  /** A server starts, and deletes these. */
  async function expectDeleted(ids: string[], bounds?: Partial<Config['recordings']>): Promise<void> {
    const second = await startSecond(bounds);
    await expect.poll(() => ids.filter(hasFile)).toEqual([]);
    await second.close();
  }

  test('has its waveform from the transcription, an old one at the first asking, and none without audio', async () => {
    const { key } = await steno.person();
    const { id } = await heard(key);
    const waveform = async (as = key) => {
      const { status, body } = await steno.call('GET', `/recordings/${id}/waveform`, { key: as });
      return status === 200 ? body.data.peaks : status;
    };
    const stored = async (change?: { waveform: null }) => {
      const { db } = steno.database;
      if (change) await db.updateTable('recordings').set(change).where('id', '=', id).execute();
      return (await db.selectFrom('recordings').select('waveform').where('id', '=', id).executeTakeFirst())
        ?.waveform;
    };
    expect(await stored()).toBe('/4AA');
    expect(await waveform()).toEqual([255, 128, 0]);
    expect(await waveform((await steno.person()).key)).toBe(404);
    await stored({ waveform: null });
    expect(await Promise.all([waveform(), waveform()])).toEqual([
      [255, 128, 0],
      [255, 128, 0],
    ]);
    expect(await stored()).toBe('/4AA');
    await steno.call('PATCH', `/recordings/${id}`, { key, body: { keep_audio: false } });
    expect([await waveform(), await stored()]).toEqual([404, null]);
  });

  test('is refused while its store hangs, and nothing of it is kept', async () => {
    const { key } = await steno.person();
    // Takes connections and says nothing.
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const second = await startSecond({ url: `s3://k:s@127.0.0.1:${port}/steno?tls=no&patience=0.2` });
    const refused = await second.call('POST', '/recordings', key, Buffer.from(recording()));
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
    expect((await steno.call('GET', '/recordings', { key })).body.data).toEqual([]);
    await second.close();
    silent.close();
  });

  test('goes or stays by the settings of its owner, unless the upload says', async () => {
    const [{ key }, other] = [await steno.person(), await steno.person()];
    const settings = async (body?: object) =>
      (await steno.call(body ? 'PATCH' : 'GET', '/recordings/settings', { key, ...(body && { body }) })).body
        .data;
    const kept = { keep_audio: true, may_keep_audio: true, keep_audio_days: null };
    expect(await settings()).toEqual(kept);
    expect(await settings({ keep_audio: false })).toEqual({ ...kept, keep_audio: false });
    expect(await settings()).toEqual({ ...kept, keep_audio: false });
    const isKept = async (who: string, query = '') => (await heard(who, query)).has_audio;
    expect(await isKept(key)).toBe(false);
    expect(await isKept(key, '?keep_audio=true')).toBe(true);
    expect(await isKept(other.key)).toBe(true);
    for (const [keep_audio, stays] of [
      [undefined, false],
      ['true', true],
    ] as const) {
      const { payload, headers } = encodeForm({ file: recording(), ...(keep_audio && { keep_audio }) });
      const { body } = await steno.call('POST', '/recordings', { key, body: payload, headers });
      expect((await settled(steno, key, body.data.id)).has_audio).toBe(stays);
    }
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': '5' };
    const begun = await steno.call('POST', '/recordings/uploads', { key, headers: tus });
    expect(begun.body.data.keep_audio).toBe(false);
    expect((await steno.call('PATCH', '/recordings/settings', { key, body: {} })).status).toBe(400);
  });

  test('never stays with STENO_KEEP_AUDIO=no, whatever was wished, and what was kept before goes', async () => {
    const { key } = await steno.person();
    const before = await heard(key);
    now += 1_000;
    const strict = await startSecond({ keepAudio: false });
    const wish = { keep_audio: true };
    expect((await strict.call('PATCH', '/recordings/settings', key, wish)).status).toBe(403);
    expect((await strict.call('GET', '/recordings/settings', key, {})).data).toMatchObject({
      keep_audio: false,
      may_keep_audio: false,
    });
    const made = await strict.call('POST', '/recordings?keep_audio=true', key, recording());
    expect(made.data.keep_audio).toBe(false);
    expect((await strict.call('PATCH', `/recordings/${made.data.id}`, key, wish)).status).toBe(403);
    const done = await settled(steno, key, made.data.id);
    expect(done).toMatchObject({ has_audio: false, transcription_id: expect.any(String) });
    await expect.poll(() => [done.id, before.id].filter(hasFile)).toEqual([]);
    expect(await get(key, before.id)).toMatchObject({ has_audio: false, state: 'done' });
    await strict.close();
  });

  test('is refused with 503 by a store that does not answer; nothing is half kept, and others go on', async () => {
    const { key } = await steno.person();
    const lost = await startSecond({ url: 's3://key:secret@127.0.0.1:1/bucket?tls=no' });
    const refused = await lost.call('POST', '/recordings', key, recording());
    expect(refused).toMatchObject({ status: 503, data: undefined });
    expect((await steno.call('GET', '/recordings', { key })).body.data).toEqual([]);
    await lost.close();
    expect((await heard(key)).state).toBe('done');
  });

  test('goes after STENO_KEEP_AUDIO_DAYS; the words stay', async () => {
    const { key } = await steno.person();
    const old = await heard(key);
    now += 30 * dayMs + 1;
    const young = await heard(key);
    await expectDeleted([old.id], { keepAudioDays: 30 });
    expect(await get(key, old.id)).toMatchObject({
      has_audio: false,
      transcription_id: old.transcription_id,
    });
    expect(hasFile(young.id)).toBe(true);
    expect((await steno.call('GET', `/transcriptions/${old.transcription_id}`, { key })).status).toBe(200);
  });

  test('goes with the next start when the server dies before it could delete it', async () => {
    const { key, user } = await steno.person();
    const { key: leavingKey, user: leaving } = await steno.person();
    const { store } = steno;
    const [deleted, dropped, noted] = [await heard(key), await heard(key), await heard(key, '?note=true')];
    const gone = await heard(leavingKey);
    const at = new Date(now).toISOString();
    // What is written, without what comes after the commit: a dead server deletes nothing any more.
    const sweeps = [steno.parts, steno.recordings.recorder.parts].map((parts) =>
      vi.spyOn(parts, 'sweepAudio').mockResolvedValue(),
    );
    await store.recordings.remove(user.id, deleted.id, { withTranscription: false });
    await store.recordings.update(user.id, dropped.id, { keep_audio: false }, at);
    const note = { kind: 'owner', ownerId: user.id } as const;
    await store.notes.softDelete(note, noted.note_id ?? '', at);
    await store.trash.purge(note, noted.note_id ?? '');
    await store.users.remove(leaving.id);
    const ids = [deleted.id, dropped.id, noted.id, gone.id];
    expect(ids.map(hasFile)).toEqual([true, true, true, true]);
    await expectDeleted(ids);
    for (const sweep of sweeps) sweep.mockRestore();
  });
});
