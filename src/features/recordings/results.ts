import type { AppError } from '../../domain/errors.ts';
import type { StoredNote } from '../../domain/note.ts';
import type { ChunkText } from '../../domain/recording.ts';
import type { Writing } from '../../domain/revision.ts';
import type { Transcription } from '../../domain/transcription.ts';
import { JobLost } from '../../lib/runner.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { ownsFolder } from '../../platform/database/owners.ts';
import { logChange } from '../changes/queries.ts';
import { queueChosenActions } from '../language/jobs.ts';
import { noteRows } from '../notes/queries.ts';
import { followTranscriptions, maySpeakInto } from '../notes/spoken.ts';
import { isShared } from '../spaces/queries.ts';
import { toRow as transcriptionRow } from '../transcriptions/queries.ts';
import { toWaveform } from './queries.ts';
import type { Within } from './storage.ts';

// What a job stores while it runs, and how it ends. Only the server that has the job can write.

export const inWorkStates = ['uploading', 'queued', 'transcribing'] as const;
/** Later than any time: until the upload is complete. */
const whenComplete = '9999';

const partsOf = (db: Db, id: string) =>
  db.selectFrom('recording_stretches').where('recording_id', '=', id).orderBy('position');

/** The row of a job that this server still has. */
const own = ({ database, tx }: Within, id: string) =>
  tx
    .updateTable('recordings')
    .where('id', '=', id)
    .where('state', 'in', inWorkStates)
    .where('worker', '=', database.processId);

/** Which chunks were transcribed already, and the first language that one of them had. */
export async function transcribedSoFar(db: Db, id: string) {
  const parts = await partsOf(db, id).select(['position', 'language']).execute();
  return {
    positions: new Set(parts.map(({ position }) => position)),
    language: parts.find((part) => part.language !== null)?.language ?? null,
  };
}

/** The engine's details of each chunk, in order. */
export async function details(db: Db, id: string): Promise<string[]> {
  const parts = await partsOf(db, id).select('detail').execute();
  return parts.map(({ detail }) => detail ?? '');
}

/** How many people speak, as it was said last: it may be said while somebody speaks. */
export async function speakers(db: Db, id: string): Promise<number | undefined> {
  const found = db.selectFrom('recordings').select('speakers').where('id', '=', id);
  return (await found.executeTakeFirst())?.speakers ?? undefined;
}

export interface TranscribedChunk extends ChunkText {
  detail: string;
  language: string | null;
}

/** Raises JobLost if the recording was deleted, or another server has taken it over. */
export async function keep(
  within: Within,
  id: string,
  part: TranscribedChunk,
  progress: number,
  now: string,
): Promise<void> {
  const result = await own(within, id).set({ progress, faults: 0, updated_at: now }).executeTakeFirst();
  if (result.numUpdatedRows === 0n) throw new JobLost();
  await within.tx
    .insertInto('recording_stretches')
    .values({ ...part, recording_id: id })
    .execute();
}

interface Result {
  transcription: Transcription;
  note: StoredNote | null;
  /** The note that it goes into, if it is still there for this user; otherwise `note` is made. */
  into: { noteId: string; writing: Writing } | null;
  peaks: Uint8Array;
  /** What it is called, and its note, unless a person has named it. */
  name: string;
  durationMs: number;
  /** Whether the operator allows audio to be kept, if its owner wants that. */
  mayKeepAudio: boolean;
  /** Whether there is a language model, for what the user chose to have written. */
  isLanguageOn: boolean;
}

/**
 * Ends the job: stores the transcription, the note, and the minutes in the ledger. Returns whether the text of the note is analysed
 * after the transaction. Raises JobLost; then nothing is stored or charged.
 */
export async function settle(
  within: Within,
  id: string,
  { transcription: said, note: made, into, name, durationMs, peaks, mayKeepAudio, isLanguageOn }: Result,
  now: string,
): Promise<{ isLarge: boolean }> {
  const { database, tx } = within;
  let isLarge = false;
  const result = await own(within, id)
    .set({
      state: 'done',
      progress: 1,
      duration_ms: durationMs,
      waveform: toWaveform(peaks),
      holder: '',
      worker: '',
      updated_at: now,
    })
    .where('state', '!=', 'uploading')
    .returning(['name', 'is_named'])
    .executeTakeFirst();
  if (!result) throw new JobLost();
  // A person may have named it meanwhile.
  const title = result.is_named === 1 ? result.name : name;
  const isInto = into !== null && (await maySpeakInto(tx, said.user_id, into.noteId));
  const note = isInto ? null : made;
  const note_id = isInto ? into.noteId : (made?.id ?? null);
  const transcription = { ...said, note_id };
  if (note) {
    const row = { ...note, title, ...(await placeNow(tx, note)) };
    const text = database.search.analyse(row);
    isLarge = text === null;
    await database.insertNote(tx, { row: noteRows.toRow(row), text });
  }
  await tx.insertInto('transcriptions').values(transcriptionRow(transcription)).execute();
  await tx
    .updateTable('recordings')
    .set({ transcription_id: transcription.id, note_id, name: title })
    .where('id', '=', id)
    .execute();
  if (isInto) isLarge = await followTranscriptions(database, tx, into.noteId, into.writing, now);
  if (isLanguageOn && note_id !== null && said.text.trim() !== '') {
    const isTyped = result.is_named === 1 && !isInto;
    await queueActions(tx, { userId: said.user_id, noteId: note_id, isInto, isTyped }, now);
  }
  // A trigger marks the audio for removal.
  await tx
    .updateTable('recordings')
    .set({ has_audio: 0, waveform: null })
    .where('id', '=', id)
    .$if(mayKeepAudio, (update) => update.where('keep_audio', '=', 0))
    .execute();
  await tx
    .insertInto('usage_ledger')
    .values({
      transcription_id: transcription.id,
      user_id: transcription.user_id,
      counted_at: now,
      words: transcription.word_count,
      audio_ms: 0,
      recording_ms: durationMs,
    })
    .execute();
  await tx.updateTable('recording_stretches').set({ detail: null }).where('recording_id', '=', id).execute();
  await logChange(tx, transcription.user_id, { type: 'recording', action: 'done', id, at: now });
  return { isLarge };
}

export async function fail(
  within: Within,
  id: string,
  { code, message }: Pick<AppError, 'code' | 'message'>,
  now: string,
): Promise<void> {
  const failed = await own(within, id)
    .where('state', '!=', 'uploading')
    .set({ state: 'failed', error: message, error_code: code, holder: '', worker: '', updated_at: now })
    .returning('user_id')
    .executeTakeFirst();
  if (failed)
    await logChange(within.tx, failed.user_id, { type: 'recording', action: 'failed', id, at: now });
  // A live upload is tried again when it is complete, and the client is told then.
  else await own(within, id).set({ worker: '', not_before: whenComplete }).execute();
}

/** Back into the queue. */
export async function release(
  within: Within,
  id: string,
  { notBefore, ...faults }: { notBefore: string; faults?: number },
  now: string,
): Promise<void> {
  const free = { worker: '', not_before: notBefore, ...faults };
  // Of an upload, `updated_at` is the time of its last byte.
  await own(within, id).where('state', '=', 'uploading').set(free).execute();
  await own(within, id)
    .set({ ...free, state: 'queued', holder: '', updated_at: now })
    .execute();
}

/** What its person wants written about the note. A title that a person typed stays. */
async function queueActions(
  tx: Tx,
  { userId, noteId, isInto, isTyped }: { userId: string; noteId: string; isInto: boolean; isTyped: boolean },
  now: string,
): Promise<void> {
  const note = await tx
    .selectFrom('notes')
    .select(['title', 'folder_id'])
    .where('id', '=', noteId)
    .executeTakeFirstOrThrow();
  const hasTitle = note.title !== null && note.title.trim() !== '';
  // In a note that was there before, a person chose the title that it has.
  const givenTitle = isTyped || (isInto && hasTitle) ? undefined : note.title;
  await queueChosenActions(tx, { userId, noteId, folderId: note.folder_id, givenTitle }, now);
}

/** The space and folder that were chosen for the note, as far as they still exist and the person who recorded it may still use them. */
async function placeNow(
  tx: Tx,
  { user_id, space_id, folder_id }: StoredNote,
): Promise<Pick<StoredNote, 'owner_id' | 'space_id' | 'folder_id'>> {
  const isReached = space_id !== null && (await isShared(tx, user_id, space_id));
  const owner_id = isReached ? space_id : user_id;
  const isKept = folder_id !== null && (await ownsFolder(tx, owner_id, folder_id));
  return { owner_id, space_id: isReached ? space_id : null, folder_id: isKept ? folder_id : null };
}
