import type { QueryKey } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { isPageOf, isPageOver } from '../api/person.ts';
import { forgetAllShown, forgetShown, keepShown, keptShown } from '../lib/browser-storage.ts';
import { keptPartOfList } from './note-list.ts';
import { fetchMe, type Me, sessionKey } from './session.ts';

/** An answer of the server that stays in this browser, so that notes can be read without a connection. */
interface Kept {
  userId: string;
  key: QueryKey;
  data: unknown;
  /** When the server gave it. */
  at: number;
}

const writeEveryMs = 1_000;
/** Lists and notes, the last shown first. */
const maxKept = 100;
/** A server that takes longer than this to say who is signed in is away. */
const patienceMs = 3_000;

/** Who is signed in, the lists, the notes that were opened, and what the navigation needs. */
function isKept(key: QueryKey): boolean {
  const [first, second, third] = key;
  if (first === 'notes') return second === 'list' || (second === 'one' && key.length === 3);
  if (first === 'workspace') return third === 'spaces';
  return ['session', 'person', 'folders', 'tags', 'workspaces'].includes(String(first));
}

/** From now on, keeps what is shown. Clears it when no person, or another one, is signed in. */
export function keepQueries(): void {
  const queries = cache.getQueryCache();
  const waiting = new Set<string>();
  let isTidy = false;
  function write(): void {
    const userId = cache.getQueryData<Me>(sessionKey)?.user_id;
    const found = [...waiting].flatMap((hash) => queries.get(hash) ?? []);
    waiting.clear();
    if (userId === undefined || isPageOver()) return;
    const kept = found.map(({ queryKey: key, queryHash, state }): [string, Kept] => {
      const data = key[1] === 'list' ? keptPartOfList(state.data) : state.data;
      return [queryHash, { userId, key, data, at: state.dataUpdatedAt }];
    });
    void keepShown(kept);
  }
  queries.subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || !isKept(event.query.queryKey)) return;
    if (event.query.queryKey[0] === sessionKey[0]) {
      const userId = cache.getQueryData<Me>(sessionKey)?.user_id;
      if (userId === undefined) void forgetAllShown();
      else if (!isTidy) void forgetOthers(userId);
      isTidy = true;
    }
    if (waiting.size === 0) setTimeout(write, writeEveryMs);
    waiting.add(event.query.queryHash);
  });
}

async function forgetOthers(userId: string): Promise<void> {
  const all = (await keptShown<Kept>()).sort(([, one], [, other]) => other.at - one.at);
  const outdated = all.filter(([, kept], index) => kept.userId !== userId || index >= maxKept);
  await forgetShown(outdated.map(([hash]) => hash));
}

/**
 * Asks who is signed in. While the server is away, uses the person who was signed in last and shows what they saw last. If the
 * server answers, only its answer counts, so the notes of an ended session are never shown.
 */
export async function startFromKept(): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<undefined>();
  setTimeout(() => resolve(undefined), patienceMs);
  const me = await Promise.race([fetchMe().catch(() => undefined), tooLong]);
  if (me !== undefined) return void cache.setQueryData(sessionKey, me);
  const all = (await keptShown<Kept>()).map(([, kept]) => kept);
  const last = all.find(({ key }) => key[0] === sessionKey[0]);
  if (!last || !isPageOf(last.userId)) return;
  for (const { userId, key, data, at } of all)
    if (userId === last.userId) cache.setQueryData(key, data, { updatedAt: at });
}
