import { type FoundNotes, maxTotal, type SearchFilter } from '../../domain/note.ts';
import type { Context } from '../../kernel/context.ts';
import type { Database, Db } from '../../store/database.ts';
import * as folders from '../folders/queries.ts';
import { ownerOf } from '../workspaces/access.ts';
import { unknownFolder } from './change.ts';
import { noteColumns, noteRows } from './queries.ts';

export interface SearchOptions {
  query: string;
  limit: number;
  highlights: boolean;
  space_id?: string | undefined;
  folder_id?: string | undefined;
  note_type?: SearchFilter['noteType'];
  since?: string | undefined;
  until?: string | undefined;
  voice?: boolean | undefined;
  speaker?: string | undefined;
}

/**
 * The best match first. A query without a word finds nothing. Raises `validation_error` for a folder that is not the owner's,
 * `service_unavailable` when too many searches wait, and the reason of the signal: a search whose client has left is dropped.
 */
export async function searchNotes(context: Context, options: SearchOptions, signal?: AbortSignal) {
  const { ownerId } = await ownerOf(context, options.space_id);
  const { query, limit, highlights, folder_id: folderId, note_type: noteType, ...others } = options;
  const { since, until, voice, speaker } = others;
  const mine = folderId === undefined ? [] : await folders.list(context.db, ownerId);
  if (folderId !== undefined && !mine.some(({ id }) => id === folderId)) throw unknownFolder();
  const filter = { folderId, noteType, since, until, voice, speaker };
  return findNotes(context.database, ownerId, { query, limit, filter, highlights }, signal);
}

interface Wanted {
  query: string;
  limit: number;
  filter?: SearchFilter;
  highlights?: boolean;
}

/** The owner's notes that match, with their scores. */
export async function findNotes(
  { db, search }: Database,
  ownerId: string,
  { query, limit, filter = {}, highlights = false }: Wanted,
  signal?: AbortSignal,
): Promise<FoundNotes> {
  const request = { ownerId, query, limit, filter, highlights };
  const { hits, total, complete } = await search.find(request, signal);
  const counts = { total: Math.min(total, maxTotal), more: total > maxTotal, complete };
  if (hits.length === 0) return { data: [], ...counts };
  const notes = await notesAt(
    db,
    ownerId,
    hits.map(({ seq }) => seq),
  );
  const best = hits[0]?.rank ?? 1;
  const data = hits.flatMap(({ seq, rank, highlights }) => {
    const note = notes.get(seq);
    return note ? [{ ...note, score: rank / best, ...(highlights && { highlights }) }] : [];
  });
  return { data, ...counts };
}

/** Does not name the owner in the query: without statistics PostgreSQL would then read all their notes (87 ms for 100,000). */
async function notesAt(db: Db, ownerId: string, seqs: readonly number[]) {
  const rows = await db
    .selectFrom('notes')
    .select(['seq', 'owner_id', 'deleted_at', ...noteColumns])
    .where('seq', 'in', seqs)
    .execute();
  return new Map(
    rows
      .filter((row) => row.owner_id === ownerId && row.deleted_at === null)
      .map(({ seq, owner_id, deleted_at, ...row }) => [seq, noteRows.fromRow(row)]),
  );
}
