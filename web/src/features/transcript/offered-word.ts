/** Longer corrections are another sentence, not a misrecognised name. */
const maxWords = 3;
const minLetters = 3;

const bare = (text: string) => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

/** The words that a correction put in place of others, if they may belong in the dictionary. */
export function offeredWord(before: string, after: string): string | undefined {
  const [old, now] = [before.split(/\s+/), after.split(/\s+/)];
  let start = 0;
  while (start < now.length && old[start] === now[start]) start += 1;
  let tail = 0;
  while (
    tail < Math.min(old.length, now.length) - start &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail += 1;
  const replaced = bare(old.slice(start, old.length - tail).join(' '));
  const written = now.slice(start, now.length - tail);
  const word = bare(written.join(' '));
  if (replaced === '' || written.length > maxWords || word.length < minLetters) return undefined;
  // A capital letter at the beginning of a sentence says nothing about the spelling.
  const isSame = start === 0 ? word.toLowerCase() === replaced.toLowerCase() : word === replaced;
  return isSame ? undefined : word;
}
