import { AppError } from '../domain/errors.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import type { Db, SearchIndex } from '../store/database.ts';
import type { SearchText } from './analyse/note-text.ts';
import { addEntry, addPending, queueOutdated, removeEntries, removeOwnerIndex } from './index/entries.ts';
import { maxFreshAtRest } from './index/merge.ts';
import type { FindRequest, Found } from './thread/request.ts';
import type { SearchDatabaseAddress } from './thread/thread-database.ts';
import { createSearchThread } from './thread/threads.ts';

// A search merges sooner, when it finds more than maxFreshAtRest.
const [mergeAfterNotes, mergeAfterLetters] = [4_000, 4_000_000];
/**
 * So many searches of an owner are with the thread, so that it has something to do while this thread is busy with others; it
 * takes the owners in turn. The rest waits here.
 */
const maxAsked = 16;
/** As long as calls wait for a connection to PostgreSQL. */
const maxWaitMs = 30_000;

/** The index in ordinary tables, the same on both databases; see docs/decisions/0070-ranking.md. */
export function createSearchIndex(db: Db, address: SearchDatabaseAddress): SearchIndex {
  const searching = createSearchThread({ address, niceness: 0 });
  const indexing = createSearchThread({ address, niceness: 10 });
  const queue = createFairQueue<() => Promise<unknown>>();
  const added = new Map<string, { notes: number; letters: number }>();
  const merging = new Set<string>();
  const asked = new Map<string, number>();
  let isClosed = false;

  /** In the background; a fault leaves the index as it was, and the next call tries again. */
  function merge(ownerId: string): void {
    if (isClosed || merging.has(ownerId)) return;
    added.delete(ownerId);
    merging.add(ownerId);
    indexing
      .ask({ kind: 'merge', ownerId })
      .catch(() => {})
      .finally(() => merging.delete(ownerId));
  }

  function count(ownerId: string, text: SearchText): void {
    const sum = added.get(ownerId) ?? { notes: 0, letters: 0 };
    sum.notes += 1;
    sum.letters += text.body.length;
    added.set(ownerId, sum);
    if (sum.notes >= mergeAfterNotes || sum.letters >= mergeAfterLetters) merge(ownerId);
  }

  function searchNext(): void {
    const askedOf = (owner: string) => asked.get(owner) ?? 0;
    const next = queue.shift((owner) => askedOf(owner) < maxAsked);
    if (!next) return;
    const { owner, item: start } = next;
    asked.set(owner, askedOf(owner) + 1);
    start()
      .catch(() => {})
      .finally(() => {
        if (askedOf(owner) === 1) asked.delete(owner);
        else asked.set(owner, askedOf(owner) - 1);
        searchNext();
      });
  }

  /** Raises the signal's reason, and `service_unavailable` when its turn does not come in time. */
  function inTurn(request: FindRequest, signal: AbortSignal | undefined): Promise<Found> {
    return new Promise((resolve, reject) => {
      const start = () => {
        stopWaiting();
        // The thread answers a `find` with what find.ts returns.
        const answer = searching.ask({ kind: 'find', request }) as Promise<Found>;
        resolve(answer);
        return answer;
      };
      const leave = (reason: unknown) => {
        stopWaiting();
        queue.remove((other) => other === start);
        reject(reason);
      };
      const giveUp = () => leave(signal?.reason);
      const timer = setTimeout(() => leave(tooBusy()), maxWaitMs);
      const stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      signal?.addEventListener('abort', giveUp);
      queue.push(request.ownerId, start);
      searchNext();
    });
  }

  return {
    async put(trx, seq, ownerId, text) {
      await removeEntries(trx, [seq]);
      await addEntry(trx, seq, ownerId, text);
      if (text) count(ownerId, text);
    },
    added: count,
    remove: removeEntries,
    async putLater(trx, seqs) {
      await removeEntries(trx, seqs);
      await addPending(trx, seqs);
    },
    removeOwner: removeOwnerIndex,
    queueOutdated,
    async find(request, signal) {
      signal?.throwIfAborted();
      const found = await inTurn(request, signal);
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

const tooBusy = () =>
  new AppError('service_unavailable', 'Too many searches are waiting; try again in a moment.', {
    retryAfterSeconds: 5,
  });
