import { pcmRate } from '../../domain/audio.ts';
import type { PartialTranscript } from '../../domain/recording.ts';
import type { Chunk } from '../../engines/ports/audio.ts';
import type { ChunkResult, ChunkWord } from '../../engines/ports/transcriber.ts';

/** A pass over 4 s takes half a second on two cores, and one over 11 s takes 1.3 s. So of a longer chunk only the end is transcribed again. */
const redoneSeconds = 4;
/** The last word may be cut off, which can also spoil the word before it. */
const unsureSeconds = 1.5;
/** After such a pause the chunk has probably ended, so it is transcribed for good before that is certain. */
const likelyPauseSeconds = 0.8;
/** How much of the pause belongs to a chunk, as in audio/chunks.ts. With another value the chunk is transcribed again. */
const paddingSeconds = 0.3;

interface Dependencies {
  /** Whether a client follows the recording: partials cost as much as the final words. */
  isWanted(): boolean;
  transcribe(chunk: Chunk, isPartial: boolean): Promise<ChunkResult>;
  tell(partial: PartialTranscript): void;
  /** The language for the next chunk. */
  language(): string | undefined;
}

interface Offered {
  chunk: Chunk;
  isFinal: () => boolean;
}

interface Whole {
  chunk: Chunk;
  language: string | undefined;
  result: Promise<ChunkResult>;
  isBusy: boolean;
}

/** Partial transcripts of what is being said, one pass after another, until the chunk is final. */
export function createPartials({ isWanted, transcribe, tell, language }: Dependencies) {
  let latest: Offered | undefined;
  let isBusy = false;
  /** Of the chunk that begins at `start`: the text up to `end`, which is not transcribed again. */
  let settled = { start: -1, end: 0, text: '' };
  let voicedUntil = 0;
  let whole: Whole | undefined;

  const show = ({ chunk, isFinal }: Offered, text: string) => {
    if (!isFinal()) tell({ start_ms: Math.round(chunk.start * 1000), text: text.trim() });
  };

  async function transcribeRest(offered: Offered): Promise<void> {
    const { chunk } = offered;
    if (settled.start !== chunk.start) settled = { start: chunk.start, end: chunk.start, text: '' };
    const before = settled;
    const rest = cut(chunk, before.end - chunk.start);
    const { words } = await transcribe(rest, true);
    show(offered, before.text + textOf(words));
    const end = rest.start + secondsOf(rest);
    const last = settled === before && end - rest.start > redoneSeconds ? lastSure(words, end) : -1;
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
      // In a pause there is nothing new, and a pass over the whole chunk tells its words soon.
      if (offered.isFinal() || until === voicedUntil || isWholeUnderWay(until)) continue;
      voicedUntil = until;
      // Silent: the next pass, or the final one, transcribes it again.
      await transcribeRest(offered).catch(() => {});
    }
    isBusy = false;
  }

  const isWholeUnderWay = (until: number) =>
    whole?.isBusy === true && until <= whole.chunk.start + secondsOf(whole.chunk);

  /** If nothing more is said, these are the final words. */
  async function transcribeWhole(offered: Offered): Promise<void> {
    const chunk = cut(offered.chunk, 0, voicedSeconds(offered.chunk) + paddingSeconds);
    if (whole?.isBusy || (whole && isSame(whole.chunk, chunk))) return;
    const pass = { chunk, language: language(), result: transcribe(chunk, false), isBusy: true };
    whole = pass;
    try {
      const { words } = await pass.result;
      show(offered, textOf(words));
      // Better than the passes over parts of it.
      if (!offered.isFinal())
        settled = { start: chunk.start, end: chunk.start + secondsOf(chunk), text: textOf(words) };
    } catch {
      // Silent: the chunk is transcribed again when it is final.
    } finally {
      pass.isBusy = false;
    }
  }

  return {
    /** The newest chunk waits for the pass under way; older ones are dropped. */
    offer(chunk: Chunk, isFinal: () => boolean): void {
      if (!isWanted()) return;
      latest = { chunk, isFinal };
      if (secondsOf(chunk) - voicedSeconds(chunk) >= likelyPauseSeconds) void transcribeWhole(latest);
      if (!isBusy) void run();
    },
    /** The transcript of exactly this chunk, if a pass has begun. */
    transcribedOf: (chunk: Chunk): Promise<ChunkResult> | undefined =>
      whole && isSame(whole.chunk, chunk) && whole.language === language() ? whole.result : undefined,
  };
}

/** The last word before the longest pause among the words of which the engine is sure; −1 if there is none. */
function lastSure(words: readonly ChunkWord[], end: number): number {
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

/** Up to the last frame with speech. */
const voicedSeconds = ({ voice }: Chunk) => (voice.frames.lastIndexOf(1) + 1) * voice.frameSeconds;

const textOf = (words: readonly ChunkWord[]) => words.map(({ text }) => text).join('');
