import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { pcmRate } from '../../src/domain/audio.ts';
import type { Transcriber } from '../../src/engines/ports/transcriber.ts';
import { createEmbeddedTranscriber, type EmbeddedOptions } from '../../src/engines/speech/pool/embedded.ts';
import { locateFallbackModel } from '../../src/engines/speech/pool/model-file.ts';
import { transcribeRecording } from '../../src/features/transcribe/transcribe-recording.ts';
import { decodedSamples, joinSamples, recording, recordingOf, samplesOf, silence } from '../support/sound.ts';

/** The two models that come with Steno, on real speech. */
const open: Transcriber[] = [];
const create = (options: EmbeddedOptions = {}) => {
  const transcriber = createEmbeddedTranscriber({ workers: 2, ...options });
  open.push(transcriber);
  return transcriber;
};
const both = create();
afterAll(() => Promise.all(open.map((transcriber) => transcriber.close())));

const hear = (pcm: Float32Array, more: object = {}, transcriber = both) =>
  transcribeRecording(transcriber, { recording: recordingOf(pcm), userId: 'ada', ...more });
const german = await decodedSamples(recording('simplicissimus_de.ogg'));
const english = samplesOf('ps_0870.wav');
/** Linux only, none elsewhere. */
const children = () => {
  if (process.platform !== 'linux') return [];
  const path = `/proc/${process.pid}/task/${process.pid}/children`;
  return readFileSync(path, 'latin1').split(' ').filter(Boolean);
};

test('speech in another language comes out in that language', async () => {
  const heard = await hear(german);
  expect(heard).toMatchObject({ language: 'de', reason: null, model: 'whisper-small-q8' });
  expect(heard.text).toMatch(/nachdenklich zu betrachten.* mit Lachen die Wahrheit zu sagen/);
  const words = heard.segments.flatMap((segment) => segment.words);
  expect(words.every(({ score }) => score !== null && score >= 0 && score <= 1)).toBe(true);
  expect(words.map(({ start }) => start)).toEqual(words.map(({ start }) => start).sort((a, b) => a - b));
  expect((await hear(german)).text).toBe(heard.text);
});

test('a named language is taken at its word', async () => {
  const heard = await hear(german, { language: 'de-AT' });
  expect(heard).toMatchObject({ language: 'de', reason: null, model: 'whisper-small-q8' });
  expect(heard.text).toMatch(/mit Lachen die Wahrheit/);
  await expect(hear(german, { language: 'xx' })).rejects.toThrow('The language "xx" is not supported');
});

test('clear English is heard by the first model alone', async () => {
  expect(await hear(english)).toMatchObject({ language: 'en', model: 'whisper-base.en' });
  expect(await hear(german, { language: 'en' })).toMatchObject({ language: 'en', model: 'whisper-base.en' });
});

test('English that the first model is unsure of is heard by the second one too', async () => {
  const oneWord = english.subarray(2.84 * pcmRate, 3.4 * pcmRate);
  const heard = await hear(joinSamples(silence(0.3), oneWord, silence(0.3)));
  expect(heard).toMatchObject({ language: 'en', reason: null, model: 'whisper-small-q8' });
  expect(heard.text).toMatch(/consider/i);
});

test('of a recording in two languages, both are kept', async () => {
  const heard = await hear(joinSamples(english, silence(8), german, silence(8), english));
  expect(heard.text).toMatch(/John Dashwood.*Lachen die Wahrheit.*John Dashwood/);
  expect(heard).toMatchObject({ language: 'en', reason: null });
});

test('every language of the second model is told', () => {
  expect(both.status().languages).toEqual(expect.arrayContaining(['en', 'de', 'ar', 'zh']));
});

describe('without the second model', () => {
  test('one that cannot be read leaves what the first heard, and another language is a 503', async () => {
    const model = locateFallbackModel() ?? expect.unreachable();
    const folder = mkdtempSync(join(tmpdir(), 'steno-second-'));
    copyFileSync(join(model.path, 'config.json'), join(folder, 'config.json'));
    const transcriber = create({ fallbackModel: { ...model, path: folder } });
    expect(await hear(german, {}, transcriber)).toMatchObject({ text: '', reason: 'unknown_language' });
    await expect(hear(german, { language: 'de' }, transcriber)).rejects.toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 60,
    });
  });

  test('only the languages of the first are known', async () => {
    const transcriber = create({ fallbackModel: null });
    await hear(english, {}, transcriber);
    expect(transcriber.status().languages).toEqual(['en']);
    await expect(hear(german, { language: 'de' }, transcriber)).rejects.toThrow('Use one of these: en');
  });
});

test('its process ends when nobody needs it, and a worker makes room for it', async () => {
  const before = children().length;
  const transcriber = create({ fallbackIdleMs: 1 });
  await hear(english, {}, transcriber);
  const hearing = hear(german, {}, transcriber);
  await vi.waitFor(() => expect(transcriber.status().workers.wanted).toBe(1), 120_000);
  await hearing;
  await vi.waitFor(
    () => expect(transcriber.status().workers).toMatchObject({ wanted: 2, ready: 2 }),
    120_000,
  );
  // The other transcriber may be replacing one of its own just now.
  if (process.platform === 'linux') await expect.poll(children).toHaveLength(before + 2);
});
