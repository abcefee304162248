import { bestPause, type Span, type VoiceActivity } from '../ports/vad.ts';

export interface CutOptions {
  /** The engine is given nothing longer: the window of Whisper is 30 s. */
  longestSeconds: number;
  /** From here on the next pause may end the cut; a shorter one gives the engine too little context. */
  wantedSeconds: number;
}

export const paddingSeconds = 0.3;
/** A silence this long is left out. */
export const skippedPauseSeconds = 2;

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
