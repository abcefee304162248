import type { Word } from '../../src/domain/transcript.ts';
import { normalise } from './wer.ts';

export interface ScoredWord {
  score: number;
  isRight: boolean;
}

/** Which of the words that were heard are right: those on the cheapest way from the reference to them. */
export function scoreWords(reference: string, heard: readonly Word[]): ScoredWord[] {
  const wanted = normalise(reference);
  const got = heard.flatMap(({ word, score }) =>
    normalise(word).map((text) => ({ text, score: score ?? 0 })),
  );
  const width = got.length + 1;
  const cost = new Uint16Array((wanted.length + 1) * width);
  const change = (i: number, j: number) => (wanted[i - 1] === got[j - 1]?.text ? 0 : 1);
  const at = (i: number, j: number) => cost[i * width + j] ?? 0;
  for (let i = 0; i <= wanted.length; i++)
    for (let j = 0; j < width; j++) {
      if (i === 0 || j === 0) cost[i * width + j] = i + j;
      else
        cost[i * width + j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change(i, j));
    }
  const scored: ScoredWord[] = [];
  for (let [i, j] = [wanted.length, got.length]; j > 0; ) {
    const score = got[j - 1]?.score ?? 0;
    const isPair = i > 0 && at(i, j) === at(i - 1, j - 1) + change(i, j);
    if (isPair) scored.push({ score, isRight: change(i, j) === 0 });
    else if (at(i, j) === at(i, j - 1) + 1) scored.push({ score, isRight: false });
    else {
      i -= 1;
      continue;
    }
    if (isPair) i -= 1;
    j -= 1;
  }
  return scored;
}

/** How often a right word has the higher score of a right and a wrong one (the area under the ROC curve). */
export function rankingQuality(words: readonly ScoredWord[]): number {
  const right = words.filter(({ isRight }) => isRight);
  const wrong = words.filter(({ isRight }) => !isRight);
  const wins = wrong.map(({ score }) =>
    right.reduce((sum, word) => sum + (word.score > score ? 1 : word.score === score ? 0.5 : 0), 0),
  );
  return wins.reduce((sum, count) => sum + count, 0) / (right.length * wrong.length);
}
