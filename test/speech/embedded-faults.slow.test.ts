import { describe, expect, onTestFinished, test } from 'vitest';
import { TranscriberUnavailable } from '../../src/domain/speech-errors.ts';
import { unpackChunk } from '../../src/engines/speech/pool/assemble.ts';
import {
  createEmbeddedTranscriber,
  defaultWorkers,
  type EmbeddedOptions,
} from '../../src/engines/speech/pool/embedded.ts';
import { transcribeRecording } from '../../src/features/transcribe/transcribe-recording.ts';
import { joinSamples, recordingOf, samplesOf, silence } from '../support/sound.ts';

const pcm = samplesOf('sb_spk1_snt6.wav');

function odd(options: EmbeddedOptions = {}, maxRequests?: number) {
  const transcriber = createEmbeddedTranscriber({
    workers: 1,
    threads: 2,
    workerScript: new URL('../support/odd-worker.ts', import.meta.url),
    fallbackModel: null,
    ...options,
  });
  onTestFinished(() => transcriber.close());
  const ask = (prompt = '', signal?: AbortSignal, userId = 'ada') =>
    transcribeRecording(transcriber, { recording: recordingOf(pcm), userId, prompt, signal }, maxRequests);
  return { transcriber, ask };
}

const workerOf = ({ text }: { text: string }) => text;

test('POST /transcribe goes before the chunks of recordings that wait', async () => {
  const { transcriber, ask } = odd();
  await ask();
  const { value: chunk } = await recordingOf(pcm).chunks()[Symbol.asyncIterator]().next();
  const order: string[] = [];
  const slow = { chunk, userId: 'ada', prompt: 'slow', isBackground: true };
  const recordings = ['first', 'second', 'third'].map((name) =>
    transcriber.transcribeChunk(slow).then(() => order.push(name)),
  );
  const recording = { durationMs: 1_000, chunks: () => inOrder([chunk]) };
  const asked = transcribeRecording(transcriber, { recording, userId: 'eve' }).then(() =>
    order.push('transcribe'),
  );
  await Promise.all([...recordings, asked]);
  expect(order).toEqual(['first', 'transcribe', 'second', 'third']);
});

test.for([
  [2, 'by another worker, while the words are chosen'],
  [1, 'by the same worker afterwards, if there is no other'],
] as const)('with %i workers voices are described %s', async ([workers]) => {
  const { transcriber } = odd({ workers });
  await expect.poll(() => transcriber.status().workers.ready, { timeout: 60_000 }).toBe(workers);
  const { value: chunk } = await recordingOf(pcm).chunks()[Symbol.asyncIterator]().next();
  const { text, detail } = await transcriber.transcribeChunk({
    chunk,
    userId: 'ada',
    prompt: 'encoded slow',
  });
  const [describer] = unpackChunk(detail).embeddings?.times ?? [];
  expect(describer).toBeGreaterThan(0);
  expect(describer === Number(text)).toBe(workers === 1);
});

async function* inOrder<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

describe('a worker that fails', () => {
  test.for(['crash', 'refuse'])(
    '(%s) costs its own request only: the next is served by a new one',
    async (how) => {
      const told: string[] = [];
      let seconds = 0;
      const { ask } = odd({
        onFault: (reason) => told.push(reason),
        onWorked: (more) => {
          seconds += more;
        },
      });
      const before = workerOf(await ask());
      expect(seconds).toBeGreaterThan(0);
      const error = await ask(how).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(TranscriberUnavailable);
      expect(error).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: expect.any(Number) });
      expect(workerOf(await ask())).not.toBe(before);
      expect(told).toEqual([expect.stringMatching(/^worker crashed: .+/)]);
    },
  );

  test('by hanging past its deadline is replaced', async () => {
    let limit = 60_000;
    const { ask } = odd({ deadlineMs: () => limit });
    const before = workerOf(await ask());
    limit = 500;
    await expect(ask('hang')).rejects.toThrow(TranscriberUnavailable);
    limit = 60_000;
    expect(workerOf(await ask())).not.toBe(before);
  });

  test.runIf(process.platform === 'linux')('by growing past its cap is replaced', async () => {
    const { ask } = odd({ memoryCapBytes: 400_000_000 });
    await expect(ask('bloat')).rejects.toThrow(TranscriberUnavailable);
    await expect(ask()).resolves.toMatchObject({ language: 'en' });
  });

  test('while idle is replaced before anybody asks', async () => {
    const { ask } = odd();
    const before = Number(workerOf(await ask()));
    process.kill(before, 'SIGKILL');
    const after = await ask().catch(() => ask());
    expect(Number(workerOf(after))).not.toBe(before);
  });
});

describe('an abort', () => {
  test('of a running request rejects with the reason and frees the worker', async () => {
    const { ask, transcriber } = odd();
    await ask();
    const gone = new AbortController();
    const hanging = ask('hang', gone.signal);
    await expect.poll(() => transcriber.status().workers.busy).toBe(1);
    gone.abort(new Error('client left'));
    await expect(hanging).rejects.toThrow('client left');
    await expect(ask()).resolves.toMatchObject({ language: 'en' });
  });

  test('of a waiting request leaves the running one alone', async () => {
    const { ask, transcriber } = odd();
    await ask();
    const [first, second] = [new AbortController(), new AbortController()];
    const running = ask('hang', first.signal);
    await expect.poll(() => transcriber.status().workers.busy).toBe(1);
    const waiting = ask('', second.signal);
    second.abort(new Error('second left'));
    await expect(waiting).rejects.toThrow('second left');
    expect(transcriber.status()).toMatchObject({ workers: { busy: 1 } });
    first.abort(new Error('first left'));
    await expect(running).rejects.toThrow('first left');
  });
});

describe('the queue', () => {
  test('has a bound, beyond which a request is refused at once', async () => {
    const { ask, transcriber } = odd({}, 2);
    await ask();
    const gone = new AbortController();
    const held = [ask('hang', gone.signal), ask('hang', gone.signal)];
    await expect.poll(() => transcriber.status().workers.busy).toBe(1);
    await expect(ask()).rejects.toThrow(/Too many/);
    gone.abort(new Error('over'));
    await Promise.allSettled(held);
    await expect(ask()).resolves.toBeDefined();
  });

  test('lets users take turns: one with many recordings does not hold up another', async () => {
    const { ask } = odd();
    await ask();
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    await Promise.all([
      ...Array.from({ length: 5 }, () => ask('', undefined, 'ada').then(note('ada'))),
      ask('', undefined, 'bob').then(note('bob')),
    ]);
    expect(order.indexOf('bob')).toBeLessThanOrEqual(2);
  });

  test('ends with an error for everybody when the server stops', async () => {
    const { ask, transcriber } = odd();
    await ask();
    const pending = [ask('hang'), ask('hang')].map((request) => request.catch((error: unknown) => error));
    await expect.poll(() => transcriber.status().workers.busy).toBe(1);
    await transcriber.close();
    for (const error of await Promise.all(pending)) expect(error).toBeInstanceOf(TranscriberUnavailable);
  });
});

describe('starting', () => {
  test('does not wait for the model, and says so', () => {
    const { transcriber } = odd();
    expect(transcriber.status()).toMatchObject({ state: 'starting', workers: { wanted: 1, ready: 0 } });
  });

  test('with a missing model is told as a failure with its reason', async () => {
    const { transcriber } = odd({ model: '/nowhere/ggml-large.bin' });
    await expect.poll(() => transcriber.status().state).toBe('failed');
    expect(transcriber.status().problem).toContain('/nowhere/ggml-large.bin');
  });

  test('with a file that is no model is told as a failure', async () => {
    const { transcriber } = odd({ model: new URL(import.meta.url).pathname });
    await expect.poll(() => transcriber.status().problem).toContain('is not a GGML or GGUF model');
  });
});

test('the first chunk tells the language of all, however many workers listen at once', async () => {
  const { transcriber } = odd({ workers: 3 });
  const long = joinSamples(...Array.from({ length: 20 }, () => [pcm, silence(1)]).flat());
  const { text } = await transcribeRecording(transcriber, {
    recording: recordingOf(long),
    userId: 'ada',
    prompt: 'language',
  });
  expect(text.split(' ').length).toBeGreaterThan(2);
  expect(text).toMatch(/^unknown( en)+$/);
});

test.for([
  [2, 24e9, 340e6, 2],
  [2, 2e9, 340e6, 1],
  [1, 24e9, 340e6, 1],
  [32, 64e9, 340e6, 4],
  [8, 4e9, 340e6, 3],
  [8, 8e9, 1.3e9, 1],
  [8, 16e9, 1.3e9, 3],
] as const)(
  '%i cores and %d bytes bear, with %d a worker, %i workers',
  ([cores, memoryBytes, workerBytes, workers]) => {
    expect(defaultWorkers({ cores, memoryBytes, workerBytes })).toBe(workers);
  },
);
