import type { SearchText } from '../../domain/search/note-text.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { Db, SearchIndex } from '../database.ts';
import { addEntry, queueOutdated, removeEntry, removeOwnerIndex } from './entries.ts';
import { maxFreshAtRest } from './merge.ts';
import type { FindRequest, Found } from './request.ts';
import type { SearchDatabaseAddress } from './thread-database.ts';
import { createSearchThread } from './threads.ts';

// A search merges sooner, when it finds more than maxFreshAtRest.
const [mergeAfterNotes, mergeAfterLetters] = [4_000, 4_000_000];

/** The index in ordinary tables, the same on both databases; see docs/decisions/0070-ranking.md. */
export function createSearchIndex(db: Db, address: SearchDatabaseAddress): SearchIndex {
  const searching = createSearchThread({ address, niceness: 0 });
  const indexing = createSearchThread({ address, niceness: 10 });
  const queue = createFairQueue<{ request: FindRequest; done(answer: Promise<Found>): void }>();
  const added = new Map<string, { notes: number; letters: number }>();
  let isSearching = false;
  let isClosed = false;

  /** In the background; a fault leaves the index as it was, and the next call tries again. */
  function merge(ownerId: string): void {
    added.delete(ownerId);
    if (!isClosed) indexing.ask({ kind: 'merge', ownerId }).catch(() => {});
  }

  function count(ownerId: string, text: SearchText): void {
    const sum = added.get(ownerId) ?? { notes: 0, letters: 0 };
    sum.notes += 1;
    sum.letters += text.body.length;
    added.set(ownerId, sum);
    if (sum.notes >= mergeAfterNotes || sum.letters >= mergeAfterLetters) merge(ownerId);
  }

  /** One at a time, the owners in turn: whoever asks much waits for themselves. */
  async function searchNext(): Promise<void> {
    const next = isSearching ? undefined : queue.shift()?.item;
    if (!next) return;
    isSearching = true;
    // The thread answers a `find` with what find.ts returns.
    const answer = searching.ask({ kind: 'find', request: next.request }) as Promise<Found>;
    next.done(answer);
    await answer.catch(() => {});
    isSearching = false;
    searchNext();
  }

  return {
    async put(trx, seq, ownerId, text) {
      await removeEntry(trx, seq);
      await addEntry(trx, seq, ownerId, text);
      if (text) count(ownerId, text);
    },
    added: count,
    remove: removeEntry,
    removeOwner: removeOwnerIndex,
    queueOutdated,
    async find(request) {
      const found = await new Promise<Found>((done) => {
        queue.push(request.ownerId, { request, done });
        searchNext();
      });
      if (found.freshNotes > maxFreshAtRest) merge(request.ownerId);
      return found;
    },
    async indexPending() {
      const waiting = await db.selectFrom('search_pending').select('seq').limit(1).executeTakeFirst();
      if (waiting) await indexing.ask({ kind: 'index pending' });
    },
    async scrub() {
      const waiting = await db.selectFrom('search_scrubs').select('owner_id').limit(1).executeTakeFirst();
      if (waiting && !isClosed) await indexing.ask({ kind: 'scrub' });
    },
    merge: async (ownerId) => {
      await indexing.ask({ kind: 'merge', ownerId });
    },
    async close() {
      isClosed = true;
      await Promise.all([searching.close(), indexing.close()]);
    },
  };
}
