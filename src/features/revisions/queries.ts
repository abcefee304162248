import type { NoteWithTranscript } from '../../domain/note.ts';
import { listedRevision, type RevisionLimits, revision } from '../../domain/revision.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { rowsOf } from '../../platform/database/schema.ts';

const listed = rowsOf(listedRevision).columns;
const whole = rowsOf(revision);

const keptOf = (db: Db, { id }: { id: string }, notBefore: string) =>
  db.selectFrom('note_revisions').where('note_id', '=', id).where('kept_at', '>=', notBefore);

/** Without the texts, the last replaced first. */
export const list = (db: Db, note: Authorized<{ id: string }>, notBefore: string) =>
  keptOf(db, note, notBefore).select(listed).orderBy('kept_at', 'desc').orderBy('id', 'desc').execute();

export const find = (db: Db, note: Authorized<{ id: string }>, id: string, notBefore: string) =>
  whole.first(keptOf(db, note, notBefore).select(whole.columns).where('id', '=', id));

export const removeOlder = (tx: Tx, than: string) =>
  tx.deleteFrom('note_revisions').where('kept_at', '<', than).execute();

/** Inside the write that replaces a text: keeps the old one, and drops revisions beyond the limit. */
export async function keepRevision(
  tx: Db,
  note: Omit<NoteWithTranscript, 'transcript'>,
  { id, max, notBefore }: RevisionLimits,
  kept_at: string,
): Promise<void> {
  const kept = await tx
    .selectFrom('note_revisions')
    .select(['id', 'kept_at'])
    .where('note_id', '=', note.id)
    .orderBy('kept_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const surplus = kept.filter(({ kept_at }, place) => place >= max - 1 || kept_at < notBefore);
  for (const { id } of surplus) await tx.deleteFrom('note_revisions').where('id', '=', id).execute();
  if (max === 0) return;
  const { title, content, content_is_transcript, enhanced_content, edited_by, edited_with } = note;
  const texts = { title, content, content_is_transcript: Number(content_is_transcript), enhanced_content };
  const saved_at = note.edited_at ?? note.updated_at;
  await tx
    .insertInto('note_revisions')
    .values({ id, note_id: note.id, ...texts, edited_by, edited_with, saved_at, kept_at })
    .execute();
}
