import type { Highlight, SearchFilter } from '../../../domain/note.ts';
import type { Db } from '../../../platform/database/schema.ts';
import { speakerMarker, speakerOf } from '../analyse/analyser.ts';
import { fold } from '../analyse/tokenizer.ts';
import { type IndexCache, openOwnerIndex } from '../index/stored-index.ts';
import { countLive } from '../rank/bm25.ts';
import { highlightNote, type QueryTerms } from '../rank/highlight.ts';
import { parseQuery } from '../rank/query.ts';
import { type OwnerIndex, rank } from '../rank/rank.ts';
import type { SearchDatabase } from './thread-database.ts';

export interface FindRequest {
  ownerId: string;
  query: string;
  limit: number;
  filter: SearchFilter;
  highlights: boolean;
  /** Processor time of the search thread. */
  timeLimitMs?: number;
}

export interface Found {
  /** Best first. A rank is positive and only comparable with the others of this answer. */
  hits: { seq: number; rank: number; highlights?: Highlight[] }[];
  total: number;
  complete: boolean;
  /** Notes that no segment holds yet. */
  freshNotes: number;
}

const defaultTimeLimitMs = 500;
const maxWaitMs = 5_000;
/** Each is a term; a recording has up to twenty. */
const maxSpeakersPerSegment = 2_000;

/** In a search thread, in one snapshot. When the time is up it answers with what it has. */
export async function find(search: SearchDatabase, cache: IndexCache, request: FindRequest): Promise<Found> {
  const query = parseQuery(request.query);
  if (query.words.length + query.phrases.length === 0)
    return { hits: [], total: 0, complete: true, freshNotes: 0 };
  const { timeLimitMs = defaultTimeLimitMs } = request;
  const startedAt = performance.now();
  const { user, system } = process.threadCpuUsage();
  // Processor time is limited, so that a busy machine makes an answer late, not incomplete.
  const isLate = () => {
    const used = process.threadCpuUsage();
    const workedMs = (used.user - user + used.system - system) / 1000;
    return workedMs > timeLimitMs || performance.now() - startedAt > maxWaitMs;
  };
  return search.snapshot(async (db) => {
    const { ownerId, limit, filter } = request;
    const { index, freshNotes } = await openOwnerIndex(db, ownerId, search.where, cache);
    const only = await entriesOf(index, filter.speaker, await entriesWithin(db, ownerId, filter));
    const isIndexing = await anyPending(db);
    const options = { limit, only, isLate, asWritten: isIndexing };
    const { hits, total, complete, ...queryTerms } = await rank(index, query, options);
    const seqs = await seqsOf(
      db,
      hits.map(({ entry }) => entry),
    );
    const found = hits.flatMap(({ entry, score }) => {
      const seq = seqs.get(entry);
      return seq === undefined ? [] : [{ seq, rank: score }];
    });
    const marked = request.highlights ? await highlighted(db, found, queryTerms, isLate) : found;
    // Entries of an older analyser may not say who speaks.
    const isMissing = isIndexing && (filter.speaker !== undefined || (await anyNotIndexed(db, ownerId)));
    return { hits: marked, total, complete: complete && !isMissing, freshNotes };
  });
}

/** The names of those who speak in the owner's notes, in order. */
export const findSpeakers = (
  search: SearchDatabase,
  cache: IndexCache,
  ownerId: string,
  limit: number,
): Promise<string[]> =>
  search.snapshot(async (db) => {
    const { index } = await openOwnerIndex(db, ownerId, search.where, cache);
    const speaking = [...(await speakerPostings(index))].filter(([, postings]) =>
      index.segments.some(({ dead }, at) => countLive(postings[at], dead) > 0),
    );
    const names = speaking.map(([term]) => speakerOf(term));
    return names.sort((one, other) => one.localeCompare(other, 'en')).slice(0, limit);
  });

async function speakerPostings(index: OwnerIndex, isWanted = (_name: string) => true) {
  const terms = await index.beginningWith(speakerMarker, maxSpeakersPerSegment);
  return index.postings([...new Set(terms)].filter((term) => isWanted(speakerOf(term))));
}

/** The entries in which a speaker has this name. */
async function entriesOf(
  index: OwnerIndex,
  speaker: string | undefined,
  within: ReadonlySet<number> | undefined,
): Promise<ReadonlySet<number> | undefined> {
  if (speaker === undefined) return within;
  const wanted = fold(speaker.normalize('NFKC').replace(/\s+/g, ' ').trim());
  const entries = new Set<number>();
  for (const postings of (await speakerPostings(index, (name) => fold(name) === wanted)).values())
    for (const [at, { entries: inSegment }] of index.segments.entries())
      for (const place of postings[at]?.places ?? []) entries.add(inSegment[place] ?? 0);
  return within ? new Set([...entries].filter((entry) => within.has(entry))) : entries;
}

async function entriesWithin(
  db: Db,
  ownerId: string,
  filter: SearchFilter,
): Promise<Set<number> | undefined> {
  const { folderId, tagId, noteType, since, until, voice } = filter;
  if ([folderId, tagId, noteType, since, until, voice].every((value) => value === undefined))
    return undefined;
  let notes = db
    .selectFrom('notes')
    .innerJoin('search_entries', 'search_entries.seq', 'notes.seq')
    .select('entry')
    .where('notes.owner_id', '=', ownerId)
    .where('deleted_at', 'is', null);
  if (folderId !== undefined) notes = notes.where('folder_id', '=', folderId);
  if (tagId !== undefined)
    notes = notes.where('notes.seq', 'in', ({ selectFrom }) =>
      selectFrom('note_tags').select('note_seq').where('tag_id', '=', tagId),
    );
  if (noteType !== undefined) notes = notes.where('note_type', '=', noteType);
  if (since !== undefined) notes = notes.where('created_at', '>=', since);
  if (until !== undefined) notes = notes.where('created_at', '<', until);
  if (voice !== undefined) notes = notes.where('transcript', voice ? 'is not' : 'is', null);
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
  queryTerms: QueryTerms,
  isLate: () => boolean,
) {
  const marked: Found['hits'] = [];
  for (const hit of hits) {
    const note = await db
      .selectFrom('notes')
      .select(['title', 'content', 'enhanced_content', 'transcript'])
      .where('seq', '=', hit.seq)
      .executeTakeFirst();
    marked.push({ ...hit, highlights: note && !isLate() ? highlightNote(note, queryTerms, isLate) : [] });
  }
  return marked;
}

/** Whether any note is pending, for the first time or again. Nearly always none is. */
const anyPending = async (db: Db) =>
  (await db.selectFrom('search_pending').select('seq').limit(1).executeTakeFirst()) !== undefined;

/** Whether a note of the owner is pending and has no older entry that can be found meanwhile. */
async function anyNotIndexed(db: Db, ownerId: string): Promise<boolean> {
  const pending = await db
    .selectFrom('search_pending')
    .innerJoin('notes', 'notes.seq', 'search_pending.seq')
    .leftJoin('search_entries', 'search_entries.seq', 'search_pending.seq')
    .select('search_pending.seq')
    .where('notes.owner_id', '=', ownerId)
    .where('notes.deleted_at', 'is', null)
    .where('search_entries.entry', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return pending !== undefined;
}
