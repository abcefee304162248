import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pcmRate } from '../../src/domain/audio.ts';
import { TranscriberUnavailable } from '../../src/domain/speech-errors.ts';
import type { Recording } from '../../src/engines/ports/audio.ts';
import {
  createHttpTranscriber,
  type HttpTranscriberOptions,
} from '../../src/engines/speech/openai/openai-compatible.ts';
import { transcribeRecording } from '../../src/features/transcribe/transcribe-recording.ts';
import { recordingOf, samplesOf, silence } from '../support/sound.ts';

const pcm = samplesOf('sb_spk1_snt6.wav');
/** All of the samples, so that a test knows what the server gets. */
const oneChunk = (samples: Float32Array): Recording => ({
  durationMs: (samples.length / pcmRate) * 1000,
  async *chunks() {
    yield { start: 0, pcm: samples, voice: { frames: new Uint8Array(), frameSeconds: 0.03 } };
  },
});

describe('a server that is well', () => {
  test('gets the key, the model, the language, the terms and a WAV', async () => {
    const { ask, received } = await engine({ key: 'secret', model: 'large-v3' }, (_, response) =>
      json(response, { text: 'hi' }),
    );
    await ask({ language: 'en-US', prompt: 'ComfyUI', dictionary: ['Dashwood'] });
    const [{ headers, form } = { headers: {}, form: new FormData() }] = received;
    expect(headers.authorization).toBe('Bearer secret');
    expect(Object.fromEntries([...form].filter(([name]) => name !== 'file' && !name.includes('[')))).toEqual({
      model: 'large-v3',
      language: 'en',
      temperature: '0',
      prompt: 'ComfyUI, Dashwood.',
      response_format: 'verbose_json',
    });
    const file = form.get('file') as File;
    expect(Buffer.from(await file.arrayBuffer()).toString('latin1', 0, 4)).toBe('RIFF');
    expect(file.size).toBe(44 + pcm.length * 2);
  });

  test('is asked about a recording of any length', async () => {
    const { ask } = await engine({}, (_, response) => json(response, { text: 'hi' }));
    for (const cut of [0, 1, 7, 333])
      expect((await ask({ recording: oneChunk(pcm.subarray(0, pcm.length - cut)) })).text).toBe('hi');
  });

  test('that tells probabilities has them as scores', async () => {
    const words = [{ word: ' Hi', start: 0, end: 0.5, probability: 0.8 }];
    const { ask } = await engine({}, (_, response) =>
      json(response, { text: 'Hi', segments: [{ start: 0, end: 1, text: ' Hi', words }] }),
    );
    expect((await ask()).segments).toEqual([
      {
        start: 0,
        end: 1,
        text: 'Hi',
        speaker: null,
        words: [{ word: 'Hi', start: 0, end: 0.5, score: 0.8 }],
      },
    ]);
  });

  test('that tells text only gives one segment over the recording, without words', async () => {
    const { ask } = await engine({}, (_, response) => json(response, { text: 'Hello there.' }));
    const { text, segments } = await ask();
    expect(text).toBe('Hello there.');
    expect(segments).toEqual([
      { start: 0, end: pcm.length / pcmRate, text: 'Hello there.', speaker: null, words: [] },
    ]);
  });

  test('that cannot do verbose answers is asked for plain ones', async () => {
    const { ask, received } = await engine({}, (form, response) =>
      form.get('response_format') === 'json'
        ? json(response, { text: 'plain' })
        : json(response, { error: { message: "response_format 'verbose_json' is not compatible" } }, 400),
    );
    expect((await ask()).text).toBe('plain');
    expect(received).toHaveLength(2);
  });

  test('never sees silence', async () => {
    const { transcriber, received } = await engine({}, (_, response) => json(response, { text: 'you' }));
    expect(
      (await transcribeRecording(transcriber, { recording: recordingOf(silence(3)), userId: 'ada' })).text,
    ).toBe('');
    expect(received).toHaveLength(0);
  });

  test('has misheard names mended by the dictionary', async () => {
    const { ask } = await engine({}, (_, response) =>
      json(response, { text: 'Open comfyui, John Dashwoode.' }),
    );
    expect((await ask({ dictionary: ['ComfyUI', 'Dashwood'] })).text).toBe('Open ComfyUI, John Dashwood.');
  });

  test.for([{ prompt: 'Jonathan Dashwoode' }, { dictionary: ['Jonathan Dashwoode'] }])(
    'has each word of an entry of several mended by itself: %j',
    async (names) => {
      const { ask } = await engine({}, (_, response) => json(response, { text: 'Mister John Dashwood had' }));
      expect((await ask(names)).text).toBe('Mister John Dashwoode had');
    },
  );
});

describe('a server that is not well', () => {
  test.for([
    ['overloaded', 503, '7', 7],
    ['rate limited', 429, '30', 30],
    ['broken', 500, undefined, 10],
    ['of another key', 401, undefined, 10],
    ['redirecting', 307, undefined, 10],
  ] as const)('%s (%i) makes the engine unavailable', async ([, status, retryAfter, seconds]) => {
    const { ask, transcriber } = await engine({}, (_, response) => {
      if (retryAfter) response.setHeader('retry-after', retryAfter);
      if (status === 307) response.setHeader('location', 'http://127.0.0.1:9/');
      json(response, { error: { message: 'no' } }, status);
    });
    const error = await ask().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TranscriberUnavailable);
    expect(error).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: seconds });
    expect(transcriber.status()).toMatchObject({ state: 'failed' });
  });

  test.for(['<html>proxy</html>', '{"words":[]}', '', '{"text":5}'])(
    'answering %j is unavailable',
    async (body) => {
      const { ask } = await engine({}, (_, response) => response.end(body));
      await expect(ask()).rejects.toThrow(TranscriberUnavailable);
    },
  );

  test('slower than the deadline is unavailable', async () => {
    const { ask } = await engine({ deadlineMs: () => 50 }, () => {});
    await expect(ask()).rejects.toThrow(TranscriberUnavailable);
  });

  test('hanging up in the middle is unavailable', async () => {
    const { ask } = await engine({}, (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"text":');
      response.destroy();
    });
    await expect(ask()).rejects.toThrow(TranscriberUnavailable);
  });

  test('not there at all is unavailable, and each fault is told with host and cause', async () => {
    const told: string[] = [];
    const transcriber = createHttpTranscriber({
      url: 'http://127.0.0.1:9',
      onFault: (reason) => told.push(reason),
    });
    for (const _ of [1, 2])
      await expect(
        transcribeRecording(transcriber, { recording: oneChunk(pcm), userId: 'ada' }),
      ).rejects.toThrow(TranscriberUnavailable);
    expect(told).toEqual([1, 2].map(() => expect.stringMatching(/^127\.0\.0\.1:9: fetch failed: .+/)));
  });

  test('busy for as long as its answers take', async () => {
    let seconds = 0;
    const onWorked = (more: number) => {
      seconds += more;
    };
    const { ask } = await engine({ onWorked }, (_, response) => json(response, { text: 'hi' }));
    await ask();
    expect(seconds).toBeGreaterThan(0);
  });

  test('ready again once it answers again', async () => {
    let isBroken = true;
    const { ask, transcriber } = await engine({}, (_, response) =>
      json(response, { text: 'hi' }, isBroken ? 500 : 200),
    );
    await expect(ask()).rejects.toThrow(TranscriberUnavailable);
    isBroken = false;
    await ask();
    expect(transcriber.status()).toMatchObject({ state: 'ready', problem: null });
  });
});

test('an abort reaches the server: it sees the connection close', async () => {
  const gone = new AbortController();
  const closed = Promise.withResolvers<void>();
  const { ask } = await engine({}, (_, response) => {
    response.on('close', closed.resolve);
    gone.abort(new Error('client left'));
  });
  await expect(ask({ signal: gone.signal })).rejects.toThrow('client left');
  await closed.promise;
});

test('what somebody waits for goes before recordings', async () => {
  const held: ServerResponse[] = [];
  const { transcriber, ask, received } = await engine({}, (_, response) => void held.push(response));
  const hear = (prompt: string, isBackground: boolean) =>
    transcriber.transcribeChunk({
      chunk: { start: 0, pcm, voice: { frames: new Uint8Array(), frameSeconds: 0.03 } },
      userId: 'ada',
      prompt,
      isBackground,
    });
  const order = () => received.map(({ form }) => form.get('prompt'));
  const asked = ask({ prompt: 'Asked' });
  await expect.poll(() => held.length).toBe(1);
  const answers = [asked, hear('Recorded', true), hear('Spoken', false)];
  await expect.poll(() => held.length).toBe(2);
  expect(order()).toEqual(['Asked', 'Spoken']);
  for (const response of held) json(response, { text: 'hi' });
  await expect.poll(() => held.length).toBe(3);
  expect(order().at(-1)).toBe('Recorded');
  for (const response of held.slice(2)) json(response, { text: 'hi' });
  await Promise.all(answers);
});

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function engine(
  options: Partial<HttpTranscriberOptions>,
  answer: (form: FormData, response: ServerResponse) => void,
) {
  const received: { headers: Record<string, unknown>; form: FormData }[] = [];
  const server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece);
    const form = await new Response(Buffer.concat(body), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    received.push({ headers: request.headers, form });
    answer(form, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const transcriber = createHttpTranscriber({ url: `http://127.0.0.1:${port}`, ...options });
  const ask = (request: object = {}) =>
    transcribeRecording(transcriber, { recording: oneChunk(pcm), userId: 'ada', ...request });
  return { transcriber, ask, received };
}
