import { pcmRate } from '../domain/audio.ts';
import type { Span } from '../ports/vad.ts';
import type { Piece } from './recogniser.ts';

const frameSamples = pcmRate / 100;
const frameSeconds = frameSamples / pcmRate;
/** Shorter silences lie within words: before a p or a t the voice rests. */
const shortestPauseSeconds = 0.15;
/** A click between two pauses is no word. */
const shortestSoundSeconds = 0.05;
/** Sound is what is louder than both: so much above the quietest frames, so much below the loudest. */
const aboveFloorDb = 10;
const belowPeakDb = 32;
/** A fast speaker's: what is shorter before a pause is the end of the word before. */
const leastSecondsPerLetter = 0.07;
/** What goes on for longer before a word than this is not the beginning of the word. */
const longestLeadSeconds = 0.7;

/**
 * Puts words where there is sound: the aligner leaves no gaps, so a pause falls to the word before or after it. Here no
 * word chunks over a pause, and the first one after a pause begins with the sound.
 */
export function fitToSound(pieces: readonly Piece[], pcm: Float32Array, range: Span): Piece[] {
  const sounds = soundsIn(pcm, range);
  const fitted: Piece[] = [];
  let last: Span | undefined;
  for (const piece of pieces) {
    const before = fitted.at(-1);
    const sound = soundOf(piece, sounds) ?? piece;
    const isFirst = sound !== last && piece.start - sound.start < longestLeadSeconds;
    const start = Math.max(isFirst ? sound.start : Math.max(sound.start, piece.start), before?.start ?? 0);
    // The rest of a sound belongs to its last word.
    if (before && last && sound !== last && last.end - before.end < longestLeadSeconds)
      before.end = Math.max(before.end, last.end);
    if (before && before.end > start) before.end = start;
    fitted.push({ ...piece, start, end: Math.max(start, Math.min(piece.end, sound.end)) });
    last = sound;
  }
  return fitted;
}

/** The one in which a word is said that lies in two or more: the first that holds enough of it for its letters. */
function soundOf(piece: Piece, sounds: readonly Span[]): Span | undefined {
  const heard = sounds.filter(({ start, end }) => start < piece.end && end > piece.start);
  const secondsIn = ({ start, end }: Span) => Math.min(end, piece.end) - Math.max(start, piece.start);
  const longest = Math.max(...heard.map(secondsIn));
  const enough = piece.text.trim().length * leastSecondsPerLetter;
  return heard.find((sound) => secondsIn(sound) >= Math.min(enough, longest));
}

function soundsIn(pcm: Float32Array, range: Span): Span[] {
  const levels = levelsOf(pcm.subarray(Math.floor(range.start * pcmRate), Math.ceil(range.end * pcmRate)));
  const sorted = Float32Array.from(levels).sort();
  const share = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
  const threshold = Math.max(share(0.03) + aboveFloorDb, share(0.97) - belowPeakDb);
  const sounds: Span[] = [];
  for (const [i, level] of levels.entries()) {
    if (level <= threshold) continue;
    const start = range.start + i * frameSeconds;
    const end = Math.min(range.end, start + frameSeconds);
    const last = sounds.at(-1);
    if (last && start - last.end < shortestPauseSeconds) last.end = end;
    else sounds.push({ start, end });
  }
  return sounds.filter(({ start, end }) => end - start >= shortestSoundSeconds);
}

/** In dB, one for each 10 ms, over 20 ms. */
function levelsOf(pcm: Float32Array): Float32Array {
  const levels = new Float32Array(Math.floor(pcm.length / frameSamples));
  for (let frame = 0; frame < levels.length; frame++) {
    let energy = 1e-10;
    const from = Math.max(0, (frame - 0.5) * frameSamples);
    for (const sample of pcm.subarray(from, from + 2 * frameSamples)) energy += sample * sample;
    levels[frame] = 10 * Math.log10(energy);
  }
  return levels;
}
