import type { StoredNote } from '../../domain/note.ts';
import { type Recording, recording } from '../../domain/recording.ts';
import type { Transcription } from '../../domain/transcription.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { noteRows } from '../notes/queries.ts';
import { toRow as transcriptionRow } from '../transcriptions/queries.ts';
import type { FirstSteps } from './schema.ts';

const { toRow } = rowsOf(recording);

/** A voice note that the server makes. */
export interface Sample {
  recording: Recording;
  /** Base64, as recordings store it. */
  waveform: string;
  transcription: Transcription;
  note: StoredNote;
}

export const stateOf = async (db: Db, userId: string) =>
  (await db.selectFrom('users').select('first_steps').where('id', '=', userId).executeTakeFirst())
    ?.first_steps;

export const setState = (tx: Tx, userId: string, first_steps: 'shown' | 'over') =>
  tx.updateTable('users').set({ first_steps }).where('id', '=', userId).execute();

const notesOf = (db: Db, userId: string) =>
  db.selectFrom('notes').select('id').where('owner_id', '=', userId);
const recordingsOf = (db: Db, userId: string) =>
  db.selectFrom('recordings').select('note_id').where('user_id', '=', userId);

/** Whether they have a note or a recording. */
export async function hasSome(db: Db, userId: string): Promise<boolean> {
  const known = [notesOf(db, userId), recordingsOf(db, userId)];
  for (const query of known) if (await query.executeTakeFirst()) return true;
  return false;
}

/** What they have done so far. */
export async function done(db: Db, userId: string): Promise<Omit<FirstSteps, 'shown'>> {
  const recorded = await recordingsOf(db, userId).where('is_sample', '=', 0).executeTakeFirst();
  // The sample has no author until a person writes in it.
  const wrote = await notesOf(db, userId)
    .where('edited_by', 'is not', null)
    .where('content_is_transcript', '=', 0)
    .executeTakeFirst();
  const connected = await db
    .selectFrom('api_keys')
    .select('id')
    .where('user_id', '=', userId)
    .where('last_used_at', 'is not', null)
    .executeTakeFirst();
  const sample = await recordingsOf(db, userId)
    .where('is_sample', '=', 1)
    .where('note_id', 'in', notesOf(db, userId).where('deleted_at', 'is', null))
    .executeTakeFirst();
  return {
    recorded: recorded !== undefined,
    wrote: wrote !== undefined,
    connected: connected !== undefined,
    sample_id: sample?.note_id ?? null,
  };
}

export async function insertSample(
  database: Database,
  tx: Tx,
  { recording, waveform, transcription, note }: Sample,
): Promise<void> {
  await database.insertNote(tx, { row: noteRows.toRow(note), text: database.search.analyse(note) });
  await tx.insertInto('transcriptions').values(transcriptionRow(transcription)).execute();
  await tx
    .insertInto('recordings')
    .values({
      ...toRow(recording),
      waveform,
      is_sample: 1,
      speakers: null,
      wants_note: 1,
      note_space_id: null,
      note_folder_id: null,
      holder: '',
      not_before: recording.created_at,
      faults: 0,
    })
    .execute();
}
