import { pcmRate } from '../../domain/audio.ts';
import { bestPause, type Span, type VoiceActivity, voicedSeconds } from '../ports/vad.ts';
import type { ChunkToRecognise, Piece, Recognised, Recogniser } from './recogniser.ts';
import { textOf } from './segments.ts';

interface Work extends ChunkToRecognise {
  recognise: Recogniser['recognise'];
}

const mostTailRuns = 3;
/** Less than this after the last word is breath or the echo of the room. */
const lostTailSeconds = 1;

const mostSplits = 2;
/** Shorter parts have too little for the engine to go by. */
const shortestPartSeconds = 1.5;
/** English has about 13 letters a second and Chinese 4. With fewer, there is speech that the phrase does not say. */
const fewestLettersPerSecond = 3;

/** Recognises one chunk, takes out what the engine makes up (echo, noises, loops) and asks again for what it left out. */
export const recogniseChunk = (
  chunk: ChunkToRecognise,
  recognise: Recogniser['recognise'],
): Promise<Recognised> =>
  recogniseSpan({ start: 0, end: chunk.pcm.length / pcmRate }, { ...chunk, recognise });

async function recogniseSpan(cut: Span, work: Work, splits = 0): Promise<Recognised> {
  const first = await withoutEcho(cut, work);
  const isSplittable = splits < mostSplits && cut.end - cut.start > 4 * shortestPartSeconds;
  if (isSplittable && first.pieces.some((piece) => isTooLong(piece, work.voice)))
    return recogniseParts(cut, work, splits + 1);
  let { pieces, until } = first;
  // What gave no words gives none the second time.
  for (let i = 0; i < mostTailRuns && pieces.length > 0; i++) {
    if (voicedSeconds(work.voice, until + 0.15, cut.end) < lostTailSeconds) break;
    const tail = await recogniseRange({ start: until, end: cut.end }, work, '');
    if (tail.pieces.length === 0) break;
    pieces = [...pieces, ...dropDoubled(pieces, tail.pieces)];
    until = tail.until;
  }
  return { pieces, language: first.language };
}

/**
 * transcribe-cpp may return the first of five sentences and say that it lasts to the end of the chunk. In two parts,
 * cut at the longest pause, it returns them all.
 */
async function recogniseParts(cut: Span, work: Work, splits: number): Promise<Recognised> {
  const at = bestPause(work.voice, cut.start + shortestPartSeconds, cut.end - shortestPartSeconds);
  const before = await recogniseSpan({ start: cut.start, end: at }, work, splits);
  const after = await recogniseSpan({ start: at, end: cut.end }, work, splits);
  return { pieces: [...before.pieces, ...after.pieces], language: before.language };
}

function isTooLong({ text, start, end, isWord }: Piece, voice: VoiceActivity): boolean {
  const seconds = voicedSeconds(voice, start, end) - lostTailSeconds;
  return !isWord && letters(text).length < seconds * fewestLettersPerSecond;
}

/** Whisper sometimes repeats the prompt instead of listening. Such a chunk is recognised again without a prompt. */
async function withoutEcho(cut: Span, work: Work): Promise<RecognisedRange> {
  const prompted = await recogniseRange(cut, work, work.prompt);
  if (work.prompt === '') return prompted;
  const told = letters(work.prompt);
  const isEcho = told.includes(' ') && letters(textOf(prompted.pieces)).startsWith(told);
  return isEcho || prompted.pieces.length === 0 ? recogniseRange(cut, work, '') : prompted;
}

interface RecognisedRange extends Recognised {
  /**
   * Where the last word ends by the engine. It may end sooner where it was put to the sound: "www.example.org" and "1813"
   * are one word with pauses in it, and what comes after the first pause would be recognised twice.
   */
  until: number;
}

async function recogniseRange(range: Span, work: Work, prompt: string): Promise<RecognisedRange> {
  const { pcm, voice, recognise } = work;
  const samples = pcm.subarray(Math.floor(range.start * pcmRate), Math.ceil(range.end * pcmRate));
  const { pieces, language } = await recognise({
    pcm: samples,
    language: work.language,
    names: work.names,
    prompt,
    ...(work.onEncoded && { onEncoded: work.onEncoded }),
  });
  const placed = pieces.map((piece) => ({
    ...piece,
    start: Math.min(range.end, range.start + piece.start),
    end: Math.min(range.end, range.start + Math.max(piece.start, piece.end)),
  }));
  const spoken = dropLoops(dropNoises(placed)).filter((piece) => isVoiced(piece, voice));
  const hasWords = spoken.every(({ isWord }) => isWord);
  return {
    pieces: hasWords ? fitToAudio(spoken, pcm, range) : spoken,
    language,
    until: spoken.at(-1)?.end ?? range.start,
  };
}

/** Word times are wrong by some tenths of a second, so a voice close to them is enough. */
const isVoiced = ({ start, end }: Piece, voice: VoiceActivity) =>
  voicedSeconds(voice, start - 0.4, end + 0.4) > 0;

/** "[Music]", "(door closes)", "*sighs*", "♪" describe sounds and are not speech. They may have several words. */
function dropNoises(pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = [];
  let closing: string | null = null;
  for (const piece of pieces) {
    const text = piece.text.trim();
    const opens: string | undefined = closing === null ? closers[text[0] ?? ''] : undefined;
    closing ??= opens ?? null;
    const isNoise = closing !== null || /^[\s♪♫.,-]*$/u.test(text);
    if (closing !== null && text.includes(closing, opens ? 1 : 0)) closing = null;
    if (!isNoise) kept.push(piece);
  }
  // A bracket that never closes did not begin a description.
  return closing === null ? kept : pieces.filter(({ text }) => text.trim() !== '');
}

const closers: Record<string, string | undefined> = { '[': ']', '(': ')', '*': '*' };

const longestLoopWords = 8;
/** People do not say ten words a second, counted over both repetitions; the loop that was seen had 17. */
const fastestWordSeconds = 0.1;

/** "In this regard, in this regard," within a third of a second: it is the engine that repeats itself, not the speaker. */
function dropLoops(pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = [];
  for (const piece of pieces) {
    kept.push(piece);
    for (let n = Math.min(longestLoopWords, Math.floor(kept.length / 2)); n >= 2; n--) {
      const [before, again] = [kept.slice(-2 * n, -n), kept.slice(-n)];
      const seconds = (again.at(-1)?.end ?? 0) - (before[0]?.start ?? 0);
      if (letters(textOf(before)) !== letters(textOf(again)) || seconds > 2 * n * fastestWordSeconds)
        continue;
      kept.length -= n;
      break;
    }
  }
  return kept;
}

/** The second run may begin with the last words of the first. One word may be said twice; two or more are the same. */
function dropDoubled(before: readonly Piece[], after: readonly Piece[]): readonly Piece[] {
  for (let n = Math.min(5, before.length, after.length); n >= 2; n--)
    if (letters(textOf(before.slice(-n))) === letters(textOf(after.slice(0, n)))) return after.slice(n);
  return after;
}

const letters = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();

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
 * word stretches over a pause, and the first one after a pause begins with the sound.
 */
export function fitToAudio(pieces: readonly Piece[], pcm: Float32Array, range: Span): Piece[] {
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
  const spoken = sounds.filter(({ start, end }) => start < piece.end && end > piece.start);
  const secondsIn = ({ start, end }: Span) => Math.min(end, piece.end) - Math.max(start, piece.start);
  const longest = Math.max(...spoken.map(secondsIn));
  const enough = piece.text.trim().length * leastSecondsPerLetter;
  return spoken.find((sound) => secondsIn(sound) >= Math.min(enough, longest));
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
