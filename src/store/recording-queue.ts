import { type ExpressionBuilder, sql } from 'kysely';
import { recording } from '../domain/recording.ts';
import type { RecordingQueue } from '../ports/recording-store.ts';
import { logChange } from './changes.ts';
import type { Database, Db } from './database.ts';
import { settle as indexLater, noteRows } from './notes.ts';
import { recordingColumns } from './recordings.ts';
import { rowsOf } from './rows.ts';
import type { Schema } from './schema.ts';
import { toRow as transcriptionRow } from './transcriptions.ts';

const { fromRow } = rowsOf(recording);
/** The user who had no turn for the longest time, or never one. */
const lastTurn = sql<string>`coalesce((select max(mine.claimed_at) from recordings mine where mine.user_id = recordings.user_id), '')`;

export function createRecordingQueue(database: Database): RecordingQueue {
  /** The users who have a job on a running server, and the jobs of servers that are gone. */
  async function inWork(trx: Db) {
    const jobs = await trx
      .selectFrom('recordings')
      .select(['id', 'user_id', 'holder'])
      .where('state', '=', 'transcribing')
      .execute();
    const users: string[] = [];
    const orphans: string[] = [];
    for (const { id, user_id, holder } of jobs)
      if (await database.isServing(trx, holder)) users.push(user_id);
      else orphans.push(id);
    return { users, orphans };
  }

  const waiting = (trx: Db, { users, orphans }: { users: string[]; orphans: string[] }, now: string) => {
    let query = trx
      .selectFrom('recordings')
      .where((eb) =>
        eb.or([isDue(eb, now), ...(orphans.length > 0 ? [eb('recordings.id', 'in', orphans)] : [])]),
      );
    if (users.length > 0) query = query.where('recordings.user_id', 'not in', users);
    return query;
  };

  const partsOf = (id: string) =>
    database.db.selectFrom('recording_stretches').where('recording_id', '=', id).orderBy('position');

  /** The row of a job that this server still has. */
  const own = (trx: Db, id: string) =>
    trx
      .updateTable('recordings')
      .where('id', '=', id)
      .where('state', '=', 'transcribing')
      .where('holder', '=', database.processId);

  return {
    async claim(now) {
      // Almost always there is nothing to do, and a read does not hold up writes.
      const isIdle = await database.db
        .selectFrom('recordings')
        .select('id')
        .where('state', 'in', ['queued', 'transcribing'])
        .limit(1)
        .executeTakeFirst();
      if (!isIdle) return undefined;
      return database.write(async (trx) => {
        const next = await waiting(trx, await inWork(trx), now)
          .innerJoin('users', 'users.id', 'recordings.user_id')
          .select(recordingColumns.map((column) => `recordings.${column}` as const))
          .select(['speakers', 'wants_note', 'faults', 'started_at', 'users.plan'])
          .orderBy(lastTurn)
          .orderBy('recordings.created_at')
          .orderBy('recordings.id')
          .limit(1)
          .executeTakeFirst();
        if (!next) return undefined;
        const started_at = next.started_at ?? now;
        await trx
          .updateTable('recordings')
          .set({
            state: 'transcribing',
            holder: database.processId,
            claimed_at: now,
            started_at,
            updated_at: now,
          })
          .where('id', '=', next.id)
          .execute();
        const { wants_note, ...job } = fromRow(next);
        return { ...job, state: 'transcribing', wants_note: wants_note === 1, started_at, updated_at: now };
      });
    },

    async othersWait(userId, now) {
      const { db } = database;
      const jobs = await db
        .selectFrom('recordings')
        .select('user_id')
        .where('state', '=', 'transcribing')
        .execute();
      const users = [userId, ...jobs.map(({ user_id }) => user_id)];
      const next = await waiting(db, { users, orphans: [] }, now)
        .select('recordings.id')
        .limit(1)
        .executeTakeFirst();
      return next !== undefined;
    },

    async heardSoFar(id) {
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

    async settle(id, { transcription, note, durationMs, keepAudio }, now) {
      const isOwn = await database.write(async (trx) => {
        const result = await own(trx, id)
          .set({ state: 'done', progress: 1, duration_ms: durationMs, holder: '', updated_at: now })
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) return false;
        if (note) await database.insertNote(trx, { row: noteRows.toRow(note.row), text: note.text });
        await trx.insertInto('transcriptions').values(transcriptionRow(transcription)).execute();
        await trx
          .updateTable('recordings')
          .set({ transcription_id: transcription.id, note_id: note?.row.id ?? null })
          // The sound is doomed by a trigger.
          .$if(!keepAudio, (update) => update.set({ has_audio: 0 }))
          .where('id', '=', id)
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
      if (isOwn && note && note.text === null) await indexLater(database);
      return isOwn;
    },

    async fail(id, error, now) {
      await database.write(async (trx) => {
        const failed = await own(trx, id)
          .set({ state: 'failed', error, holder: '', updated_at: now })
          .returning('user_id')
          .executeTakeFirst();
        if (failed)
          await logChange(trx, failed.user_id, { type: 'recording', action: 'failed', id, at: now });
      });
    },

    async release(id, { notBefore, faults }, now) {
      await database.write((trx) =>
        own(trx, id)
          .set({ state: 'queued', holder: '', not_before: notBefore, faults, updated_at: now })
          .execute(),
      );
    },
  };
}

const isDue = (eb: ExpressionBuilder<Schema, 'recordings'>, now: string) =>
  eb.and([eb('recordings.state', '=', 'queued'), eb('recordings.not_before', '<=', now)]);
