import type { VoiceActivity } from './voice.ts';

/** A stretch of the recording that is recognised in one go, in seconds. */
export interface Cut {
  start: number;
  end: number;
}

export interface CutOptions {
  /** The engine is given nothing longer: Whisper hears 30 s at a time. */
  longestSeconds: number;
  /** From here on the next pause may end the cut; a shorter one gives the engine too little context. */
  wantedSeconds: number;
}

const paddingSeconds = 0.3;
/** A silence this long is left out. */
const skippedPauseSeconds = 2;

/**
 * Cuts at the longest pause between the wanted and the longest length, or at the longest length when there is none.
 * No cut overlaps another, and all speech is in one of them.
 */
export function planCuts(voice: VoiceActivity, totalSeconds: number, options: CutOptions): Cut[] {
  const cuts: Cut[] = [];
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

function speechIslands({ frames, frameSeconds }: VoiceActivity): Cut[] {
  const islands: Cut[] = [];
  for (let i = 0; i < frames.length; i++) {
    if (frames[i] !== 1) continue;
    const start = i * frameSeconds;
    const last = islands.at(-1);
    if (last && start - last.end < skippedPauseSeconds) last.end = start + frameSeconds;
    else islands.push({ start, end: start + frameSeconds });
  }
  return islands;
}

/** The middle of the longest pause between two times, or the later time where there is none. */
export function bestPause({ frames, frameSeconds }: VoiceActivity, from: number, to: number): number {
  const last = Math.floor(to / frameSeconds);
  let best = { middle: last, length: 0 };
  for (let i = Math.floor(from / frameSeconds); i < last; ) {
    let end = i;
    while (end < last && frames[end] !== 1) end++;
    // Of two equal pauses the later one, to have fewer cuts.
    if (end > i && end - i >= best.length) best = { middle: (i + end) / 2, length: end - i };
    i = Math.max(end, i + 1);
  }
  return best.middle * frameSeconds;
}

/** Neighbours that are short together become one cut: each run of the engine takes time, however short the cut. */
function mergeSmall(cuts: Cut[], { wantedSeconds }: CutOptions): Cut[] {
  const merged: Cut[] = [];
  for (const cut of cuts) {
    const last = merged.at(-1);
    if (last && cut.end - last.start <= wantedSeconds) last.end = cut.end;
    else merged.push({ ...cut });
  }
  return merged;
}
