import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { OwnerFilter } from '../../domain/owner.ts';
import type { PageQuery } from '../../domain/page.ts';
import type { Writing } from '../../domain/revision.ts';
import type { Said, Sized } from '../../domain/said.ts';
import { type Segment, textOf } from '../../domain/transcript.ts';
import {
  countWords,
  type ListedTranscription,
  type Transcription,
  transcription,
} from '../../domain/transcription.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { recordedFor } from '../../platform/database/owners.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { says } from '../../platform/database/says.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { followTranscriptions } from '../notes/spoken.ts';

/** Two lines of a list. */
const beginningLength = 300;
const rows = rowsOf(transcription.omit({ status: true }));
const listedColumns = rows.columns.filter((column) => column !== 'segments');

export const toRow = ({ status: _, ...record }: Transcription) => rows.toRow(record);

interface Filter extends PageQuery {
  noteId?: string | undefined;
  /** In lower case. `en` also finds `en-US`. */
  language?: string | undefined;
  /** Made at this time or later. */
  since?: string | undefined;
  /** Made before this time. */
  until?: string | undefined;
  oldestFirst?: boolean | undefined;
  /** Leaves out the transcriptions of recordings. */
  withoutRecorded?: boolean | undefined;
}

export async function find(db: Db, reader: OwnerFilter, id: string): Promise<Transcription | undefined> {
  const row = await db
    .selectFrom('transcriptions')
    .select(rows.columns)
    .where('id', '=', id)
    .where(recordedFor(reader))
    .executeTakeFirst();
  return row && { ...rows.fromRow(row), status: 'completed' };
}

export async function page(
  db: Db,
  reader: OwnerFilter,
  { withSegments, said, ...filter }: Filter & { withSegments: boolean; said?: Said | undefined },
): Promise<ListedTranscription[]> {
  if (said?.among.length === 0) return [];
  let query = listed(db, reader, filter)
    .select(listedColumns)
    .$if(withSegments, (select) => select.select('segments'));
  if (said) query = query.where('id', 'in', said.among).where(says(sql.ref('text'), said.words));
  const found = await inOrder(query, filter).execute();
  return found.map((row) => ({ ...rows.fromRow(row), status: 'completed' }));
}

/** What `page` would give, without the words. */
export const sizes = (db: Db, reader: OwnerFilter, filter: Filter): Promise<Sized[]> =>
  inOrder(listed(db, reader, filter).select(['id', 'created_at', 'word_count']), filter).execute();

/** How many words each has, and how it begins. For callers that may read them. */
export const beginnings = async (db: Db, ids: readonly string[]) =>
  ids.length === 0
    ? []
    : db
        .selectFrom('transcriptions')
        .select(['id', 'word_count', sql<string>`substr(text, 1, ${beginningLength})`.as('beginning')])
        .where('id', 'in', ids)
        .execute();

/** Also changes its note, if `note` reaches it. `isLarge`: the text of the note is analysed after the transaction. */
export async function changeSegments(
  { tx, database }: { tx: Tx; database: Database },
  found: Authorized<Transcription>,
  segments: Segment[],
  now: string,
  note?: Writing & { reach: OwnerFilter },
): Promise<{ record: Transcription; isLarge: boolean }> {
  const text = textOf(segments);
  const isSame = text === textOf(found.segments ?? []);
  const changes = isSame ? { segments } : { segments, text, word_count: countWords(text) };
  await tx.updateTable('transcriptions').set(rows.toRow(changes)).where('id', '=', found.id).execute();
  const isLarge =
    note !== undefined &&
    found.note_id !== null &&
    (await followTranscriptions(database, tx, found.note_id, note, now));
  return { record: { ...found, ...changes }, isLarge };
}

export const remove = (tx: Tx, { id }: Authorized<Transcription>) =>
  tx.deleteFrom('transcriptions').where('id', '=', id).execute();

function listed(
  db: Db,
  reader: OwnerFilter,
  { noteId, language, since, until, withoutRecorded }: Omit<Filter, 'limit'>,
) {
  let query = db.selectFrom('transcriptions').where(recordedFor(reader));
  if (noteId !== undefined) query = query.where('note_id', '=', noteId);
  if (language !== undefined)
    query = query.where(
      sql<SqlBool>`(lower(language) = ${language} or substr(lower(language), 1, ${language.length + 1}) = ${`${language}-`})`,
    );
  if (since !== undefined) query = query.where('created_at', '>=', since);
  if (until !== undefined) query = query.where('created_at', '<', until);
  if (withoutRecorded)
    query = query.where(
      sql<SqlBool>`not exists (select 1 from recordings where recordings.transcription_id = transcriptions.id)`,
    );
  return query;
}

const inOrder = <Tables, From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  filter: Filter,
) => newestFirst(query, filter, 'created_at', filter.oldestFirst ? 'asc' : 'desc');
