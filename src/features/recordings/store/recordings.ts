import { sql } from 'kysely';
import { type OwnerFilter, ownedBy } from '../../../domain/owner.ts';
import { type Recording, recording } from '../../../domain/recording.ts';
import { mustFit, mustOpen } from '../../../domain/storage.ts';
import { recorder } from '../../../platform/database/audit.ts';
import type { Database, Db } from '../../../platform/database/database.ts';
import { keyCompletion } from '../../../platform/database/idempotency.ts';
import { accountDeleted, recordedFor } from '../../../platform/database/owners.ts';
import { newestFirst } from '../../../platform/database/page.ts';
import { says } from '../../../platform/database/says.ts';
import { rowsOf } from '../../../platform/database/schema.ts';
import { recordedMs } from '../../usage/queries.ts';
import { createStorageStore, storageUse, takeReserved, writeOrRefuse } from './storage.ts';
import type { RecordingStore } from './types.ts';
import { createUploadStore } from './uploads.ts';

const rows = rowsOf(recording);
export const toWaveform = (peaks: Uint8Array) => Buffer.from(peaks).toString('base64');
export const recordingColumns = rows.columns;

const ofIts = (column: 'text' | 'word_count') =>
  sql`(select ${sql.ref(column)} from transcriptions where transcriptions.id = recordings.transcription_id)`;
const wordCount = sql<number | null>`${ofIts('word_count')}`;
const nameAndWords = sql`(recordings.name || ' ' || coalesce(${ofIts('text')}, ''))`;

export function createRecordingStore(database: Database): RecordingStore {
  const { db } = database;
  const listed = (reader: OwnerFilter, noteId: string | undefined) => {
    const query = db.selectFrom('recordings').where(recordedFor(reader));
    return noteId === undefined ? query : query.where('note_id', '=', noteId);
  };

  return {
    ...createUploadStore(database),
    ...createStorageStore(database),

    insert({ wants_note, is_named, ...draft }, { isResumable, length, reservation }, limits) {
      return writeOrRefuse(database, async (trx) => {
        if (!(await database.holdAccount(trx, draft.user_id))) throw accountDeleted();
        if (limits) {
          const use = await storageUse(trx, draft.user_id);
          mustOpen(limits, use);
          mustFit(limits, use, length ?? 0);
        }
        if (reservation !== undefined && draft.has_audio) await takeReserved(trx, reservation, draft.bytes);
        await trx
          .insertInto('recordings')
          .values({
            ...rows.toRow(draft),
            wants_note: Number(wants_note),
            is_named: Number(is_named),
            is_resumable: Number(isResumable),
            is_live: Number(isResumable && length === null),
            upload_length: length,
            holder: isResumable ? '' : database.processId,
            not_before: draft.created_at,
            faults: 0,
          })
          .execute();
      });
    },

    queue(id, { wants_note, is_named, isStreamable = false, ...changes }, now) {
      const completeKey = keyCompletion();
      return database.write(async (trx) => {
        const before = await trx
          .selectFrom('recordings')
          .select(['worker', 'is_live', 'claimed_at'])
          .where('id', '=', id)
          .executeTakeFirst();
        // A job that began during the upload goes on as live: with other cuts its chunks would not fit those stored.
        const isLive = before?.is_live === 1 && before.claimed_at !== null && isStreamable;
        const result = await trx
          .updateTable('recordings')
          .set({
            ...rows.toRow({ ...changes, updated_at: now }),
            ...(wants_note === undefined ? {} : { wants_note: Number(wants_note) }),
            ...(is_named === undefined ? {} : { is_named: Number(is_named) }),
            state: isLive && before.worker !== '' ? 'transcribing' : 'queued',
            is_live: Number(isLive),
            // Another server may still be transcribing this live upload; clearing `worker` makes it stop.
            ...(isLive ? {} : { worker: '' }),
            holder: '',
            not_before: now,
          })
          .where('id', '=', id)
          .where('state', '=', 'uploading')
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) return before && byId(trx, id);
        const queued = await byId(trx, id);
        // Kept, because the recording does not stay as it is now.
        await completeKey?.(trx, id, queued);
        return queued;
      });
    },

    async keepsAudio(userId) {
      const row = await db
        .selectFrom('users')
        .select('keep_audio')
        .where('id', '=', userId)
        .executeTakeFirst();
      return row?.keep_audio === 1;
    },

    async setKeepsAudio(userId, keepsAudio) {
      const keep_audio = Number(keepsAudio);
      await database.write((trx) =>
        trx.updateTable('users').set({ keep_audio }).where('id', '=', userId).execute(),
      );
    },

    get: (reader, id) => find(db, reader, id),

    async list(reader, { noteId, said, ...page }) {
      if (said?.among.length === 0) return [];
      let query = listed(reader, noteId).select(recordingColumns);
      if (said) query = query.where('id', 'in', said.among).where(says(nameAndWords, said.words));
      return (await newestFirst(query, page).execute()).map(rows.fromRow);
    },

    sizes: (reader, { noteId, ...page }) =>
      newestFirst(
        listed(reader, noteId).select(['id', 'created_at', wordCount.as('word_count')]),
        page,
      ).execute(),

    update(userId, id, changes, now) {
      return database.write(async (trx) => {
        const before = await find(trx, ownedBy(userId), id);
        if (!before) return 'not found';
        const dropsAudio = changes.keep_audio === false && before.state === 'done' && before.has_audio;
        if (changes.keep_audio && !before.has_audio) return 'no audio';
        const after = {
          ...before,
          ...changes,
          has_audio: before.has_audio && !dropsAudio,
          updated_at: now,
        };
        await trx
          .updateTable('recordings')
          .set({
            ...rows.toRow({ ...after }),
            ...(changes.name === undefined ? {} : { is_named: 1 }),
            ...(dropsAudio ? { waveform: null } : {}),
          })
          .where('id', '=', id)
          .execute();
        return after;
      });
    },

    async waveform(id) {
      const row = await db
        .selectFrom('recordings')
        .select('waveform')
        .where('id', '=', id)
        .executeTakeFirst();
      return typeof row?.waveform === 'string' ? Buffer.from(row.waveform, 'base64') : undefined;
    },

    async keepWaveform(id, peaks) {
      await database.write((trx) =>
        trx
          .updateTable('recordings')
          .set({ waveform: toWaveform(peaks) })
          .where('id', '=', id)
          .where('has_audio', '=', 1)
          .execute(),
      );
    },

    remove(userId, id, { withTranscription }) {
      const record = recorder();
      return database.write(async (trx) => {
        const found = await find(trx, ownedBy(userId), id);
        if (!found) return false;
        if (withTranscription && found.transcription_id !== null)
          await trx.deleteFrom('transcriptions').where('id', '=', found.transcription_id).execute();
        await trx.deleteFrom('recordings').where('id', '=', id).execute();
        await record(trx, { act: 'recording.deleted', subject_id: id });
        return true;
      });
    },

    retry(userId, id, now) {
      return database.write(async (trx) => {
        const before = await find(trx, ownedBy(userId), id);
        if (!before) return 'not found';
        if (before.state !== 'failed') return 'not failed';
        if (!before.has_audio) return 'no audio';
        const again = { state: 'queued' as const, error: null, error_code: null, updated_at: now };
        await trx
          .updateTable('recordings')
          .set({ ...again, not_before: now, faults: 0 })
          .where('id', '=', id)
          .execute();
        return { ...before, ...again };
      });
    },

    async abandon(id) {
      await database.write((trx) =>
        trx.deleteFrom('recordings').where('id', '=', id).where('state', '=', 'uploading').execute(),
      );
    },

    async texts(id, from) {
      const found = await db
        .selectFrom('recording_stretches')
        .select(['position', 'start_ms', 'end_ms', 'text'])
        .where('recording_id', '=', id)
        .where('position', '>=', from)
        .orderBy('position')
        .execute();
      // Several chunks are transcribed at once, and a later one may be ready first.
      const gap = found.findIndex(({ position }, at) => position !== from + at);
      return gap < 0 ? found : found.slice(0, gap);
    },

    usedMs: (userId, period) => recordedMs(db, userId, period),

    async dropAudio(states, before, now) {
      await database.write((trx) =>
        trx
          .updateTable('recordings')
          .set({ has_audio: 0, waveform: null, updated_at: now })
          .where('has_audio', '=', 1)
          .where('state', 'in', states)
          .where('created_at', '<', before)
          .execute(),
      );
    },

    withAudio: () => db.selectFrom('recordings').select(['id', 'bytes']).where('has_audio', '=', 1).execute(),

    async growth(id) {
      const row = await db
        .selectFrom('recordings')
        .select(['bytes', 'state'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row && { size: row.bytes, isComplete: row.state !== 'uploading' };
    },

    async doomed(audioId) {
      const found = await db
        .selectFrom('doomed_sounds')
        .select('id')
        .$if(audioId !== undefined, (query) => query.where('id', '=', audioId ?? ''))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('recordings')
                .select('recordings.id')
                .whereRef('recordings.id', '=', 'doomed_sounds.id')
                .where('has_audio', '=', 1),
            ),
          ),
        )
        .execute();
      return found.map(({ id }) => id);
    },

    async forget(audioId) {
      await database.write((trx) => trx.deleteFrom('doomed_sounds').where('id', '=', audioId).execute());
    },

    async removeAbandoned() {
      await database.write(async (trx) => {
        const uploads = await trx
          .selectFrom('recordings')
          .select(['id', 'holder'])
          .where('state', '=', 'uploading')
          .where('is_resumable', '=', 0)
          .execute();
        for (const { id, holder } of uploads)
          if (!(await database.isServing(trx, holder)))
            await trx.deleteFrom('recordings').where('id', '=', id).execute();
        const reservations = await trx.selectFrom('storage_reservations').select(['id', 'holder']).execute();
        for (const { id, holder } of reservations)
          if (!(await database.isServing(trx, holder)))
            await trx.deleteFrom('storage_reservations').where('id', '=', id).execute();
      });
    },
  };
}

async function find(db: Db, reader: OwnerFilter, id: string): Promise<Recording | undefined> {
  const row = await db
    .selectFrom('recordings')
    .select(recordingColumns)
    .where('id', '=', id)
    .where(recordedFor(reader))
    .executeTakeFirst();
  return row && rows.fromRow(row);
}

async function byId(db: Db, id: string): Promise<Recording> {
  const row = await db
    .selectFrom('recordings')
    .select(recordingColumns)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return rows.fromRow(row);
}
