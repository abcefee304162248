import { pcmRate } from '../../domain/audio.ts';
import type { Chunk } from '../ports/audio.ts';
import { bestPause, type Span, type VoiceActivity, voicedSeconds } from '../ports/vad.ts';
import { cleanSamples } from './samples.ts';
import { createVad, frameSamples } from './vad.ts';

const paddingSeconds = 0.3;
/** A silence this long is left out. */
const skippedPauseSeconds = 2;

/** The window of Whisper is 30 s; a chunk leaves it two of silence, by which it finds the end. */
const cutting = { longestSeconds: 28, wantedSeconds: 18 };
/** Less speech than this is a click or a cough. */
const leastVoicedSeconds = 0.18;
/** The VAD judges a frame by the half second before and after it, and by the run that it belongs to. */
const settlingSeconds = 1;

const toFrames = (seconds: number) => Math.round((seconds * pcmRate) / frameSamples);
/** With so much ahead, what follows cannot change where the first chunk ends. */
const windowFrames = toFrames(
  cutting.longestSeconds + skippedPauseSeconds + paddingSeconds + settlingSeconds,
);
/** Of a silent window: enough to come before the first word of the next. */
const keptFrames = toFrames(paddingSeconds + settlingSeconds);

/** Of a live recording: a pause this long ends a chunk, and is looked for this often. */
const livePauseSeconds = 1.5;
const liveStepFrames = toFrames(0.2);

/** Gives what is being said and is not final yet. */
export interface PartialSource {
  take?: () => Chunk | undefined;
}

/**
 * Finds the chunks with speech in samples that come piece by piece. It holds one window of them; the chunks are the
 * same whatever the pieces. `isLive` ends a chunk at every pause, so that its words come soon.
 */
export async function* toChunks(
  pieces: AsyncIterable<Float32Array>,
  { isLive = false, partial }: { isLive?: boolean; partial?: PartialSource } = {},
): AsyncGenerator<Chunk> {
  const window = new Float32Array(windowFrames * frameSamples);
  const vad = await createVad();
  let filled = 0;
  let judged = 0;
  let startFrame = 0;

  function cuts(): Span[] {
    const whole = filled - (filled % frameSamples);
    vad.push(window.subarray(judged, whole));
    judged = whole;
    return planCuts(vad.activity(), filled / pcmRate, cutting);
  }

  function drop(frames: number): void {
    const samples = Math.min(filled, frames * frameSamples);
    window.copyWithin(0, samples, filled);
    filled -= samples;
    judged = Math.max(0, judged - samples);
    startFrame += frames;
    vad.forget(frames);
  }

  function* chunkOf({ start, end }: Span): Generator<Chunk> {
    const voice = vad.activity();
    if (voicedSeconds(voice, start, end) < leastVoicedSeconds) return;
    const [from, to] = [toFrames(start), toFrames(end)];
    const lastSample = end * pcmRate >= filled - frameSamples ? filled : to * frameSamples;
    yield {
      start: ((startFrame + from) * frameSamples) / pcmRate,
      pcm: window.slice(from * frameSamples, lastSample),
      voice: { frames: voice.frames.slice(from, to), frameSeconds: voice.frameSeconds },
    };
  }

  /** The first chunk of a full window, if it begins with one. Makes room in any case. */
  function* first(): Generator<Chunk> {
    const [cut] = cuts();
    if (cut === undefined) drop(windowFrames - keptFrames);
    else if (toFrames(cut.start) > 0) drop(toFrames(cut.start));
    else {
      yield* chunkOf(cut);
      drop(toFrames(cut.end));
    }
  }

  /** All chunks so far, if the speaker has paused. */
  function* spoken(): Generator<Chunk> {
    const found = cuts();
    const last = found.at(-1);
    if (last === undefined || filled / pcmRate - last.end < livePauseSeconds - paddingSeconds) return;
    for (const cut of found) yield* chunkOf(cut);
    drop(toFrames(last.end));
  }

  /** How full the window gets before a chunk is looked for. It depends on the place in the recording alone. */
  function nextStop(): number {
    if (!isLive) return window.length;
    const frame = startFrame + Math.floor(filled / frameSamples);
    const step = (Math.floor(frame / liveStepFrames) + 1) * liveStepFrames;
    return Math.min(window.length, (step - startFrame) * frameSamples);
  }

  if (partial)
    partial.take = () => {
      const [begun] = cuts();
      return begun && [...chunkOf({ start: begun.start, end: filled / pcmRate })][0];
    };

  try {
    for await (const piece of pieces) {
      const clean = cleanSamples(piece);
      for (let at = 0; at < clean.length; ) {
        const stop = nextStop();
        const part = clean.subarray(at, at + stop - filled);
        window.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled === window.length) yield* first();
        else if (filled === stop) yield* spoken();
      }
    }
    for (const cut of cuts()) yield* chunkOf(cut);
  } finally {
    vad.free();
  }
}

interface CutOptions {
  /** The engine is given nothing longer: the window of Whisper is 30 s. */
  longestSeconds: number;
  /** From here on the next pause may end the cut; a shorter one gives the engine too little context. */
  wantedSeconds: number;
}

/**
 * Cuts at the longest pause between the wanted and the longest length, or at the longest length when there is none.
 * No cut overlaps another, and all speech is in one of them.
 */
export function planCuts(voice: VoiceActivity, totalSeconds: number, options: CutOptions): Span[] {
  const cuts: Span[] = [];
  for (const island of speechIslands(voice)) {
    let start = Math.max(cuts.at(-1)?.end ?? 0, island.start - paddingSeconds);
    const end = Math.min(totalSeconds, island.end + paddingSeconds);
    while (end - start > options.longestSeconds) {
      const at = bestPause(voice, start + options.wantedSeconds, start + options.longestSeconds);
      cuts.push({ start, end: at });
      start = at;
    }
    if (end > start) cuts.push({ start, end });
  }
  return mergeSmall(cuts, options);
}

function speechIslands({ frames, frameSeconds }: VoiceActivity): Span[] {
  const islands: Span[] = [];
  for (let i = 0; i < frames.length; i++) {
    if (frames[i] !== 1) continue;
    const start = i * frameSeconds;
    const last = islands.at(-1);
    if (last && start - last.end < skippedPauseSeconds) last.end = start + frameSeconds;
    else islands.push({ start, end: start + frameSeconds });
  }
  return islands;
}

/** Neighbours that are short together become one cut: each run of the engine takes time, however short the cut. */
function mergeSmall(cuts: Span[], { wantedSeconds }: CutOptions): Span[] {
  const merged: Span[] = [];
  for (const cut of cuts) {
    const last = merged.at(-1);
    if (last && cut.end - last.start <= wantedSeconds) last.end = cut.end;
    else merged.push({ ...cut });
  }
  return merged;
}
