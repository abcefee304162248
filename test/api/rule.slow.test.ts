import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import { createFakeTranscriber } from '../../src/engines/speech/fake.ts';
import { flacBomb } from '../support/flac-bomb.ts';
import { encodeForm } from '../support/form.ts';
import { nastyAudio } from '../support/nasty-audio.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { recording } from '../support/sound.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';
import { countTurns } from '../support/turns.ts';

/** The rule: no request stops the others. bench/ measures it in milliseconds; here turns of the event loop are counted. */
let steno: TestSteno;
beforeAll(async () => {
  const speech = {
    decoder: createAudioDecoder({ limits: { cpuMs: 2_000 } }),
    transcriber: createFakeTranscriber(),
  };
  steno = await startSteno({ speech });
});
afterAll(() => steno.close());

test('a turn that computes for too long is counted', async () => {
  const { blocked } = await countTurns(async () => {
    await sleep(5);
    const { user } = process.threadCpuUsage();
    while (process.threadCpuUsage().user - user < 150_000);
    await sleep(5);
  });
  expect(blocked).toBeGreaterThan(0);
});

test('whatever recording somebody sends, no turn of the event loop is blocked by it', async () => {
  const files = await nastyAudio({ flacBlocks: 300, opusBytes: 300_000 });
  const [mallory, ada] = [await steno.person(), await steno.person()];
  const created = await steno.call('POST', '/notes/create', { key: ada.key, body: { content: 'mine' } });
  const path = `/notes/${created.body.data.id}`;
  // What runs for the first time is compiled first.
  await steno.upload(mallory.key, { file: Buffer.from(files['eight channels at 192 kHz']) });
  for (const [name, file] of Object.entries(files)) {
    const { turns, blocked, longestMs } = await countTurns(async () => {
      const upload = steno.upload(mallory.key, { file: Buffer.from(file) });
      expect((await steno.call('GET', path, { key: ada.key })).status).toBe(200);
      const { status, body } = await upload;
      expect([200, 400], `${name}: ${JSON.stringify(body).slice(0, 200)}`).toContain(status);
    });
    expect(blocked, `${name}: ${longestMs} ms in one of ${turns} turns`).toBe(0);
  }
});

test('a recording longer than what is left of the month is 429 before it is decoded to its end', async () => {
  const { key, user } = await steno.person();
  const usedMs = async () => (await steno.call('GET', '/usage', { key })).body.data.audio_ms_used;
  // 113 kB that unpack to nearly three hours; decoding all of them takes a minute of work.
  const file = Buffer.from(flacBomb(7_700));
  await steno.database.db
    .insertInto('usage_ledger')
    .values({
      transcription_id: randomUUID(),
      user_id: user.id,
      counted_at: new Date().toISOString(),
      words: 0,
      audio_ms: 600 * 60_000 - 10_000,
    })
    .execute();
  const before = await usedMs();
  const { status, body } = await steno.upload(key, { file });
  expect([status, body.error.code]).toEqual([429, 'quota_exceeded']);
  expect(body.error.message).toContain('longer than the 10.0 s left');
  expect(await usedMs()).toBe(before);
});

test('a client that goes away while its recording is decoded frees its key and the decoder', async () => {
  const address = await steno.app.listen({ host: '127.0.0.1', port: 0 });
  const { key, user } = await steno.person();
  const { payload, headers } = encodeForm({ file: Buffer.from(flacBomb(7_700)) });
  const client = new AbortController();
  const gone = fetch(`${address}/api/v1/transcribe`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${key}` },
    body: payload,
    signal: client.signal,
  });
  const leases = () =>
    steno.database.db
      .selectFrom('transcription_leases')
      .where('user_id', '=', user.id)
      .select('id')
      .execute();
  await expect.poll(async () => (await leases()).length).toBe(1);
  client.abort();
  await expect(gone).rejects.toThrow();
  await Promise.allSettled(steno.speech.underWay);
  expect(await leases()).toEqual([]);
  expect((await steno.upload(key, { file: Buffer.from(recording('jfk.ogg')) })).status).toBe(200);
});

test('a file that changes its format is refused: nothing of it is kept or charged, and the queue goes on', async () => {
  const { key } = await steno.person();
  const both = Buffer.concat([recording('jfk.webm'), recording('jfk.ogg')]);
  const message = expect.stringContaining('is damaged');
  const transcribed = await steno.upload(key, { file: both });
  expect([transcribed.status, transcribed.body.error]).toEqual([
    400,
    expect.objectContaining({ code: 'validation_error', message }),
  ]);
  const ids: string[] = [];
  for (const file of [both, Buffer.from(recording('jfk.ogg'))])
    ids.push((await uploadTo(steno, key, file, '?note=true')).body.data.id);
  const [bad, good] = await Promise.all(ids.map((id) => settled(steno, key, id)));
  expect(bad).toMatchObject({ state: 'failed', error: message, transcription_id: null, note_id: null });
  expect(good).toMatchObject({ state: 'done', duration_ms: 11_000 });
  const { audio_ms_used, recording_ms_used } = (await steno.call('GET', '/usage', { key })).body.data;
  expect([audio_ms_used, recording_ms_used]).toEqual([0, 11_000]);
});
