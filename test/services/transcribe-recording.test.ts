import { expect, test } from 'vitest';
import type { Chunk } from '../../src/engines/ports/audio.ts';
import type { ChunkRequest, Transcriber } from '../../src/engines/ports/transcriber.ts';
import { transcribeRecording } from '../../src/features/transcribe/transcribe-recording.ts';

const second = 16_000;
const soon = () => new Promise((resolve) => setImmediate(resolve));

/** A recording of chunks of one second each, which knows whether its decoder was let go. */
function recordingOf(chunks: number, durationMs = chunks * 1_000) {
  const state = { isOver: false };
  const voice = { frames: new Uint8Array(), frameSeconds: 0.03 };
  async function* decoded(): AsyncGenerator<Chunk> {
    try {
      for (let start = 0; start < chunks; start += 1) yield { start, pcm: new Float32Array(second), voice };
    } finally {
      state.isOver = true;
    }
  }
  return { state, recording: { durationMs, chunks: decoded } };
}

/** An engine that answers each chunk when the test says so. */
function engineOf({
  workers = 3,
  hasEars = true,
  assembled = (details: readonly string[]) => details.join(' '),
} = {}) {
  const asked: ChunkRequest[] = [];
  const answers: PromiseWithResolvers<string>[] = [];
  const assembling: (boolean | undefined)[] = [];
  const at = (start: number) => (answers[start] ??= Promise.withResolvers<string>());
  const engine: Transcriber = {
    async transcribeChunk(request) {
      asked.push(request);
      const { promise, reject } = at(request.chunk.start);
      if (hasEars) request.signal?.addEventListener('abort', () => reject(request.signal?.reason));
      const detail = await promise;
      return { text: detail, words: [], language: 'de', detail };
    },
    async assemble(details, { isPartial }) {
      assembling.push(isPartial);
      const text = assembled(details);
      return { text, language: 'de', segments: [], provider: 'test', model: 'test' };
    },
    checkLanguage() {},
    status: () => ({
      state: 'ready',
      model: 'test',
      languages: [],
      workers: { wanted: workers, ready: workers, busy: 0 },
      problem: null,
    }),
    async close() {},
  };
  return {
    engine,
    asked,
    assembling,
    starts: () => asked.map(({ chunk }) => chunk.start),
    say: (start: number, text: string) => at(start).resolve(text),
    fail: (start: number, cause: Error) => at(start).reject(cause),
  };
}

test('the first chunk tells the language of the others, which each worker has one of', async () => {
  const { engine, asked, starts, say } = engineOf({ workers: 2 });
  const result = transcribeRecording(engine, { recording: recordingOf(4).recording, userId: 'ada' });
  await soon();
  expect(starts()).toEqual([0]);
  say(0, 'a');
  await soon();
  expect(starts()).toEqual([0, 1, 2]);
  for (const [start, text] of ['a', 'b', 'c', 'd'].entries()) say(start, text);
  expect((await result).text).toBe('a b c d');
  expect(asked.map(({ detectedLanguage }) => detectedLanguage)).toEqual([undefined, 'de', 'de', 'de']);
});

test('with a language every worker begins at once, and an engine elsewhere has two chunks', async () => {
  for (const [workers, begun] of [
    [3, [0, 1, 2]],
    [0, [0, 1]],
  ] as const) {
    const { engine, starts, say } = engineOf({ workers });
    const { recording } = recordingOf(4);
    const result = transcribeRecording(engine, { recording, userId: 'ada', language: 'en' });
    await soon();
    expect(starts()).toEqual(begun);
    for (let start = 0; start < 4; start += 1) say(start, `${start}`);
    expect((await result).text).toBe('0 1 2 3');
  }
});

test('text is told in order, part by part, whichever chunk is ready first', async () => {
  const { engine, assembling, say } = engineOf();
  const told: string[] = [];
  const { recording } = recordingOf(3);
  const onText = (more: string) => told.push(more);
  const result = transcribeRecording(engine, { recording, userId: 'ada', language: 'en', onText });
  say(2, 'three');
  await soon();
  expect(told).toEqual([]);
  say(0, 'one');
  await soon();
  expect(told).toEqual(['one']);
  say(1, 'two');
  await result;
  expect(told).toEqual(['one', ' two', ' three']);
  // The last one is the whole.
  expect(assembling).toEqual([true, true, true, undefined]);
});

test('words that later ones changed are told from the word where they differ, and nothing is told twice', async () => {
  const texts = ['we met at noon', 'we met at nine o clock', 'we met at nine', 'we met at nine'];
  const { engine, say } = engineOf({ assembled: (details) => texts[details.length - 1] ?? '' });
  const told: string[] = [];
  const onText = (more: string) => told.push(more);
  const { recording } = recordingOf(4);
  const result = transcribeRecording(engine, { recording, userId: 'ada', language: 'en', onText });
  for (let start = 0; start < 4; start += 1) say(start, 'x');
  await result;
  expect(told).toEqual(['we met at noon', ' nine o clock']);
});

test('a text that differs from its first letter is told whole', async () => {
  const texts = ['yes', 'no'];
  const { engine, say } = engineOf({ assembled: (details) => texts[details.length - 1] ?? '' });
  const told: string[] = [];
  const onText = (more: string) => told.push(more);
  const { recording } = recordingOf(2);
  const result = transcribeRecording(engine, { recording, userId: 'ada', language: 'en', onText });
  for (let start = 0; start < 2; start += 1) say(start, 'x');
  await result;
  expect(told).toEqual(['yes', 'no']);
});

test('progress never goes back, and only the end is all of it', async () => {
  const { engine, say } = engineOf();
  const done: number[] = [];
  const onProgress = (share: number) => done.push(share);
  const { recording } = recordingOf(4);
  const result = transcribeRecording(engine, { recording, userId: 'ada', language: 'en', onProgress });
  say(1, 'b');
  await soon();
  say(0, 'a');
  await soon();
  say(2, 'c');
  await soon();
  say(3, 'd');
  await result;
  expect(done).toEqual([0.5, 0.5, 0.75, 0.99, 1]);
});

test('a chunk that fails ends the others and lets the decoder go', async () => {
  const { engine, asked, starts, fail } = engineOf();
  const { recording, state } = recordingOf(9);
  const result = transcribeRecording(engine, { recording, userId: 'ada', language: 'en' });
  result.catch(() => {});
  await soon();
  fail(1, new Error('crashed'));
  await expect(result).rejects.toThrow('crashed');
  expect(state.isOver).toBe(true);
  expect(starts()).toEqual([0, 1, 2]);
  // `fetch` would fail once more for the one that failed.
  expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true, false, true]);
});

test('it is over when the last chunk is: until then its decoder and its minutes are in use', async () => {
  const { engine, say, fail } = engineOf({ workers: 2, hasEars: false });
  const { recording, state } = recordingOf(9);
  const result = transcribeRecording(engine, { recording, userId: 'ada', language: 'en' });
  result.catch(() => {});
  await soon();
  fail(0, new Error('crashed'));
  await soon();
  expect(state.isOver).toBe(false);
  for (let start = 1; start < 9; start += 1) say(start, 'x');
  await expect(result).rejects.toThrow('crashed');
  expect(state.isOver).toBe(true);
});

test('a caller who leaves gets their own reason, before and during the work', async () => {
  const { engine, asked } = engineOf();
  const client = new AbortController();
  const { recording, state } = recordingOf(3);
  const call = { recording, userId: 'ada', language: 'en', signal: client.signal };
  const result = transcribeRecording(engine, call);
  result.catch(() => {});
  await soon();
  client.abort(new Error('left'));
  await expect(result).rejects.toThrow('left');
  expect(state.isOver).toBe(true);
  const before = asked.length;
  await expect(transcribeRecording(engine, call)).rejects.toThrow('left');
  expect(asked).toHaveLength(before);
});

test('so many at once on one engine; the next one is refused, until one has ended or failed', async () => {
  const [first, other] = [engineOf(), engineOf()];
  const begin = ({ engine }: typeof first, chunks = 1) => {
    const result = transcribeRecording(
      engine,
      { recording: recordingOf(chunks).recording, userId: 'ada' },
      2,
    );
    result.catch(() => {});
    return result;
  };
  const running = [begin(first), begin(first)];
  await expect(Promise.race([begin(first), soon()])).rejects.toMatchObject({ code: 'service_unavailable' });
  const elsewhere = begin(other);
  other.say(0, 'other');
  expect((await elsewhere).text).toBe('other');
  first.fail(0, new Error('crashed'));
  await Promise.allSettled(running);
  // Silence has no chunk.
  expect((await begin(first, 0)).text).toBe('');
});
