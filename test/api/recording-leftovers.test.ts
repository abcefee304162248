import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { stoppedClock } from '../support/clock.ts';
import { principalOf } from '../support/principal.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { recording } from '../support/speech.ts';
import { startSteno, type TestSteno, testPlans } from '../support/steno.ts';

const dayMs = 86_400_000;
const clock = stoppedClock(Date.parse('2026-10-15T12:00:00.000Z'));
const limits = { recordingMaxBytes: 100_000, recordingMaxMinutes: 1 };
const plans = { ...testPlans, business: { ...testPlans.business, ...limits } };
const dataDir = mkdtempSync(join(tmpdir(), 'steno-leftovers-'));
const { recordings } = readConfig({ STENO_DATA_DIR: dataDir, STENO_KEEP_AUDIO_DAYS: '2' });
let steno: TestSteno;
beforeAll(async () => {
  steno = await startSteno({ clock, config: { plans, recordings } });
});
afterAll(async () => {
  await steno.close();
  rmSync(dataDir, { recursive: true });
});

/** Tests of this file may run in any order, and some leave a recording behind. */
let earlier: string[] = [];
beforeEach(() => {
  earlier = audioFiles();
});
const audioFiles = () => (existsSync(recordings.folder) ? readdirSync(recordings.folder) : []);

/** The files of audio, and the recordings that the person sees. On PostgreSQL the folder has a file with its name. */
async function left(key: string) {
  const files = audioFiles().filter((file) => file !== 'name' && !earlier.includes(file));
  return { files, recordings: (await steno.call('GET', '/recordings', { key })).body.data.length };
}
const failed = async (key: string) => {
  const { body } = await uploadTo(steno, key, recording({ ms: 2 * 60_000 }));
  const ended = await settled(steno, key, body.data.id);
  expect(ended.state).toBe('failed');
  return ended;
};

test.each([
  ['is no audio', Buffer.from('these are words'), 400],
  ['is empty', Buffer.alloc(0), 400],
  ['is too large', Buffer.alloc(200_000), 413],
])('an upload that %s leaves nothing behind', async (_, file, status) => {
  const { key } = await steno.person();
  expect((await uploadTo(steno, key, file)).status).toBe(status);
  await expect.poll(() => left(key)).toEqual({ files: [], recordings: 0 });
});

test('an upload of unknown length that grows too large, or breaks off, leaves nothing behind', async () => {
  const { user, key, keyId } = await steno.person();
  const principal = principalOf(user.id, keyId);
  const sent = (chunks: AsyncIterable<Uint8Array>) =>
    steno.recordings.upload(principal, { length: null, chunks, draft: () => ({}) });
  async function* tooMuch() {
    for (let at = 0; at < 3; at += 1) yield Buffer.alloc(50_000);
  }
  async function* broken() {
    yield Buffer.alloc(50_000);
    throw new Error('gone');
  }
  await expect(sent(tooMuch())).rejects.toMatchObject({ code: 'payload_too_large' });
  // At once, and not when the minute's tidying comes.
  expect(await left(key)).toEqual({ files: [], recordings: 0 });
  await expect(sent(broken())).rejects.toThrow('gone');
  expect(await left(key)).toEqual({ files: [], recordings: 0 });
});

test('a recording that failed keeps its audio for another try, and takes it along when it is deleted', async () => {
  const { key } = await steno.person();
  const { id, has_audio } = await failed(key);
  expect(has_audio).toBe(true);
  expect((await left(key)).files).toHaveLength(1);
  expect((await steno.call('DELETE', `/recordings/${id}`, { key })).status).toBe(204);
  expect(await left(key)).toEqual({ files: [], recordings: 0 });
});

test('where audio is kept for some days, that of a failed recording is not kept longer', async () => {
  const { key } = await steno.person();
  const { id } = await failed(key);
  const hasAudio = async () => (await steno.call('GET', `/recordings/${id}`, { key })).body.data.has_audio;
  await steno.recordings.dropOld();
  clock.advance(2 * dayMs);
  expect(await hasAudio()).toBe(true);
  clock.advance(1);
  await steno.recordings.dropOld();
  expect(await hasAudio()).toBe(false);
});
