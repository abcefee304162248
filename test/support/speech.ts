import { setTimeout as sleep } from 'node:timers/promises';
import {
  BadAudio,
  NotAudio,
  TranscriberUnavailable,
  UnsupportedLanguage,
} from '../../src/domain/speech-errors.ts';
import type { Segment } from '../../src/domain/transcript.ts';
import type { AudioDecoder } from '../../src/engines/ports/audio.ts';
import type { AssembleRequest, ChunkRequest, Transcriber } from '../../src/engines/ports/transcriber.ts';

/** A recording that the decoder below reads: so long, so many words in it. Padding makes the file as large as wanted. */
export const recording = ({ ms = 1_000, words = 2, bytes = 0 } = {}) =>
  Buffer.from(`audio ${ms} ${words} `.padEnd(bytes, '.'));

/** One that says "live" is of a kind that can be heard while it grows. */
const containerOf = (head: Uint8Array) => (Buffer.from(head).includes('live') ? 'webm' : 'wav');

/** Of a recording that is heard chunk by chunk. */
const chunkMs = 20_000;
/** Of a recording that is sent to POST /transcribe. */
const sentenceSeconds = 10;

/**
 * Decoder and engine whose answers a test knows beforehand, for the rules around them: the recording says how long it
 * is and how many words it holds, and the work ends when the test says so.
 */
export function createFakeSpeech() {
  const seen: (ChunkRequest & Pick<AssembleRequest, 'speakers'>)[] = [];
  const heard: { userId: string; start: number }[] = [];
  const counted: (number | undefined)[] = [];
  let held: { promise: Promise<void>; resolve(): void } | undefined;
  let failure: Error | undefined;
  let sentences: string[] | undefined;
  const waiting = new Set<() => void>();

  const decoder: AudioDecoder = {
    async open(file, { signal } = {}) {
      signal?.throwIfAborted();
      const [, ms, words] = read(file);
      const voice = { frames: new Uint8Array(), frameSeconds: 0.03 };
      return {
        durationMs: ms,
        async *chunks() {
          for (let at = 0; at < (sentences?.length ?? 1); at++)
            yield { start: at * sentenceSeconds, pcm: new Float32Array(words), voice };
        },
      };
    },
    identify: async (file) => {
      const head = await file.read(0, Math.min(file.size, 60));
      if (!/^audio /.test(Buffer.from(head).toString())) return null;
      const container = containerOf(head);
      return { container, isStreamable: container === 'webm' };
    },
    async stream(file, { skip = 0, maxSeconds = Number.POSITIVE_INFINITY, onPartial, signal } = {}) {
      signal?.throwIfAborted();
      const { size } = (await file.grown?.(0)) ?? file;
      const [, ms, words] = read(await file.read(0, Math.min(size, 60)));
      if (ms > maxSeconds * 1000) throw new BadAudio('The recording is too long.');
      const voice = { frames: new Uint8Array(), frameSeconds: 0.03 };
      const chunks = Math.max(1, Math.ceil(ms / chunkMs));
      return {
        expectedMs: ms,
        durationMs: () => ms,
        peaks: () => Uint8Array.of(255, 128, 0),
        async *chunks() {
          for (let at = skip; at < chunks; at++) {
            signal?.throwIfAborted();
            yield { start: (at * chunkMs) / 1000, pcm: new Float32Array(words), voice };
          }
          const complete = file.grown?.(Number.POSITIVE_INFINITY);
          for (let isOver = complete === undefined, more = 1; !isOver; more++) {
            const spoken = { ...voice, frames: new Uint8Array(more).fill(1) };
            onPartial?.({ start: chunks * 20, pcm: new Float32Array(1), voice: spoken });
            isOver = (await Promise.race([complete?.then(() => true), sleep(10, false)])) === true;
          }
        },
      };
    },
    async close() {},
  };

  /** The engine was asked; the work goes on when the test says so. */
  async function asked(signal: AbortSignal | undefined): Promise<void> {
    for (const tell of waiting) tell();
    if (held) await Promise.race([held.promise, aborted(signal)]);
    signal?.throwIfAborted();
    if (failure) throw failure;
  }

  const transcriber: Transcriber = {
    async transcribeChunk(request) {
      const { chunk, userId, signal, isBackground } = request;
      const { start, pcm } = chunk;
      // Recordings say whether they can wait; POST /transcribe does not, and its chunks are sentences.
      const isRecording = isBackground !== undefined;
      if (isRecording) heard.push({ userId, start });
      else if (start === 0) seen.push(request);
      await asked(signal);
      const words = Array.from(pcm, (_, at) => `word${at + 1}`).join(' ');
      const text = isRecording ? sentences?.join(' ') : sentences?.[start / sentenceSeconds];
      const detail = { start, text: text ?? words };
      return {
        text: detail.text,
        words: [{ text: detail.text, start, end: start + pcm.length / 16_000 }],
        language: 'en',
        detail: JSON.stringify(detail),
      };
    },
    async assemble(details, { speakers }) {
      counted.push(speakers);
      const said: { start: number; text: string }[] = details.map((detail) => JSON.parse(detail));
      const segments = said
        .filter(({ text }) => text !== '')
        .map(({ start, text }) => toSegment(text, start));
      return {
        text: segments.map(({ text }) => text).join(' '),
        language: 'en',
        segments,
        provider: 'fake',
        model: 'fake',
      };
    },
    checkLanguage(language) {
      if (language !== undefined && !/^en\b/i.test(language)) throw new UnsupportedLanguage(language, ['en']);
    },
    status: () => ({
      state: 'ready',
      model: 'fake',
      languages: ['en'],
      workers: { wanted: 1, ready: 1, busy: 0 },
      problem: null,
    }),
    async close() {},
  };

  return {
    decoder,
    transcriber,
    /** What the engine was asked, in order. */
    seen,
    /** The chunks of recordings that it was asked to hear. */
    heard,
    /** How many people it was told speak in each recording. */
    counted,
    /** From now on the work waits; the returned function lets it go on. */
    hold(): () => void {
      const gate = Promise.withResolvers<void>();
      held = gate;
      return () => {
        held = undefined;
        gate.resolve();
      };
    },
    /** Resolves when the engine has been asked so many times in all. */
    async reached(count: number): Promise<void> {
      while (seen.length + heard.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
    },
    /** From now on every recording says this; without sentences, again as many words as it holds. */
    say(...said: string[]): void {
      sentences = said.length === 0 ? undefined : said;
    },
    breakDown(retryAfterSeconds: number): void {
      failure = new TranscriberUnavailable('The engine stopped; try again.', { retryAfterSeconds });
    },
    mend(): void {
      failure = undefined;
    },
  };
}

/** Two words a second. */
function toSegment(text: string, start: number): Segment {
  const words = text.split(' ').map((word, at) => ({
    word,
    start: start + at / 2,
    end: start + at / 2 + 0.4,
    score: null,
  }));
  return { start, end: words.at(-1)?.end ?? start, text, speaker: 'Speaker 1', words };
}

function read(file: Uint8Array): [string, number, number] {
  const [, ms, words] = /^audio (\d+) (\d+) /.exec(Buffer.from(file.subarray(0, 60)).toString()) ?? [];
  if (ms === undefined || words === undefined) throw new NotAudio();
  return ['audio', Number(ms), Number(words)];
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}
