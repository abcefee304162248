import { UnsupportedLanguage } from '../../domain/speech-errors.ts';
import type { Piece } from './recogniser.ts';

/** Other codes of languages that Whisper knows: Bokmål, and what browsers and phones still call Hebrew and others. */
const otherCodes: Record<string, string | undefined> = {
  nb: 'no',
  iw: 'he',
  in: 'id',
  ji: 'yi',
  jw: 'jv',
  fil: 'tl',
};

/** An engine knows `en-US` and `EN` as `en`. Raises UnsupportedLanguage; with an empty list every code passes. */
export function engineLanguage(asked: string | undefined, known: readonly string[]): string | undefined {
  if (asked === undefined || asked === '' || asked === 'auto') return undefined;
  const code = asked.trim().toLowerCase().split(/[-_]/)[0] ?? '';
  const base = otherCodes[code] ?? code;
  const isCode = /^[a-z]{2,3}$/.test(base);
  if (!isCode || (known.length > 0 && !known.includes(base))) throw new UnsupportedLanguage(asked, known);
  return base;
}

/**
 * A model of one language makes words of that language out of any other, but it is not sure of them. Their mean score was
 * 0.10 to 0.50 for speech in twelve other languages and 0.66 to 0.97 for English, 0.50 in loud noise
 * (docs/decisions/0081-other-languages.md). The words that it can be made to say for a noise had 0.00 to 0.24.
 */
export const leastSureness = 0.48;
/** Fewer words say nothing: a single right one may have a score of 0.2. They are judged together with all others. */
export const enoughWords = 5;

interface Chunk {
  pieces: Piece[];
  /** Null when it is none of the models' languages, or one of which no model is sure. */
  language: string | null;
}

/** The words of each chunk that were said in a language of the models. `own` is the language of the first model. */
export function keepKnown(chunks: readonly Chunk[], own: string | undefined): Piece[][] {
  const wordsOf = (some: readonly Chunk[]) => some.flatMap(({ pieces }) => pieces);
  const isWholeSure = isSure(wordsOf(chunks));
  const ownWords = wordsOf(chunks.filter(({ language }) => language === own));
  const isOwnSure = ownWords.length >= enoughWords && isSure(ownWords);
  const isKept = ({ pieces, language }: Chunk) => {
    if (pieces.length >= enoughWords) return language !== null && isSure(pieces);
    // A murmur in a conversation is taken for another language now and then.
    return language === null ? isOwnSure : isWholeSure;
  };
  return chunks.map((chunk) => (isKept(chunk) ? chunk.pieces : []));
}

const isSure = (pieces: readonly Piece[]) => pieces.length < enoughWords || sureness(pieces) >= leastSureness;

/** The mean score. An engine that gives none is believed. */
export const sureness = (pieces: readonly Piece[]) =>
  pieces.reduce((sum, { score }) => sum + (score ?? 1), 0) / pieces.length;
