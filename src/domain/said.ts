import type { Position } from './page.ts';

export const maxSaidLength = 200;
const maxWords = 6;
/** How much text one request looks through: some milliseconds of the thread that answers. */
const [maxRecordsLookedAt, maxWordsLookedAt] = [500, 400_000];

/** The words to look for. Each must be there, in any order. */
const wordsIn = (text: string): string[] => text.split(/\s+/).filter(Boolean).slice(0, maxWords);

/** As SQLite compares only ASCII letters without case, other letters are looked for in the usual forms. */
export function formsOf(word: string): string[] {
  const lower = word.toLowerCase();
  const [first = '', ...rest] = lower;
  return [...new Set([lower, first.toUpperCase() + rest.join('')])].map(lowerAscii);
}
const lowerAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** A search for records in which each of the words was said. */
export interface Said {
  among: readonly string[];
  words: readonly string[];
}

/** A record of a list, and how many words it has. */
export interface Sized {
  id: string;
  created_at: string;
  word_count: number | null;
}

/** One more, which shows whether the list goes on. */
export const sizedLimit = maxRecordsLookedAt + 1;

/** What one request looks for and where, and how far it looks if there is more. Undefined if nothing is looked for. */
export async function lookThrough(text: string | undefined, next: () => Promise<readonly Sized[]>) {
  if (text === undefined) return undefined;
  const { ids, until } = lookedAt(await next());
  const said: Said = { among: ids, words: wordsIn(text) };
  return { said, until };
}

/** The records that one request looks at, and the last of them if there are more. */
export function lookedAt(next: readonly Sized[]): { ids: string[]; until: Position | undefined } {
  let words = 0;
  const end = next.findIndex(({ word_count }, at) => {
    words += word_count ?? 0;
    return at === maxRecordsLookedAt || (at > 0 && words > maxWordsLookedAt);
  });
  const looked = end === -1 ? next : next.slice(0, end);
  const last = looked.at(-1);
  return {
    ids: looked.map(({ id }) => id),
    until: end === -1 || !last ? undefined : { at: last.created_at, id: last.id },
  };
}
