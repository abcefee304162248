import { placesIn } from '../../lib/find-text.ts';
import type { Spoken } from './spoken.ts';

/** The numbers of the words with which the wanted text begins, in the order in which they are said. */
export function findSaid({ paragraphs }: Spoken, wanted: string): number[] {
  return paragraphs.flatMap(({ sentences }) => {
    const words = sentences.flatMap(({ firstWord, words }) =>
      words.map(({ before, text }, at) => ({
        number: firstWord + at,
        text: (at === 0 || before !== '' ? ' ' : '') + text,
      })),
    );
    const ends: number[] = [];
    for (const { text } of words) ends.push((ends.at(-1) ?? 0) + text.length);
    const said = words.map(({ text }) => text).join('');
    const found = placesIn(said, wanted).flatMap(
      (at) => words[ends.findIndex((end) => end > at)]?.number ?? [],
    );
    return [...new Set(found)];
  });
}
