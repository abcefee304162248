import type { StoredNote } from '../../../domain/note.ts';
import type { Database, Db } from '../../../platform/database/database.ts';
import { ownsFolder } from '../../../platform/database/owners.ts';
import { logChange } from '../../changes/queries.ts';
import { queueChosenActions } from '../../language/jobs.ts';
import { settle as indexLater, noteRows } from '../../notes/queries.ts';
import { followTranscriptions, maySpeakInto } from '../../notes/spoken.ts';
import { isShared } from '../../spaces/queries.ts';
import { toRow as transcriptionRow } from '../../transcriptions/queries.ts';
import { toWaveform } from './recordings.ts';
import type { RecordingQueue } from './types.ts';

export const inWorkStates = ['uploading', 'queued', 'transcribing'] as const;
/** Later than any time: until the upload is complete. */
const whenComplete = '9999';

type JobStore = Pick<RecordingQueue, 'transcribedSoFar' | 'details' | 'keep' | 'settle' | 'fail' | 'release'>;

/** What a job stores while it runs, and how it ends. Only the server that has the job can write. */
export function createJobStore(database: Database): JobStore {
  const partsOf = (id: string) =>
    database.db.selectFrom('recording_stretches').where('recording_id', '=', id).orderBy('position');

  /** The row of a job that this server still has. */
  const own = (trx: Db, id: string) =>
    trx
      .updateTable('recordings')
      .where('id', '=', id)
      .where('state', 'in', inWorkStates)
      .where('worker', '=', database.processId);

  return {
    async transcribedSoFar(id) {
      const parts = await partsOf(id).select(['position', 'language']).execute();
      return {
        positions: new Set(parts.map(({ position }) => position)),
        language: parts.find((part) => part.language !== null)?.language ?? null,
      };
    },

    async details(id) {
      const parts = await partsOf(id).select('detail').execute();
      return parts.map(({ detail }) => detail ?? '');
    },

    keep(id, part, progress, now) {
      return database.write(async (trx) => {
        const result = await own(trx, id).set({ progress, faults: 0, updated_at: now }).executeTakeFirst();
        if (result.numUpdatedRows === 0n) return false;
        await trx
          .insertInto('recording_stretches')
          .values({ ...part, recording_id: id })
          .execute();
        return true;
      });
    },

    async settle(
      id,
      { transcription: said, note: made, into, name, durationMs, peaks, mayKeepAudio, isLanguageOn },
      now,
    ) {
      let isLarge = false;
      const isOwn = await database.write(async (trx) => {
        const result = await own(trx, id)
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
        if (!result) return false;
        // Somebody may have named it meanwhile.
        const title = result.is_named === 1 ? result.name : name;
        const isInto = into !== null && (await maySpeakInto(trx, said.user_id, into.noteId));
        const note = isInto ? null : made;
        const note_id = isInto ? into.noteId : (made?.id ?? null);
        const transcription = { ...said, note_id };
        if (note) {
          const row = { ...note, title, ...(await placeNow(trx, note)) };
          const text = database.search.analyse(row);
          isLarge = text === null;
          await database.insertNote(trx, { row: noteRows.toRow(row), text });
        }
        await trx.insertInto('transcriptions').values(transcriptionRow(transcription)).execute();
        await trx
          .updateTable('recordings')
          .set({ transcription_id: transcription.id, note_id, name: title })
          .where('id', '=', id)
          .execute();
        if (isInto) isLarge = await followTranscriptions(database, trx, into.noteId, into.writing, now);
        if (isLanguageOn && note_id !== null && said.text.trim() !== '') {
          const isTyped = result.is_named === 1 && !isInto;
          await queueActions(trx, { userId: said.user_id, noteId: note_id, isInto, isTyped }, now);
        }
        // A trigger marks the audio for removal.
        await trx
          .updateTable('recordings')
          .set({ has_audio: 0, waveform: null })
          .where('id', '=', id)
          .$if(mayKeepAudio, (update) => update.where('keep_audio', '=', 0))
          .execute();
        await trx
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
        await trx
          .updateTable('recording_stretches')
          .set({ detail: null })
          .where('recording_id', '=', id)
          .execute();
        await logChange(trx, transcription.user_id, { type: 'recording', action: 'done', id, at: now });
        return true;
      });
      if (isOwn && isLarge) await indexLater(database);
      return isOwn;
    },

    async fail(id, { code, message }, now) {
      await database.write(async (trx) => {
        const failed = await own(trx, id)
          .where('state', '!=', 'uploading')
          .set({ state: 'failed', error: message, error_code: code, holder: '', worker: '', updated_at: now })
          .returning('user_id')
          .executeTakeFirst();
        if (failed)
          await logChange(trx, failed.user_id, { type: 'recording', action: 'failed', id, at: now });
        // A live upload is tried again when it is complete, and the client is told then.
        else await own(trx, id).set({ worker: '', not_before: whenComplete }).execute();
      });
    },

    async release(id, { notBefore, ...faults }, now) {
      const free = { worker: '', not_before: notBefore, ...faults };
      await database.write(async (trx) => {
        // Of an upload, `updated_at` is the time of its last byte.
        await own(trx, id).where('state', '=', 'uploading').set(free).execute();
        await own(trx, id)
          .set({ ...free, state: 'queued', holder: '', updated_at: now })
          .execute();
      });
    },
  };
}

/** What its person wants written about the note. A title that somebody typed stays. */
async function queueActions(
  trx: Db,
  { userId, noteId, isInto, isTyped }: { userId: string; noteId: string; isInto: boolean; isTyped: boolean },
  now: string,
): Promise<void> {
  const note = await trx
    .selectFrom('notes')
    .select(['title', 'folder_id'])
    .where('id', '=', noteId)
    .executeTakeFirstOrThrow();
  const hasTitle = note.title !== null && note.title.trim() !== '';
  // In a note that was there before, somebody chose the title that it has.
  const givenTitle = isTyped || (isInto && hasTitle) ? undefined : note.title;
  await queueChosenActions(trx, { userId, noteId, folderId: note.folder_id, givenTitle }, now);
}

/** The space and folder that were chosen for the note, as far as they still exist and the person who recorded it may still use them. */
async function placeNow(
  trx: Db,
  note: StoredNote,
): Promise<Pick<StoredNote, 'owner_id' | 'space_id' | 'folder_id'>> {
  const { user_id, space_id, folder_id } = note;
  const isReached = space_id !== null && (await isShared(trx, user_id, space_id));
  const owner_id = isReached ? space_id : user_id;
  const isKept = folder_id !== null && (await ownsFolder(trx, owner_id, folder_id));
  return { owner_id, space_id: isReached ? space_id : null, folder_id: isKept ? folder_id : null };
}
