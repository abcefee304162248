/** One flag for each frame: 1 when somebody speaks. */
export interface VoiceActivity {
  frames: Uint8Array;
  frameSeconds: number;
}

/** A span of time, in seconds. */
export interface Span {
  start: number;
  end: number;
}

/** Seconds of speech between two times. */
export function voicedSeconds({ frames, frameSeconds }: VoiceActivity, start: number, end: number): number {
  let count = 0;
  const last = Math.min(frames.length, Math.ceil(end / frameSeconds));
  for (let i = Math.max(0, Math.floor(start / frameSeconds)); i < last; i++) count += frames[i] ?? 0;
  return count * frameSeconds;
}

/** The middle of the longest pause between two times, or the later time if there is no pause. */
export function bestPause({ frames, frameSeconds }: VoiceActivity, from: number, to: number): number {
  const last = Math.floor(to / frameSeconds);
  let best = { middle: last, length: 0 };
  for (let i = Math.floor(from / frameSeconds); i < last; ) {
    let end = i;
    while (end < last && frames[end] !== 1) end++;
    // Of two equal pauses take the later one: that makes fewer chunks.
    if (end > i && end - i >= best.length) best = { middle: (i + end) / 2, length: end - i };
    i = Math.max(end, i + 1);
  }
  return best.middle * frameSeconds;
}
