import type { NoteFilter } from '../../domain/note.ts';
import type { Db } from '../../store/database.ts';
import { type IndexCache, openOwnerIndex } from '../index/stored-index.ts';
import { highlightNote, type Sought } from '../rank/highlight.ts';
import { rank } from '../rank/rank.ts';
import type { FindRequest, Found } from './request.ts';
import type { SearchDatabase } from './thread-database.ts';

const defaultTimeLimitMs = 500;
const maxWaitMs = 5_000;

/** In a search thread: all reads see one moment, and the answer comes when the time is up. */
export function find(search: SearchDatabase, cache: IndexCache, request: FindRequest): Promise<Found> {
  const { timeLimitMs = defaultTimeLimitMs } = request;
  const startedAt = performance.now();
  const { user, system } = process.threadCpuUsage();
  // The work of this thread is what is limited; a machine that is busy otherwise only makes the caller wait.
  const isLate = () => {
    const used = process.threadCpuUsage();
    const workedMs = (used.user - user + used.system - system) / 1000;
    return workedMs > timeLimitMs || performance.now() - startedAt > maxWaitMs;
  };
  return search.snapshot(async (db) => {
    const { ownerId, query, limit, filter } = request;
    const { index, freshNotes } = await openOwnerIndex(db, ownerId, search.where, cache);
    const only = await entriesWithin(db, ownerId, filter);
    const isIndexing = await somethingWaits(db);
    const options = { limit, only, isLate, asWritten: isIndexing };
    const { hits, total, complete, ...sought } = await rank(index, query, options);
    const seqs = await seqsOf(
      db,
      hits.map(({ entry }) => entry),
    );
    const found = hits.flatMap(({ entry, score }) => {
      const seq = seqs.get(entry);
      return seq === undefined ? [] : [{ seq, rank: score }];
    });
    const marked = request.highlights ? await highlighted(db, found, sought, isLate) : found;
    const isMissing = isIndexing && (await someNoteWaits(db, ownerId));
    return { hits: marked, total, complete: complete && !isMissing, freshNotes };
  });
}

async function entriesWithin(db: Db, ownerId: string, filter: NoteFilter): Promise<Set<number> | undefined> {
  const { folderId, noteType, since, until } = filter;
  if ([folderId, noteType, since, until].every((value) => value === undefined)) return undefined;
  let notes = db
    .selectFrom('notes')
    .innerJoin('search_entries', 'search_entries.seq', 'notes.seq')
    .select('entry')
    .where('notes.owner_id', '=', ownerId)
    .where('deleted_at', 'is', null);
  if (folderId !== undefined) notes = notes.where('folder_id', '=', folderId);
  if (noteType !== undefined) notes = notes.where('note_type', '=', noteType);
  if (since !== undefined) notes = notes.where('created_at', '>=', since);
  if (until !== undefined) notes = notes.where('created_at', '<', until);
  return new Set((await notes.execute()).map(({ entry }) => entry));
}

async function seqsOf(db: Db, entries: readonly number[]): Promise<Map<number, number>> {
  if (entries.length === 0) return new Map();
  const rows = await db
    .selectFrom('search_entries')
    .select(['entry', 'seq'])
    .where('entry', 'in', entries)
    .execute();
  return new Map(rows.map(({ entry, seq }) => [entry, seq]));
}

async function highlighted(
  db: Db,
  hits: { seq: number; rank: number }[],
  sought: Sought,
  isLate: () => boolean,
) {
  const marked: Found['hits'] = [];
  for (const hit of hits) {
    const note = await db
      .selectFrom('notes')
      .select(['title', 'content', 'enhanced_content', 'transcript'])
      .where('seq', '=', hit.seq)
      .executeTakeFirst();
    marked.push({ ...hit, highlights: note && !isLate() ? highlightNote(note, sought, isLate) : [] });
  }
  return marked;
}

/** Whether any note waits to be indexed, for the first time or anew. Nearly always none does. */
const somethingWaits = async (db: Db) =>
  (await db.selectFrom('search_pending').select('seq').limit(1).executeTakeFirst()) !== undefined;

/** Whether one of the owner's notes has yet to be indexed for the first time. */
async function someNoteWaits(db: Db, ownerId: string): Promise<boolean> {
  const waiting = await db
    .selectFrom('search_pending')
    .innerJoin('notes', 'notes.seq', 'search_pending.seq')
    .leftJoin('search_entries', 'search_entries.seq', 'search_pending.seq')
    .select('search_pending.seq')
    .where('notes.owner_id', '=', ownerId)
    .where('notes.deleted_at', 'is', null)
    .where('search_entries.entry', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}
