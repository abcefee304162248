import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { pcmRate } from '../../src/domain/audio.ts';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import { createEmbeddedTranscriber } from '../../src/engines/speech/pool/embedded.ts';
import { locateModel } from '../../src/engines/speech/pool/model-file.ts';
import { loadTranscribeCpp } from '../../src/engines/speech/pool/transcribe-cpp-recogniser.ts';
import { transcribeRecording } from '../../src/features/transcribe/transcribe-recording.ts';
import { joinSamples, noise, recording, recordingOf, samplesOf, silence, tone } from '../support/sound.ts';

/** The product itself: the model in the box on real speech. */
const transcriber = createEmbeddedTranscriber();
/** As where npm could not install the model for other languages. */
const englishOnly = createEmbeddedTranscriber({ fallbackModel: null, workers: 1 });
const decoder = createAudioDecoder();
afterAll(() => Promise.all([transcriber.close(), englishOnly.close(), decoder.close()]));

const plainWords = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .split(' ')
    .filter(Boolean);
const hear = (pcm: Float32Array, more: object = {}) =>
  transcribeRecording(transcriber, { recording: recordingOf(pcm), userId: 'ada', ...more });

// The other formats are heard in e2e/transcribe.slow.
test.for(['jfk.wav', 'jfk.webm'])('%s comes out as it was said', async (name) => {
  const { text, segments, language, reason } = await transcribeRecording(transcriber, {
    recording: await decoder.open(recording(name)),
    userId: 'ada',
  });
  expect([language, reason]).toEqual(['en', null]);
  expect(plainWords(text).join(' ')).toBe(
    'and so my fellow americans ask not what your country can do for you ask what you can do for your country',
  );
  const words = segments.flatMap((segment) => segment.words);
  expect(words.map(({ word }) => word).join(' ')).toBe(text);
  expect(segments.map((segment) => segment.text).join(' ')).toBe(text);
  // The speech goes on until shortly before the end of the 11 s: nothing of it is left out.
  expect(words.at(-1)?.end).toBeGreaterThan(10);
});

describe('what is not speech gives no words', () => {
  test.for([
    ['silence', silence(10)],
    ['a tone', tone(5)],
    ['a hum', tone(5, 50)],
    ['loud noise', noise(8)],
    ['faint noise', noise(8, 0.01)],
    ['a clip shorter than a frame', tone(0.02)],
    ['a click', joinSamples(silence(1), noise(0.03), silence(1))],
  ] as const)('%s', async ([, pcm]) => {
    expect(await hear(pcm)).toMatchObject({ text: '', segments: [] });
  });
});

test('speech after a noise is heard, although the model would call the beginning a sound', async () => {
  const heard = await hear(joinSamples(noise(4, 0.05), samplesOf('jfk.wav').subarray(0, 4.5 * pcmRate)));
  expect(plainWords(heard.text).slice(0, 5).join(' ')).toBe('and so my fellow americans');
});

// One of which the model says itself that it is foreign, and one that it hears as "I'm an fan show of god".
test.for(['espeak_fr.wav', 'espeak_de.wav'])(
  'speech in another language is not turned into English (%s)',
  { tags: 'slow' },
  async (name) => {
    const foreign = await decoder.open(recording(name));
    expect(await transcribeRecording(englishOnly, { recording: foreign, userId: 'ada' })).toMatchObject({
      text: '',
      segments: [],
      language: null,
      reason: 'unknown_language',
    });
  },
);

test('of a recording in two languages, the English is kept', { tags: 'slow' }, async () => {
  const english = samplesOf('ps_0870.wav');
  // From 8 kHz to 16.
  const german = Float32Array.from([...samplesOf('espeak_de.wav')].flatMap((sample) => [sample, sample]));
  const pcm = joinSamples(english, silence(8), german, silence(8), english);
  const heard = await transcribeRecording(englishOnly, { recording: recordingOf(pcm), userId: 'ada' });
  expect(heard.text.split('Mr. John Dashwood').length).toBe(3);
  // The sentence begins in the middle of an "and", which is heard or not.
  expect(plainWords(heard.text.replaceAll('And Mr.', 'Mr.')).length).toBe(42);
  expect(heard).toMatchObject({ language: null, reason: 'unknown_language' });
});

test('word times lie where the words are said', async () => {
  const pause = 3;
  const { segments } = await hear(
    joinSamples(samplesOf('sb_spk1_snt6.wav'), silence(pause), samplesOf('newhome.wav')),
  );
  const words = segments.flatMap((segment) => segment.words.map((word) => ({ ...word, text: word.word })));
  const ending = (text: string) => words.find((told) => told.text.endsWith(text)) ?? expect.unreachable();
  const first = samplesOf('sb_spk1_snt6.wav').length / pcmRate;
  expect(ending('used.').end).toBeGreaterThan(first - 0.7);
  expect(ending('used.').end).toBeLessThan(first + 0.3);
  expect(ending('stars.').start).toBeGreaterThan(first + pause + 1);
});

test('a long recording is cut at pauses and joined without losing or doubling a word', {
  tags: 'slow',
}, async () => {
  const [jfk, pencils, home] = ['jfk.wav', 'sb_spk1_snt6.wav', 'newhome.wav'].map(samplesOf) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const gap = silence(0.6);
  const told: number[] = [];
  const { text, segments } = await hear(
    joinSamples(pencils, gap, jfk, gap, home, gap, pencils, gap, jfk, gap, home),
    {
      onProgress: (done: number) => told.push(done),
    },
  );
  const words = plainWords(text);
  const count = (word: string) => words.filter((heard) => heard === word).length;
  expect({
    pencils: count('pencils'),
    stars: count('stars'),
    country: count('country'),
    used: count('used'),
  }).toEqual({
    pencils: 2,
    stars: 2,
    country: 4,
    used: 2,
  });
  expect(words.length).toBe(2 * (6 + 22 + 9));
  expect(segments.map(({ start }) => start)).toEqual(
    segments.map(({ start }) => start).sort((a, b) => a - b),
  );
  expect(told.length).toBeGreaterThan(2);
});

describe('speakers', () => {
  const talk = joinSamples(
    samplesOf('jfk.wav'),
    silence(0.5),
    samplesOf('ps_0870.wav'),
    silence(0.5),
    samplesOf('jfk.wav'),
  );

  test('are told apart, and a segment ends where one takes over', { tags: 'slow' }, async () => {
    const { segments } = await hear(talk);
    const turns = segments.map(({ speaker }) => speaker).filter((speaker, i, all) => speaker !== all[i - 1]);
    expect(turns).toEqual(['Speaker 1', 'Speaker 2', 'Speaker 1']);
    expect(segments.find(({ speaker }) => speaker === 'Speaker 2')?.start).toBeGreaterThan(10.5);
  });

  test('are as many as the caller says', { tags: 'slow' }, async () => {
    const { segments } = await hear(talk, { speakers: 1 });
    expect(new Set(segments.map(({ speaker }) => speaker))).toEqual(new Set(['Speaker 1']));
  });
});

describe('the dictionary', () => {
  test('mends a name', async () => {
    const plain = await hear(samplesOf('ps_0870.wav'));
    expect(plain.text).toContain('Dashwood');
    const { text } = await hear(samplesOf('ps_0870.wav'), { dictionary: ['Dashwoode'] });
    expect(text).toContain('John Dashwoode had then leisure');
  });

  test.for([
    ['ps_0870.wav', 'Jon Dashwoode', 'Jon Dashwoode had then leisure'],
    ['jfk.wav', 'Amerikans of Kontri', 'my fellow Amerikans'],
  ] as const)(
    'and a prompt: each word of an entry counts by itself (%s, %s)',
    { tags: 'slow' },
    async ([file, entry, said]) => {
      const pcm = samplesOf(file);
      const prompted = await hear(pcm, { prompt: entry });
      expect(prompted.text).toContain(said);
      expect((await hear(pcm, { dictionary: [entry] })).text).toBe(prompted.text);
    },
  );

  test('leaves ordinary words alone', async () => {
    const { text } = await hear(samplesOf('newhome.wav'), { dictionary: ['Hoome', 'Starrs', 'Fynd'] });
    expect(plainWords(text).join(' ')).toBe('we must find a new home in the stars');
  });

  test('and a prompt are never echoed', async () => {
    const prompt = 'Zanzibar, Quetzalcoatl, Wrocław';
    const { text } = await hear(joinSamples(silence(1), samplesOf('sb_spk1_snt6.wav')), { prompt });
    expect(plainWords(text).join(' ')).toBe('the pencils have all been used');
  });
});

test('the same recording gives the same answer each time', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => hear(samplesOf('newhome.wav'))));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

test('another model file is used as it is and named by its file', { tags: 'slow' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steno-model-'));
  const model = join(folder, 'ggml-mine.bin');
  symlinkSync(locateModel('').path, model);
  const other = createEmbeddedTranscriber({ model, workers: 1 });
  const heard = await transcribeRecording(other, {
    recording: recordingOf(samplesOf('newhome.wav')),
    userId: 'ada',
  });
  await other.close();
  rmSync(folder, { recursive: true });
  expect(heard).toMatchObject({ model: 'whisper-mine', language: 'en' });
  expect(plainWords(heard.text).join(' ')).toBe('we must find a new home in the stars');
});

test('the engine for GGUF files hears the same, in phrases', { tags: 'slow' }, async () => {
  const { path, name } = locateModel('');
  const recogniser = await loadTranscribeCpp(path, name, 1);
  const { pieces, language } = await recogniser.recognise({
    pcm: samplesOf('newhome.wav'),
    language: undefined,
    prompt: '',
  });
  expect(recogniser.info.languages).toEqual(['en']);
  expect(pieces.some(({ isWord }) => isWord)).toBe(false);
  expect(language).toBe('en');
  expect(plainWords(pieces.map(({ text }) => text).join('')).join(' ')).toBe(
    'we must find a new home in the stars',
  );
});
