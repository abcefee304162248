/** Case and accents do not count. A letter stays one letter, so that places stay the same. */
const fold = (text: string) =>
  [...text]
    .map((letter) => {
      const folded = letter.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
      return folded.length === letter.length ? folded : letter;
    })
    .join('');

/** Where in the text the searched words are. It is as long there as in `soughtIn`. */
export function placesIn(text: string, wanted: string): number[] {
  const sought = fold(soughtIn(wanted));
  if (sought === '') return [];
  const folded = fold(text);
  const found: number[] = [];
  for (let at = folded.indexOf(sought); at >= 0; at = folded.indexOf(sought, at + sought.length))
    found.push(at);
  return found;
}

/** Spaces at the ends, and more than one, are typed by mistake. */
export const soughtIn = (wanted: string) => wanted.trim().replace(/\s+/g, ' ');
