import { pcmRate } from '../domain/audio.ts';
import { type Span, voicedSeconds } from '../domain/voice.ts';
import type { Chunk } from '../ports/audio.ts';
import { cleanSamples } from './clean-samples.ts';
import { paddingSeconds, planCuts, skippedPauseSeconds } from './plan-cuts.ts';
import { createVoiceDetector, frameSamples } from './vad.ts';

/** Whisper hears 30 s at a time; a chunk leaves it two of silence, by which it finds the end. */
const cutting = { longestSeconds: 28, wantedSeconds: 18 };
/** Less voice than this is a click or a cough. */
const leastVoicedSeconds = 0.18;
/** The detector judges a frame by the half second before and after it, and by the run that it belongs to. */
const settlingSeconds = 1;

const toFrames = (seconds: number) => Math.round((seconds * pcmRate) / frameSamples);
/** With so much ahead, what follows cannot change where the first chunk ends. */
const windowFrames = toFrames(
  cutting.longestSeconds + skippedPauseSeconds + paddingSeconds + settlingSeconds,
);
/** Of a silent window: enough to come before the first word of the next. */
const keptFrames = toFrames(paddingSeconds + settlingSeconds);

/** Of a recording that is heard while it is spoken: a pause this long ends a chunk, and is looked for this often. */
const livePauseSeconds = 1.5;
const liveStepFrames = toFrames(0.2);

/** Gives what is spoken right now, and is not final yet. */
export interface Tail {
  take?: () => Chunk | undefined;
}

/**
 * Finds the chunks with speech in samples that come piece by piece. It holds one window of them; the chunks are the
 * same whatever the pieces. `isLive` ends a chunk at every pause, so that its words come soon.
 */
export async function* toChunks(
  pieces: AsyncIterable<Float32Array>,
  { isLive = false, tail }: { isLive?: boolean; tail?: Tail } = {},
): AsyncGenerator<Chunk> {
  const window = new Float32Array(windowFrames * frameSamples);
  const detector = await createVoiceDetector();
  let filled = 0;
  let heard = 0;
  let startFrame = 0;

  function cuts(): Span[] {
    const whole = filled - (filled % frameSamples);
    detector.hear(window.subarray(heard, whole));
    heard = whole;
    return planCuts(detector.activity(), filled / pcmRate, cutting);
  }

  function drop(frames: number): void {
    const samples = Math.min(filled, frames * frameSamples);
    window.copyWithin(0, samples, filled);
    filled -= samples;
    heard = Math.max(0, heard - samples);
    startFrame += frames;
    detector.forget(frames);
  }

  function* chunkOf({ start, end }: Span): Generator<Chunk> {
    const voice = detector.activity();
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

  if (tail)
    tail.take = () => {
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
    detector.free();
  }
}
