import type { Piece } from './recogniser.ts';

/**
 * A model of one language makes words of that language out of any other, but it is not sure of them. Their mean score was
 * 0.10 to 0.50 for speech in twelve other languages and 0.66 to 0.97 for English, 0.50 in loud noise
 * (docs/decisions/0081-other-languages.md). The words that it can be made to say for a noise had 0.00 to 0.24.
 */
export const leastSureness = 0.48;
/** Fewer words say nothing: a single right one may have a score of 0.2. They are judged together with all others. */
const enoughWords = 5;

/** Of the words of each stretch, those that were said in a language of the model. */
export function keepKnown(stretches: readonly Piece[][]): Piece[][] {
  const isWholeSure = isSure(stretches.flat());
  return stretches.map((pieces) =>
    (pieces.length < enoughWords ? isWholeSure : isSure(pieces)) ? pieces : [],
  );
}

const isSure = (pieces: readonly Piece[]) => pieces.length < enoughWords || sureness(pieces) >= leastSureness;

/** The mean score. An engine that gives none is believed. */
export const sureness = (pieces: readonly Piece[]) =>
  pieces.reduce((sum, { score }) => sum + (score ?? 1), 0) / pieces.length;
