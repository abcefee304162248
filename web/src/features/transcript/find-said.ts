import type { Spoken } from './spoken.ts';

/** Case and accents do not count. A letter stays one letter, so that places stay the same. */
const fold = (text: string) =>
  [...text]
    .map((letter) => {
      const folded = letter.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
      return folded.length === letter.length ? folded : letter;
    })
    .join('');

/** The numbers of the words with which the wanted text begins, in the order in which they are said. */
export function findSaid({ paragraphs }: Spoken, wanted: string): number[] {
  const sought = fold(wanted.trim().replace(/\s+/g, ' '));
  if (sought === '') return [];
  return paragraphs.flatMap(({ sentences }) => {
    const words = sentences.flatMap(({ firstWord, words }) =>
      words.map(({ before, text }, at) => ({
        number: firstWord + at,
        text: (at === 0 || before !== '' ? ' ' : '') + text,
      })),
    );
    const ends: number[] = [];
    for (const { text } of words) ends.push((ends.at(-1) ?? 0) + text.length);
    const said = fold(words.map(({ text }) => text).join(''));
    const found: number[] = [];
    for (let at = said.indexOf(sought); at >= 0; at = said.indexOf(sought, at + sought.length)) {
      const word = words[ends.findIndex((end) => end > at)];
      if (word && word.number !== found.at(-1)) found.push(word.number);
    }
    return found;
  });
}
