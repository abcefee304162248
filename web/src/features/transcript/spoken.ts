import type { components } from '@steno/sdk';

export type Segment = components['schemas']['Segment'];

export interface SpokenWord {
  /** The text between it and the previous word. */
  before: string;
  text: string;
  start: number;
  isUnsure: boolean;
}

/** A segment of the transcription: a sentence, or the part of one between two pauses. */
export interface Part {
  position: number;
  text: string;
}

export interface Sentence {
  /** When it begins, and stays its name when a correction before it leaves out a segment. No two have the same. */
  id: number;
  /** Which segment of the transcription it begins with. */
  position: number;
  parts: readonly Part[];
  text: string;
  start: number;
  /** The number of its first word in the whole transcript. */
  firstWord: number;
  words: readonly SpokenWord[];
}

/** What one speaker says without a long pause. */
export interface Paragraph {
  start: number;
  speaker: string | null;
  sentences: readonly Sentence[];
}

export interface Spoken {
  paragraphs: readonly Paragraph[];
  /** When each word begins, in order. */
  starts: Float64Array;
  speakers: readonly string[];
  /** A single speaker is not shown until a person gives them a name. */
  isNamed: boolean;
  hasUnsure: boolean;
}

/** Of the words with a lower score, 28 % were right (the project's measurements of base.en). */
const unsureBelow = 0.3;
const paragraphPauseSeconds = 1.5;
/** Longer paragraphs are hard to read and slow to draw, because each is drawn whole. */
const paragraphLetters = 600;
/** In the middle of a sentence: the server leaves out a segment whose words a correction removed, and a silence stays. */
const sentencePauseSeconds = 10;
const sentenceLetters = 2 * paragraphLetters;

export function toSpoken(segments: readonly Segment[]): Spoken {
  const paragraphs: {
    start: number;
    end: number;
    letters: number;
    speaker: string | null;
    sentences: Sentence[];
  }[] = [];
  const starts: number[] = [];
  let id = -1;
  // A speech model that writes no full stops says nothing about sentences.
  const hasSentences = segments.some(({ text }) => endsSentence.test(text.trim()));
  for (const [position, segment] of segments.entries()) {
    const text = segment.text.trim();
    if (text === '') continue;
    const words = wordsOf({ ...segment, text });
    const part = { position, text };
    id = Math.max(segment.start, id + 1e-6);
    const firstWord = starts.length;
    const sentence = { id, position, parts: [part], text, start: segment.start, firstWord, words };
    for (const { start } of words) starts.push(start);
    const last = paragraphs.at(-1);
    const begun = last?.sentences.at(-1);
    const isInside = begun !== undefined && !endsSentence.test(begun.text);
    const [longestPause, mostLetters] =
      isInside && hasSentences
        ? [sentencePauseSeconds, sentenceLetters]
        : [paragraphPauseSeconds, paragraphLetters];
    const goesOn =
      last?.speaker === segment.speaker &&
      segment.start - last.end < longestPause &&
      last.letters < mostLetters;
    if (goesOn) {
      if (begun && isInside) last.sentences.splice(-1, 1, together(begun, sentence));
      else last.sentences.push(sentence);
      last.end = segment.end;
      last.letters += text.length;
    } else {
      const { start, end, speaker } = segment;
      paragraphs.push({ start, end, speaker, letters: text.length, sentences: [sentence] });
    }
  }
  const said = paragraphs.flatMap(({ sentences }) => sentences);
  const speakers = [...new Set(segments.flatMap(({ speaker }) => speaker ?? []))];
  return {
    paragraphs,
    starts: Float64Array.from(starts),
    speakers,
    isNamed: speakers.length > 1 || speakers.some((name) => !/^Speaker \d+$/.test(name)),
    hasUnsure: said.some(({ words }) => words.some(({ isUnsure }) => isUnsure)),
  };
}

const endsSentence = /[.?!…。！？]["'”’»)\]]*$/;

const together = (begun: Sentence, rest: Sentence): Sentence => ({
  ...begun,
  parts: [...begun.parts, ...rest.parts],
  text: `${begun.text} ${rest.text}`,
  words: [...begun.words, ...rest.words.map((word, at) => (at === 0 ? { ...word, before: ' ' } : word))],
});

/**
 * The parts of a sentence after a person has rewritten it. Words before and after the change stay in their parts; what is
 * new goes to the first part that it touches.
 */
export function rewritten(parts: readonly Part[], text: string): (Part & { now: string })[] {
  const now = text.split(/\s+/).filter(Boolean);
  const old = parts.flatMap(({ text }, part) =>
    text
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => ({ word, part })),
  );
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head]?.word === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail)?.word === now.at(-1 - tail)) tail += 1;
  const first = old[Math.min(head, old.length - 1)]?.part ?? 0;
  const words = parts.map((): string[] => []);
  for (const [at, word] of now.entries()) {
    const isBefore = at < head;
    const place = isBefore
      ? old[at]?.part
      : at >= now.length - tail
        ? old[at - now.length + old.length]?.part
        : first;
    words[place ?? first]?.push(word);
  }
  return parts.map((part, at) => ({ ...part, now: words[at]?.join(' ') ?? '' }));
}

/** The words of the text. If the engine gave none, each word gets a share of the time by its length. */
function wordsOf({ text, words, start, end }: Segment): SpokenWord[] {
  const found: SpokenWord[] = [];
  let at = 0;
  for (const { word, start, score } of words) {
    const from = text.indexOf(word.trim(), at);
    // If anything but spaces is between two words, words and text do not belong together.
    if (from < 0 || text.slice(at, from).trim() !== '') break;
    found.push({
      before: text.slice(at, from),
      text: word.trim(),
      start,
      isUnsure: score !== null && score < unsureBelow,
    });
    at = from + word.trim().length;
  }
  return at === text.length ? found : spread(text, start, end);
}

function spread(text: string, start: number, end: number): SpokenWord[] {
  const secondsPerLetter = (end - start) / Math.max(1, text.length);
  return [...text.matchAll(/(\s*)(\S+)/g)].map(({ 1: before = '', 2: word = '', index }) => ({
    before,
    text: word,
    start: start + (index + before.length) * secondsPerLetter,
    isUnsure: false,
  }));
}

/** The number of the word that is spoken at this time; -1 before the first. */
export function wordAt(starts: Float64Array, seconds: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= seconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** From a note's stored transcript; null for plain text, which has no times. */
export function segmentsIn(transcript: string | null): Segment[] | null {
  if (!transcript?.startsWith('[')) return null;
  try {
    const items: Partial<Segment>[] = JSON.parse(transcript);
    const isTimed = items.every(
      ({ text, start, end }) => typeof text === 'string' && Number.isFinite(start) && Number.isFinite(end),
    );
    // Other programs leave out fields that they do not know.
    return isTimed ? items.map((item) => ({ speaker: null, words: [], ...item }) as Segment) : null;
  } catch {
    return null;
  }
}
