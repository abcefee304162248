import type { createCache } from '../../lib/cache.ts';
import type { Db } from '../../store/database.ts';
import type { OwnerIndex } from '../rank/rank.ts';
import type { SearchDatabase } from '../thread/thread-database.ts';
import { createMemoryIndex, type MemoryIndex } from './memory-index.ts';

/** The texts of some entries by their numbers, and the index of them. */
interface Part {
  texts: ReadonlyMap<number, string>;
  index: MemoryIndex;
}

/** What was fresh when the owner searched last. The newest notes stand apart: a search after a write indexes only those again. */
interface Known {
  most: Part;
  newest: Part;
}

export type FreshCache = ReturnType<typeof createCache<string, Known>>;

const maxNewest = 64;
/** Measured with notes of 60 words: 28 for 64 notes, 22 for 256, 11 for 4,000. */
const bytesPerLetter = 22;
/** Two empty indexes, about. */
const bytesPerOwner = 4_000;

/** The owner's notes that no stored segment holds yet, at the moment of `db`. */
export async function openFresh(
  db: Db,
  ownerId: string,
  where: SearchDatabase['where'],
  cache: FreshCache,
): Promise<{ parts: OwnerIndex[]; notes: number }> {
  const rows = await db
    .selectFrom('search_fresh')
    .select('entry')
    .where('owner_id', '=', ownerId)
    .orderBy('entry')
    .execute();
  const fresh = new Set(rows.map(({ entry }) => entry));
  const known = cache.get(ownerId) ?? { most: partOf([]), newest: partOf([]) };
  const now = await follow(db, where, known, fresh);
  const letters = lettersIn(now.most) + lettersIn(now.newest);
  if (now !== known) cache.set(ownerId, now, bytesPerOwner + bytesPerLetter * letters);
  return { parts: [now.most.index.among(fresh), now.newest.index.among(fresh)], notes: fresh.size };
}

async function follow(
  db: Db,
  where: SearchDatabase['where'],
  known: Known,
  fresh: ReadonlySet<number>,
): Promise<Known> {
  const { most, newest } = known;
  const unknown = [...fresh].filter((entry) => !most.texts.has(entry) && !newest.texts.has(entry));
  const isMostlyGone = most.texts.size > 2 * fresh.size;
  if (unknown.length === 0 && !isMostlyGone) return known;
  const added = [...stillIn(newest, fresh), ...(await textsOf(db, where, unknown))];
  if (added.length <= maxNewest && !isMostlyGone) return { most, newest: partOf(added) };
  return { most: partOf([...stillIn(most, fresh), ...added]), newest: partOf([]) };
}

async function textsOf(
  db: Db,
  where: SearchDatabase['where'],
  entries: readonly number[],
): Promise<[entry: number, text: string][]> {
  if (entries.length === 0) return [];
  const rows = await db
    .selectFrom('search_entries')
    .select(['entry', 'text'])
    .where(where.isOneOf(entries))
    .execute();
  return rows.map(({ entry, text }) => [entry, text]);
}

const partOf = (texts: readonly [entry: number, text: string][]): Part => ({
  texts: new Map(texts),
  index: createMemoryIndex(texts.map(([entry, text]) => ({ entry, text }))),
});

const stillIn = ({ texts }: Part, fresh: ReadonlySet<number>) =>
  [...texts].filter(([entry]) => fresh.has(entry));

const lettersIn = ({ texts }: Part) => [...texts.values()].reduce((sum, text) => sum + text.length, 0);
