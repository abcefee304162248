import { sql } from 'kysely';
import type { ImportedTranscription } from '../../domain/imported.ts';
import { type Recording, recording } from '../../domain/recording.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { rowsOf } from '../../platform/database/schema.ts';

const { toRow: recordingToRow } = rowsOf(recording);

export type ImportedKind =
  | 'folders'
  | 'notes'
  | 'transcriptions'
  | 'recordings'
  | 'dictionary_words'
  | 'snippets';

/** Folders, words and triggers need none: they are the same by their name. */
export type Twin =
  | { kind: 'notes'; created_at: string; client_note_id: string }
  | { kind: 'transcriptions'; created_at: string; text: string }
  | { kind: 'recordings'; created_at: string; name: string; bytes: number };

/** Undefined if there is no such row. Notes in the trash count. */
export async function ownerOf(db: Db, kind: ImportedKind, id: string): Promise<string | undefined> {
  if (kind === 'notes' || kind === 'folders') {
    const row = await db.selectFrom(kind).select('owner_id').where('id', '=', id).executeTakeFirst();
    return row?.owner_id;
  }
  const row = await db.selectFrom(kind).select('user_id').where('id', '=', id).executeTakeFirst();
  return row?.user_id;
}

/**
 * The id of a record of this user that was made in the same millisecond and is the same by what it says: it was exported here
 * and comes back from another server, where it has another id. Notes in the trash do not count.
 */
export async function twinOf(
  db: Db,
  userId: string,
  { kind, created_at, ...same }: Twin,
): Promise<string | undefined> {
  const owner = kind === 'notes' ? 'owner_id' : 'user_id';
  let twins = db
    .selectFrom(kind)
    .select('id')
    .where(sql.ref(owner), '=', userId)
    .where('created_at', '=', created_at);
  for (const [column, value] of Object.entries(same)) twins = twins.where(sql.ref(column), '=', value);
  // As the index of the lists says.
  if (kind === 'notes') twins = twins.where(sql`deleted_at`, 'is', null);
  return (await twins.executeTakeFirst())?.id;
}

/** Costs no minutes. */
export const insertTranscription = (tx: Tx, { status: _, ...row }: ImportedTranscription) =>
  tx.insertInto('transcriptions').values(row).execute();

/** Completes a recording that was begun like an upload. False if it is gone. */
export async function finishRecording(tx: Tx, { id, ...finished }: Recording): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recordings')
    .set({ ...recordingToRow(finished), holder: '' })
    .where('id', '=', id)
    .where('state', '=', 'uploading')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
