import type { NoteWithTranscript } from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import { listedRevision, type RevisionLimits, revision } from '../domain/revision.ts';
import type { RevisionStore } from '../ports/note-store.ts';
import type { Database, Db } from './database.ts';
import { reachableBy } from './owners.ts';
import { rowsOf } from './schema.ts';

const listed = rowsOf(listedRevision).columns;
const whole = rowsOf(revision);

export function createRevisionStore(database: Database): RevisionStore {
  const { db } = database;

  return {
    async list(filter, noteId, notBefore) {
      const note = await livingNote(db, filter, noteId).executeTakeFirst();
      if (!note) return undefined;
      return keptOf(db, noteId, notBefore)
        .select(listed)
        .orderBy('kept_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
    },

    async get(filter, noteId, id, notBefore) {
      const row = await keptOf(db, noteId, notBefore)
        .select(whole.columns)
        .where('id', '=', id)
        .where('note_id', 'in', livingNote(db, filter, noteId))
        .executeTakeFirst();
      return row && whole.fromRow(row);
    },

    async removeOlder(than) {
      await database.write((trx) => trx.deleteFrom('note_revisions').where('kept_at', '<', than).execute());
    },
  };
}

const livingNote = (db: Db, filter: OwnerFilter, id: string) =>
  db
    .selectFrom('notes')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(reachableBy(filter));

const keptOf = (db: Db, noteId: string, notBefore: string) =>
  db.selectFrom('note_revisions').where('note_id', '=', noteId).where('kept_at', '>=', notBefore);

/** Inside a write that replaces the text: keeps the old one, and drops revisions beyond the limit. */
export async function keepRevision(
  trx: Db,
  {
    id: note_id,
    title,
    content,
    content_is_transcript,
    enhanced_content,
    edited_by,
    edited_with,
    edited_at,
    updated_at,
  }: NoteWithTranscript,
  { id, max, notBefore }: RevisionLimits,
  kept_at: string,
): Promise<void> {
  const kept = await trx
    .selectFrom('note_revisions')
    .select(['id', 'kept_at'])
    .where('note_id', '=', note_id)
    .orderBy('kept_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const surplus = kept.filter(({ kept_at }, place) => place >= max - 1 || kept_at < notBefore);
  for (const { id } of surplus) await trx.deleteFrom('note_revisions').where('id', '=', id).execute();
  if (max === 0) return;
  await trx
    .insertInto('note_revisions')
    .values({
      id,
      note_id,
      title,
      content,
      content_is_transcript: Number(content_is_transcript),
      enhanced_content,
      edited_by,
      edited_with,
      saved_at: edited_at ?? updated_at,
      kept_at,
    })
    .execute();
}
