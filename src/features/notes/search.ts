import { z } from 'zod';
import {
  type FoundNotes,
  foundNote,
  maxQueryLength,
  maxSpeakersListed,
  maxTotal,
  noteTypes,
  type SearchFilter,
} from '../../domain/note.ts';
import { maxSpeakerLength } from '../../domain/transcription.ts';
import { Answered } from '../../kernel/context.ts';
import { query, wholeList } from '../../kernel/operation.ts';
import { idInput, instant, label, spaceId } from '../../kernel/schemas.ts';
import type { Database, Db } from '../../platform/database/database.ts';
import { ownsFolder } from '../../platform/database/owners.ts';
import { isOf as isTagOf } from '../tags/queries.ts';
import { unknownTag } from '../tags/tagging.ts';
import { ownerOf } from '../workspaces/access.ts';
import { readNotes } from './access.ts';
import { unknownFolder } from './change.ts';
import { noteColumns, noteRows } from './queries.ts';

export const searchNotes = query({
  http: 'POST /api/v1/notes/search',
  tool: 'search_notes',
  access: readNotes,
  cost: 5,
  summary: 'Search notes by words and "quoted phrases", the best first',
  description:
    'Any word may match; rare words count more, and words in the title. The last word may be unfinished, and a word that no note has may be mistyped. Every phrase in quotes must be in the note. Filters, `highlights`, `total`, `more` and `complete` are extensions of this server.',
  body: z.object({
    query: z.string().min(1).max(maxQueryLength),
    limit: z.int().min(1).max(50).default(20),
    space_id: spaceId,
    folder_id: idInput.optional(),
    tag_id: idInput.optional(),
    note_type: z.enum(noteTypes).optional(),
    since: instant.optional().describe('Notes created at this time or later.'),
    until: instant.optional().describe('Notes created before this time.'),
    voice: z
      .boolean()
      .optional()
      .describe('true: notes with a transcript; false: notes without one, which were only written.'),
    speaker: label(maxSpeakerLength)
      .optional()
      .describe('Notes in whose transcript somebody of this name speaks. Case does not matter.'),
    highlights: z.boolean().default(false).describe('Adds excerpts with the words found.'),
  }),
  answer: z.array(foundNote.meta({ id: 'FoundNote' })),
  beside: {
    total: z.int().max(maxTotal).describe('How many notes match; more than the limit gives.'),
    more: z.boolean().describe('There are even more than `total`.'),
    complete: z
      .boolean()
      .describe(
        'False when the time was up, or when notes are still being indexed: there may be better ones.',
      ),
  },
  errors: ['not_found'],
  async run(context, { body }) {
    const { db, database, signal } = context;
    const { space_id, folder_id: folderId, tag_id: tagId, note_type: noteType, ...rest } = body;
    const { since, until, voice, speaker } = rest;
    const { ownerId } = await ownerOf(context, space_id);
    if (folderId !== undefined && !(await ownsFolder(db, ownerId, folderId))) throw unknownFolder();
    if (tagId !== undefined && !(await isTagOf(db, ownerId, tagId)))
      throw unknownTag('tag_id must be the id of one of your tags.');
    const filter = { folderId, tagId, noteType, since, until, voice, speaker };
    const { data, ...beside } = await findNotes(database, ownerId, { ...body, filter }, signal);
    return new Answered(data, { beside });
  },
});

export const listSpeakers = wholeList({
  http: 'GET /api/v1/notes/speakers',
  access: readNotes,
  summary: 'List who speaks in the transcripts of notes',
  description: `An extension of this server: up to ${maxSpeakersListed} names, for the filter \`speaker\` of a search.`,
  query: z.object({ space_id: spaceId }),
  items: z.string(),
  errors: ['not_found'],
  async run(context, { query }) {
    const { ownerId } = await ownerOf(context, query.space_id);
    return context.database.search.speakers(ownerId, maxSpeakersListed, context.signal);
  },
});

interface Wanted {
  query: string;
  limit: number;
  filter?: SearchFilter;
  highlights?: boolean;
}

/**
 * The owner's notes that match, the best first. A query without a word finds none. Raises `service_unavailable` when too many
 * searches wait, and the reason of the signal: a search whose client has left is dropped.
 */
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
