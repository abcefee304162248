import type { Segment } from '../../domain/transcript.ts';
import { endsSentence, speakersOfWords, type Turn } from './diarize/turns.ts';
import { correctionAt, createLexicon, type Lexicon } from './names/vocabulary.ts';
import type { Piece } from './recogniser.ts';

const pauseSeconds = 1;
const longestSegmentSeconds = 20;
const titles = /^(mr|mrs|ms|dr|st|prof|sr|jr|vs|no)\.$/i;

/**
 * Groups recognised words into sentences of one speaker. Without turns it is unknown who speaks. A phrase of an engine that gives no words becomes a segment
 * without words.
 */
export function toSegments(pieces: readonly Piece[], turns: readonly Turn[] | null): Segment[] {
  const people = turns ? speakersOfWords(pieces, turns) : [];
  const order = [...new Set(people)];
  const groups: { speaker: string | null; pieces: Piece[] }[] = [];
  for (const [i, piece] of pieces.entries()) {
    const person = people[i];
    const speaker = person === undefined ? null : `Speaker ${order.indexOf(person) + 1}`;
    const group = groups.at(-1);
    if (group && group.speaker === speaker && belongs(group.pieces, piece)) group.pieces.push(piece);
    else groups.push({ speaker, pieces: [piece] });
  }
  return groups.map(toSegment);
}

function belongs(group: readonly Piece[], piece: Piece): boolean {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last || !piece.isWord || !last.isWord) return false;
  const word = last.text.trim();
  const isEnd = endsSentence(word) && !titles.test(word);
  return !isEnd && piece.start - last.end < pauseSeconds && piece.end - first.start <= longestSegmentSeconds;
}

const toSegment = ({
  speaker,
  pieces: group,
}: {
  speaker: string | null;
  pieces: readonly Piece[];
}): Segment => ({
  start: round(group[0]?.start ?? 0),
  end: round(group.at(-1)?.end ?? 0),
  text: textOf(group),
  speaker,
  words: group
    .filter(({ isWord }) => isWord)
    .map(({ text, start, end, score }) => ({
      word: text.trim(),
      start: round(start),
      end: round(end),
      score: score === null ? null : round(score),
    })),
});

/** Pieces have their own spaces, because some languages are written without any. */
export const textOf = (pieces: readonly Piece[]) =>
  pieces
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

const round = (seconds: number) => Math.round(seconds * 1000) / 1000;

/** Spells misrecognised names as the dictionary does. */
export const mendPieces = (pieces: readonly Piece[], lexicon: Lexicon): Piece[] =>
  pieces.some(({ isWord }) => !isWord)
    ? pieces.map((piece) => ({ ...piece, text: mendText(piece.text, lexicon) }))
    : mendWords(pieces, lexicon);

/** The same for an engine that answers whole segments. */
export function createSegmentMender(names: readonly string[]): (segment: Segment) => Segment {
  if (names.length === 0) return (segment) => segment;
  const lexicon = createLexicon(names);
  return (segment) => ({
    ...segment,
    text: mendText(segment.text, lexicon).trim(),
    words: segment.words.map((word) => ({ ...word, word: mendText(word.word, lexicon).trim() })),
  });
}

function mendWords(pieces: readonly Piece[], lexicon: Lexicon): Piece[] {
  const words = pieces.map(({ text }) => text.trim());
  const mended: Piece[] = [];
  for (let i = 0; i < pieces.length; ) {
    const correction = correctionAt(words, i, lexicon);
    const count = correction?.count ?? 1;
    const [first, last] = [pieces[i], pieces[i + count - 1]];
    if (first && last) {
      const lead = first.text.startsWith(' ') ? ' ' : '';
      mended.push(
        correction
          ? {
              ...first,
              text: lead + correction.text,
              end: last.end,
              score: leastScore(pieces.slice(i, i + count)),
            }
          : first,
      );
    }
    i += count;
  }
  return mended;
}

/** A word made of several is as sure as the least sure of them. */
function leastScore(pieces: readonly Piece[]): number | null {
  const scores = pieces.map(({ score }) => score).filter((score) => score !== null);
  return scores.length > 0 ? Math.min(...scores) : null;
}

function mendText(text: string, lexicon: Lexicon): string {
  const words = text.split(/\s+/).filter(Boolean);
  const asPieces = words.map((word) => ({ text: ` ${word}`, start: 0, end: 0, isWord: true, score: null }));
  return mendWords(asPieces, lexicon)
    .map((piece) => piece.text)
    .join('');
}
