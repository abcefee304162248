import { recording } from '../domain/recording.ts';
import type { FirstStepStore } from '../ports/first-step-store.ts';
import type { Database, Db } from './database.ts';
import { noteRows } from './notes.ts';
import { rowsOf } from './schema.ts';
import { toRow as transcriptionRow } from './transcriptions.ts';

const { toRow } = rowsOf(recording);

export function createFirstStepStore(database: Database): FirstStepStore {
  const { db } = database;

  const stateOf = async (trx: Db, userId: string) =>
    (await trx.selectFrom('users').select('first_steps').where('id', '=', userId).executeTakeFirst())
      ?.first_steps;
  const notesOf = (trx: Db, userId: string) =>
    trx.selectFrom('notes').select('id').where('owner_id', '=', userId);
  const recordingsOf = (trx: Db, userId: string) =>
    trx.selectFrom('recordings').select('note_id').where('user_id', '=', userId);

  return {
    async get(userId) {
      const state = await stateOf(db, userId);
      const isOver = state === undefined || state === 'over';
      const none = { recorded: false, wrote: false, connected: false, sample_id: null };
      if (isOver) return { shown: false, isNew: false, ...none };
      const recorded = await recordingsOf(db, userId).where('is_sample', '=', 0).executeTakeFirst();
      // The sample is written by nobody, until somebody writes in it.
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
        shown: true,
        isNew: state === 'new',
        recorded: recorded !== undefined,
        wrote: wrote !== undefined,
        connected: connected !== undefined,
        sample_id: sample?.note_id ?? null,
      };
    },

    begin(userId, { recording, waveform, transcription, note }) {
      return database.write(async (trx) => {
        // Of two pages that are opened at once, one makes it.
        if ((await stateOf(trx, userId)) !== 'new') return false;
        await trx.updateTable('users').set({ first_steps: 'shown' }).where('id', '=', userId).execute();
        const known = [notesOf(trx, userId), recordingsOf(trx, userId)];
        for (const query of known) if (await query.executeTakeFirst()) return false;
        await database.insertNote(trx, {
          row: noteRows.toRow(note),
          text: database.search.analyse(note),
        });
        await trx.insertInto('transcriptions').values(transcriptionRow(transcription)).execute();
        await trx
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
        return true;
      });
    },

    async end(userId) {
      await database.write((trx) =>
        trx.updateTable('users').set({ first_steps: 'over' }).where('id', '=', userId).execute(),
      );
    },
  };
}
