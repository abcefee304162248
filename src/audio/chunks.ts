import { pcmRate } from '../domain/audio.ts';
import type { Chunk } from '../ports/audio.ts';
import { type Span, voicedSeconds } from '../ports/vad.ts';
import { cleanSamples } from './clean-samples.ts';
import { paddingSeconds, planCuts, skippedPauseSeconds } from './plan-cuts.ts';
import { createVad, frameSamples } from './vad.ts';

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
export interface Partial {
  take?: () => Chunk | undefined;
}

/**
 * Finds the chunks with speech in samples that come piece by piece. It holds one window of them; the chunks are the
 * same whatever the pieces. `isLive` ends a chunk at every pause, so that its words come soon.
 */
export async function* toChunks(
  pieces: AsyncIterable<Float32Array>,
  { isLive = false, partial }: { isLive?: boolean; partial?: Partial } = {},
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
