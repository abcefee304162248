import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import { createFakeTranscriber } from '../../src/engines/speech/fake.ts';
import { createHttpTranscriber } from '../../src/engines/speech/openai/openai-compatible.ts';
import { joinSamples, samplesOf, silence, wavOf } from '../support/sound.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/** One Steno recognises speech for another, which has its address and a key. */
let speechServer: TestSteno;
let speechKey: string;
let steno: TestSteno;
let busyAnswers = 0;
const { promise: someoneWasTurnedAway, resolve: turnedAway } = Promise.withResolvers<void>();

beforeAll(async () => {
  const fake = createFakeTranscriber();
  speechServer = await startSteno({
    speech: {
      decoder: createAudioDecoder(),
      transcriber: {
        ...fake,
        // The first chunk takes so long that the second arrives meanwhile: both are sent at once, for the language is named.
        async transcribeChunk(request) {
          await someoneWasTurnedAway;
          return fake.transcribeChunk(request);
        },
      },
    },
  });
  speechServer.app.server.on('request', (_request, response) =>
    response.on('finish', () => {
      if (response.statusCode !== 409) return;
      busyAnswers += 1;
      turnedAway();
    }),
  );
  const url = await speechServer.app.listen({ host: '127.0.0.1', port: 0 });
  speechKey = (await speechServer.person()).key;
  const transcriber = createHttpTranscriber({ url, key: speechKey });
  steno = await startSteno({ speech: { decoder: createAudioDecoder(), transcriber } });
});
afterAll(async () => {
  await steno.close();
  await speechServer.close();
});

test('a recording of several chunks is heard by a server that takes one at a time', async () => {
  const speech = samplesOf('jfk.wav');
  const pcm = joinSamples(...Array.from({ length: 6 }, () => [speech, silence(2)]).flat());
  const { key } = await steno.person();
  const { status, body } = await steno.upload(key, { file: wavOf(pcm), language: 'en' });
  expect([status, body]).toEqual([200, expect.anything()]);
  const record = (await steno.call('GET', `/transcriptions/${body.data.id}`, { key })).body.data;
  expect(record).toMatchObject({ language: 'en', provider: 'http' });

  const list = '/transcriptions/list?include=segments';
  const parts = (await speechServer.call('GET', list, { key: speechKey })).body.data.toReversed();
  expect(parts.length).toBeGreaterThan(2);
  // It was turned away once. From then on it waited by itself.
  expect(busyAnswers).toBe(1);
  const words = record.segments.flatMap((segment: { words: object[] }) => segment.words);
  expect(words.length).toBeGreaterThan(parts.length);
  expect(words.every(({ score }: { score: number }) => score === 1)).toBe(true);
  const starts = words.map(({ start }: { start: number }) => start);
  expect(starts).toEqual(starts.toSorted((one: number, other: number) => one - other));
  expect(starts.at(-1)).toBeGreaterThan(60);
  const heard = parts.map(({ text }: { text: string }) => text).sort();
  expect(heard.join(' ').split(' ').sort()).toEqual(record.text.split(' ').sort());
});
