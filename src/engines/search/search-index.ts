import { serviceUnavailable } from '../../domain/errors.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { Db } from '../../platform/database/schema.ts';
import { analyseAtOnce, analyserVersion, type SearchableNote } from './analyse/analyser.ts';
import {
  addEntry,
  addPending,
  countGaps,
  queueOutdated,
  queueScrub,
  removeEntries,
  removeOwnerIndex,
} from './index/entries.ts';
import { maxFreshAtRest } from './index/merge.ts';
import type { FindRequest, Found } from './thread/find.ts';
import type { SearchDatabaseAddress } from './thread/thread-database.ts';
import { createSearchThread, type Request } from './thread/threads.ts';

// For those who store a new note and its entry in one statement.
export { analyserVersion };

/** The door of search: everything else in this folder is behind it. */
export interface SearchIndex {
  /** The text of an entry. Null if the note is too long to analyse at once: then `indexPending` does it after the write. */
  analyse(note: SearchableNote): string | null;
  /** Inside a write: replaces the entry of a note. False if the note is too long, so that `indexPending` has to do it. */
  put(db: Db, seq: number, ownerId: string, note: SearchableNote): Promise<boolean>;
  /** After a new note was stored with this entry. */
  added(ownerId: string, text: string): void;
  /** Inside a write. */
  remove(db: Db, seqs: readonly number[]): Promise<void>;
  /** Inside a write: `put` for many notes, all of them left to `indexPending`. */
  putLater(db: Db, seqs: readonly number[]): Promise<void>;
  /** Inside a write, after the owner's notes are gone. */
  removeOwner(db: Db, ownerId: string): Promise<void>;
  /**
   * Searches in a thread, and stops at its time limit. Raises the signal's reason if that comes before its turn, and
   * `service_unavailable` if its turn does not come in time.
   */
  find(request: FindRequest, signal?: AbortSignal): Promise<Found>;
  /** Who speaks in the owner's notes, in order, at most `limit`. Raises what `find` raises. */
  speakers(ownerId: string, limit: number, signal?: AbortSignal): Promise<string[]>;
  /** Inside a write, at the start: queues the notes that an older analyser indexed for `indexPending`. */
  queueOutdated(db: Db): Promise<void>;
  /** Analyses the queued notes in the background. Resolves when the queue is empty. */
  indexPending(): Promise<void>;
  /** Joins the fresh entries into a segment. This happens by itself and only makes searching faster. */
  merge(ownerId: string): Promise<void>;
  /** Inside a write, after notes of these owners were purged. */
  queueScrub(db: Db, ownerIds: ReadonlySet<string>): Promise<void>;
  /** Removes the words of purged notes from the segments. What fails is left to the next call. */
  scrub(): Promise<void>;
  /** Notes that are missing in the index, plus entries whose note is deleted or gone. For `steno doctor`. */
  countGaps(): Promise<number>;
  close(): Promise<void>;
}

// A search merges sooner, when it finds more than maxFreshAtRest.
const [mergeAfterNotes, mergeAfterLetters] = [4_000, 4_000_000];
/** Searches of one owner that the thread has at a time, so that it never waits for this one. The rest queues here. */
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

  function merge(ownerId: string): void {
    if (isClosed || merging.has(ownerId)) return;
    added.delete(ownerId);
    merging.add(ownerId);
    indexing
      .ask({ kind: 'merge', ownerId })
      // A failed merge leaves the index as it was, and the next search or note asks for another.
      .catch(() => {})
      .finally(() => merging.delete(ownerId));
  }

  function count(ownerId: string, text: string): void {
    const sum = added.get(ownerId) ?? { notes: 0, letters: 0 };
    sum.notes += 1;
    sum.letters += text.length;
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
      // The search has the same promise, and its fault.
      .catch(() => {})
      .finally(() => {
        if (askedOf(owner) === 1) asked.delete(owner);
        else asked.set(owner, askedOf(owner) - 1);
        searchNext();
      });
  }

  /** Raises the signal's reason, and `service_unavailable` when its turn does not come in time. */
  function inTurn<Answer>(ownerId: string, request: Request, signal?: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const start = () => {
        stopWaiting();
        // The thread answers with what find.ts returns.
        const answer = searching.ask(request) as Promise<Answer>;
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
      queue.push(ownerId, start);
      searchNext();
    });
  }

  return {
    analyse: analyseAtOnce,
    async put(trx, seq, ownerId, note) {
      const text = analyseAtOnce(note);
      await removeEntries(trx, [seq]);
      if (text === null) {
        await addPending(trx, [seq]);
        return false;
      }
      await addEntry(trx, seq, ownerId, text);
      count(ownerId, text);
      return true;
    },
    added: count,
    remove: removeEntries,
    async putLater(trx, seqs) {
      await removeEntries(trx, seqs);
      await addPending(trx, seqs);
    },
    removeOwner: removeOwnerIndex,
    async find(request, signal) {
      signal?.throwIfAborted();
      const found = await inTurn<Found>(request.ownerId, { kind: 'find', request }, signal);
      if (found.freshNotes > maxFreshAtRest) merge(request.ownerId);
      return found;
    },
    async speakers(ownerId, limit, signal) {
      signal?.throwIfAborted();
      return inTurn(ownerId, { kind: 'speakers', ownerId, limit }, signal);
    },
    queueOutdated,
    async indexPending() {
      const pending = await db.selectFrom('search_pending').select('seq').limit(1).executeTakeFirst();
      if (pending) await indexing.ask({ kind: 'index pending' });
    },
    merge: async (ownerId) => {
      await indexing.ask({ kind: 'merge', ownerId });
    },
    queueScrub,
    async scrub() {
      const waiting = await db.selectFrom('search_scrubs').select('owner_id').limit(1).executeTakeFirst();
      if (waiting && !isClosed) await indexing.ask({ kind: 'scrub' });
    },
    countGaps: () => countGaps(db),
    async close() {
      isClosed = true;
      await Promise.all([searching.close(), indexing.close()]);
    },
  };
}

const tooBusy = () =>
  serviceUnavailable('Too many searches are waiting; try again in a moment.', { retryAfterSeconds: 5 });
