import { pcmRate } from '../domain/audio.ts';
import type { Chunk } from '../ports/audio.ts';
import type { HeardChunk, HeardWord } from '../ports/transcriber.ts';
import type { SpokenTail } from './news.ts';

/** A pass over 4 s takes half a second on two cores, and one over 11 s takes 1.3 s. So of more only the end is heard again. */
const heardAgainSeconds = 4;
/** The last word may be cut off, and the one before it heard wrong because of that. */
const unsureSeconds = 1.5;
/** Then it is probably all that is said, and its final words are heard before that is certain. */
const likelyPauseSeconds = 0.8;
/** How much of the pause belongs to a chunk (plan-cuts.ts). If it were another, the chunk would be heard anew. */
const paddingSeconds = 0.3;

interface Dependencies {
  /** Whether somebody looks: it costs as much as the final words. */
  isWanted(): boolean;
  hear(chunk: Chunk, isProvisional: boolean): Promise<HeardChunk>;
  tell(tail: SpokenTail): void;
  /** By which the next chunk is heard. */
  language(): string | undefined;
}

interface Offered {
  chunk: Chunk;
  isFinal: () => boolean;
}

interface Whole {
  chunk: Chunk;
  language: string | undefined;
  heard: Promise<HeardChunk>;
  isBusy: boolean;
}

/** Hears what is spoken right now, one pass after another, until it is final. */
export function createTailHearing({ isWanted, hear, tell, language }: Dependencies) {
  let latest: Offered | undefined;
  let isBusy = false;
  /** What was heard of the chunk that begins at `start`, and is not heard again: up to `end`. */
  let settled = { start: -1, end: 0, text: '' };
  let voicedUntil = 0;
  let whole: Whole | undefined;

  const show = ({ chunk, isFinal }: Offered, text: string) => {
    if (!isFinal()) tell({ start_ms: Math.round(chunk.start * 1000), text: text.trim() });
  };

  async function hearRest(offered: Offered): Promise<void> {
    const { chunk } = offered;
    if (settled.start !== chunk.start) settled = { start: chunk.start, end: chunk.start, text: '' };
    const before = settled;
    const rest = cut(chunk, before.end - chunk.start);
    const { words } = await hear(rest, true);
    show(offered, before.text + textOf(words));
    const end = rest.start + secondsOf(rest);
    const last = settled === before && end - rest.start > heardAgainSeconds ? lastSure(words, end) : -1;
    const [sure, next] = [words[last], words[last + 1]];
    if (sure)
      settled = {
        start: chunk.start,
        end: Math.min(end, next ? (sure.end + next.start) / 2 : sure.end),
        text: before.text + textOf(words.slice(0, last + 1)),
      };
  }

  async function run(): Promise<void> {
    isBusy = true;
    while (latest) {
      const offered = latest;
      latest = undefined;
      const until = offered.chunk.start + voicedSeconds(offered.chunk);
      // In a pause there is nothing new, and what is heard whole already is told soon.
      if (offered.isFinal() || until === voicedUntil || isHeardWhole(until)) continue;
      voicedUntil = until;
      await hearRest(offered).catch(() => {});
    }
    isBusy = false;
  }

  const isHeardWhole = (until: number) =>
    whole?.isBusy === true && until <= whole.chunk.start + secondsOf(whole.chunk);

  /** If nothing more is said, these are the final words. */
  async function hearWhole(offered: Offered): Promise<void> {
    const chunk = cut(offered.chunk, 0, voicedSeconds(offered.chunk) + paddingSeconds);
    if (whole?.isBusy || (whole && isSame(whole.chunk, chunk))) return;
    const hearing = { chunk, language: language(), heard: hear(chunk, false), isBusy: true };
    whole = hearing;
    try {
      const { words } = await hearing.heard;
      show(offered, textOf(words));
      // More than what passes over parts of it have heard.
      if (!offered.isFinal())
        settled = { start: chunk.start, end: chunk.start + secondsOf(chunk), text: textOf(words) };
    } catch {
      // Heard anew when it is final.
    } finally {
      hearing.isBusy = false;
    }
  }

  return {
    /** The last one that came waits until the one before it is heard. */
    offer(chunk: Chunk, isFinal: () => boolean): void {
      if (!isWanted()) return;
      latest = { chunk, isFinal };
      if (secondsOf(chunk) - voicedSeconds(chunk) >= likelyPauseSeconds) void hearWhole(latest);
      if (!isBusy) void run();
    },
    /** What was heard of exactly this chunk already. */
    heardOf: (chunk: Chunk): Promise<HeardChunk> | undefined =>
      whole && isSame(whole.chunk, chunk) && whole.language === language() ? whole.heard : undefined,
  };
}

/** The last word before the longest pause among those of which the engine is sure; −1 if there is none. */
function lastSure(words: readonly HeardWord[], end: number): number {
  let best = { at: -1, pause: Number.NEGATIVE_INFINITY };
  for (const [at, word] of words.entries()) {
    if (word.end > end - unsureSeconds) break;
    const pause = (words[at + 1]?.start ?? end) - word.end;
    // Of two equal pauses the later one: then less is left.
    if (pause >= best.pause) best = { at, pause };
  }
  return best.at;
}

/** A part of a chunk, as a chunk. */
function cut({ start, pcm, voice }: Chunk, from: number, to = pcm.length / pcmRate): Chunk {
  const frameOf = (seconds: number) => Math.round(seconds / voice.frameSeconds);
  const sampleOf = (seconds: number) => Math.round(seconds * pcmRate);
  return {
    start: start + from,
    pcm: pcm.subarray(sampleOf(from), sampleOf(to)),
    voice: { ...voice, frames: voice.frames.subarray(frameOf(from), frameOf(to)) },
  };
}

/** The samples of one recording are the same at the same place. */
const isSame = (a: Chunk, b: Chunk) =>
  a.start === b.start &&
  a.pcm.length === b.pcm.length &&
  Buffer.compare(a.voice.frames, b.voice.frames) === 0;

const secondsOf = ({ pcm }: Chunk) => pcm.length / pcmRate;

/** Up to the last voice in it. */
const voicedSeconds = ({ voice }: Chunk) => (voice.frames.lastIndexOf(1) + 1) * voice.frameSeconds;

const textOf = (words: readonly HeardWord[]) => words.map(({ text }) => text).join('');
