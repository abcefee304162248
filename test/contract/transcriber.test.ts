import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pcmRate } from '../../src/domain/audio.ts';
import { UnsupportedLanguage } from '../../src/domain/speech-errors.ts';
import type { Transcriber } from '../../src/engines/ports/transcriber.ts';
import { createFakeTranscriber } from '../../src/engines/speech/fake.ts';
import { createHttpTranscriber } from '../../src/engines/speech/openai/openai-compatible.ts';
import { createEmbeddedTranscriber } from '../../src/engines/speech/pool/embedded.ts';
import { transcribeRecording } from '../../src/features/transcribe/transcribe-recording.ts';
import { joinSamples, recordingOf, samplesOf, silence } from '../support/sound.ts';

/** Every adapter of the port keeps these promises. */
const adapters: Record<string, () => Promise<{ transcriber: Transcriber; close(): Promise<void> }>> = {
  fake: async () => {
    const transcriber = createFakeTranscriber();
    return { transcriber, close: () => transcriber.close() };
  },
  http: async () => {
    const server = await speechServer();
    const { port } = server.address() as AddressInfo;
    const transcriber = createHttpTranscriber({ url: `http://127.0.0.1:${port}/v1`, languages: ['en'] });
    return { transcriber, close: async () => void server.close() };
  },
  embedded: async () => {
    const transcriber = createEmbeddedTranscriber({ workers: 1 });
    return { transcriber, close: () => transcriber.close() };
  },
};

describe.each(Object.keys(adapters))('%s transcriber', (name) => {
  let transcriber: Transcriber;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ transcriber, close } = await (adapters[name] as (typeof adapters)[string])());
  });
  afterAll(() => close());

  const speech = samplesOf('sb_spk1_snt6.wav');
  const seconds = speech.length / pcmRate;

  test('speech gives a text, and segments that say the same within the recording', async () => {
    const result = await transcribeRecording(transcriber, { recording: recordingOf(speech), userId: 'ada' });
    expect(result.text).not.toBe('');
    expect(result.segments.map(({ text }) => text).join(' ')).toBe(result.text);
    for (const { start, end, words } of result.segments) {
      expect(start).toBeGreaterThanOrEqual(0);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(end).toBeLessThanOrEqual(seconds + 0.1);
      for (const word of words) {
        expect(word.end).toBeGreaterThanOrEqual(word.start);
        expect(word.score === null || (word.score >= 0 && word.score <= 1)).toBe(true);
      }
    }
    expect(result.provider).not.toBe('');
    expect(result.model).not.toBe('');
  });

  test('the words of a segment are its text', async () => {
    const { segments } = await transcribeRecording(transcriber, {
      recording: recordingOf(speech),
      userId: 'ada',
    });
    for (const { text, words } of segments) expect(words.map(({ word }) => word).join(' ')).toBe(text);
  });

  test('chunks that are heard one by one, and stored in between, give the same in the end', async () => {
    const recording = recordingOf(speech);
    const details: string[] = [];
    for await (const chunk of recording.chunks()) {
      const heard = await transcriber.transcribeChunk({ chunk, userId: 'ada', isBackground: true });
      expect(heard.text).not.toBe('');
      details.push(heard.detail);
    }
    const whole = await transcribeRecording(transcriber, { recording, userId: 'ada' });
    expect(await transcriber.assemble(details, { userId: 'ada' })).toEqual(whole);
    expect(await transcriber.assemble([], { userId: 'ada' })).toMatchObject({ text: '', segments: [] });
  });

  test('silence gives an empty text and no segments', async () => {
    const result = await transcribeRecording(transcriber, {
      recording: recordingOf(silence(3)),
      userId: 'ada',
    });
    expect(result).toMatchObject({ text: '', segments: [] });
  });

  test('no samples at all are silence', async () => {
    const result = await transcribeRecording(transcriber, {
      recording: recordingOf(new Float32Array()),
      userId: 'ada',
    });
    expect(result).toMatchObject({ text: '', segments: [] });
  });

  test('NaN and infinite samples are silence', async () => {
    const broken = new Float32Array(pcmRate).map(
      (_, i) => [Number.NaN, Number.POSITIVE_INFINITY][i % 2] ?? 0,
    );
    const result = await transcribeRecording(transcriber, { recording: recordingOf(broken), userId: 'ada' });
    expect(result.text).toBe('');
  });

  test.for(['en', 'en-US', 'EN_gb'])('%s is English', async (language) => {
    const result = await transcribeRecording(transcriber, {
      recording: recordingOf(speech),
      userId: 'ada',
      language,
    });
    expect(result.language).toBe('en');
  });

  test.for(['xx', 'klingon', '../etc'])('the language %j is refused, before and during', async (language) => {
    expect(() => transcriber.checkLanguage(language)).toThrow(UnsupportedLanguage);
    await expect(
      transcribeRecording(transcriber, { recording: recordingOf(speech), userId: 'ada', language }),
    ).rejects.toThrow(UnsupportedLanguage);
  });

  test('progress rises to 1, and the text comes in parts', async () => {
    const told: number[] = [];
    const parts: string[] = [];
    const { text } = await transcribeRecording(transcriber, {
      recording: recordingOf(joinSamples(speech, silence(25), speech)),
      userId: 'ada',
      onProgress: (done) => told.push(done),
      onText: (more) => parts.push(more),
    });
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('')).toBe(text);
    expect(told.at(-1)).toBe(1);
    expect(Math.max(...told.slice(0, -1))).toBeLessThan(1);
    expect(told).toEqual([...told].sort((a, b) => a - b));
  });

  test('a request aborted before it starts rejects with the reason', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(
      transcribeRecording(transcriber, { recording: recordingOf(speech), userId: 'ada', signal }),
    ).rejects.toThrow('gone');
  });

  test('it becomes ready by itself, and says so', async () => {
    await expect.poll(() => transcriber.status()).toMatchObject({ state: 'ready', problem: null });
  });

  test('the caller keeps the samples as they were', async () => {
    const before = speech.slice();
    await transcribeRecording(transcriber, { recording: recordingOf(speech), userId: 'ada' });
    expect(speech).toEqual(before);
  });
});

/** Answers like OpenAI: words beside the segments, the language by name. */
async function speechServer(): Promise<Server> {
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    for await (const _ of request);
    const words = ['The', 'pencils', 'have', 'all', 'been', 'used.'];
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        task: 'transcribe',
        language: 'english',
        duration: 2.3,
        text: ` ${words.join(' ')}`,
        segments: [{ id: 0, start: 0, end: 2, text: ` ${words.join(' ')}`, avg_logprob: -0.2 }],
        words: words.map((word, i) => ({ word, start: i * 0.3, end: i * 0.3 + 0.3 })),
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
