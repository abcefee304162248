import { type ExpressionBuilder, sql } from 'kysely';
import type { StoredNote } from '../../domain/note.ts';
import { recording } from '../../domain/recording.ts';
import type { RecordingQueue } from '../../ports/recording-store.ts';
import { logChange } from '../../store/changes.ts';
import type { Database, Db } from '../../store/database.ts';
import { settle as indexLater, noteRows } from '../../store/notes.ts';
import { ownsFolder } from '../../store/owners.ts';
import { rowsOf, type Schema } from '../../store/schema.ts';
import { isSharedSpace } from '../../store/spaces.ts';
import { toRow as transcriptionRow } from '../../store/transcriptions.ts';
import { recordingColumns } from './recordings.ts';

const { fromRow } = rowsOf(recording);
const inWorkStates = ['uploading', 'queued', 'transcribing'] as const;
/** Later than any time: until the upload is complete. */
const whenComplete = '9999';
/** Who speaks needs one; a second may be on the phone. */
const livePlacesPerUser = 2;
/** A live upload without a byte for this time is silent. Browsers send some every second, also when nobody speaks. */
const silentMs = 30_000;
/** The user who had no turn for the longest time, or never one. */
const lastTurn = sql<string>`coalesce((select max(mine.claimed_at) from recordings mine where mine.user_id = recordings.user_id), '')`;

interface Running {
  id: string;
  user_id: string;
  is_live: number;
}

export function createRecordingQueue(database: Database): RecordingQueue {
  /** The jobs of servers that run, and of those that are gone. After `giveBack`, this server runs all that name it. */
  async function inWork(trx: Db) {
    const jobs = await trx
      .selectFrom('recordings')
      .select(['id', 'user_id', 'worker', 'is_live'])
      .where('state', 'in', inWorkStates)
      .where((eb) => eb.or([eb('worker', '!=', ''), eb('state', '=', 'transcribing')]))
      .execute();
    const running: typeof jobs = [];
    const orphans: string[] = [];
    // Not asked of itself: after a restart of PostgreSQL it is not listed there for a moment, and still works.
    for (const job of jobs)
      if (job.worker === database.processId || (await database.isServing(trx, job.worker))) running.push(job);
      else orphans.push(job.id);
    return { running, orphans };
  }

  /** Recordings that are transcribed after their upload: one of each user at a time. */
  function waiting(trx: Db, { users, orphans }: { users: string[]; orphans: string[] }, now: string) {
    let query = trx
      .selectFrom('recordings')
      .where('is_live', '=', 0)
      .where((eb) =>
        eb.or([isDue(eb, now), ...(orphans.length > 0 ? [eb('recordings.id', 'in', orphans)] : [])]),
      );
    if (users.length > 0) query = query.where('recordings.user_id', 'not in', users);
    return query;
  }

  /** Those that are transcribed during their upload, beside any other. A silent one waits for its next byte. */
  function growing(trx: Db, running: readonly Running[], now: string) {
    const live = Map.groupBy(
      running.filter(({ is_live }) => is_live === 1),
      ({ user_id }) => user_id,
    );
    const full = [...live].filter(([, jobs]) => jobs.length >= livePlacesPerUser).map(([userId]) => userId);
    const ids = running.map(({ id }) => id);
    return trx
      .selectFrom('recordings')
      .where('is_live', '=', 1)
      .where('bytes', '>', 0)
      .where('state', 'in', inWorkStates)
      .where('not_before', '<=', now)
      .where((eb) => eb.or([eb('state', '!=', 'uploading'), eb('updated_at', '>=', silentSince(now))]))
      .$if(full.length > 0, (query) => query.where('recordings.user_id', 'not in', full))
      .$if(ids.length > 0, (query) => query.where('recordings.id', 'not in', ids));
  }

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
    async giveBack(running, now) {
      const held = await database.db
        .selectFrom('recordings')
        .select('id')
        .where('state', 'in', inWorkStates)
        .where('worker', '=', database.processId)
        .execute();
      const left = held.filter(({ id }) => !running.includes(id));
      for (const { id } of left) await this.release(id, { notBefore: now }, now);
      return left.length;
    },

    async claim(now, { isLive, running: busy }) {
      // Almost always there is nothing to do, and a read does not hold up writes.
      const some = await database.db
        .selectFrom('recordings')
        .select('id')
        .where('state', 'in', inWorkStates)
        .where('is_live', '=', Number(isLive))
        .limit(1)
        .executeTakeFirst();
      if (!some) return undefined;
      return database.write(async (trx) => {
        const { running, orphans } = await inWork(trx);
        const users = running.filter(({ is_live }) => is_live === 0).map(({ user_id }) => user_id);
        const found = isLive ? growing(trx, running, now) : waiting(trx, { users, orphans }, now);
        const next = await found
          .$if(busy.length > 0, (query) => query.where('recordings.id', 'not in', busy))
          .innerJoin('users', 'users.id', 'recordings.user_id')
          .select(recordingColumns.map((column) => `recordings.${column}` as const))
          .select(['speakers', 'wants_note', 'note_space_id', 'note_folder_id'])
          .select(['faults', 'started_at', 'users.plan'])
          .orderBy(lastTurn)
          .orderBy('recordings.created_at')
          .orderBy('recordings.id')
          .limit(1)
          .executeTakeFirst();
        if (!next) return undefined;
        const started_at = next.started_at ?? now;
        const state = next.state === 'uploading' ? next.state : 'transcribing';
        await trx
          .updateTable('recordings')
          .set({ state, worker: database.processId, claimed_at: now, started_at, updated_at: now })
          .where('id', '=', next.id)
          .execute();
        const { wants_note, ...job } = fromRow(next);
        return { ...job, state, isLive, wants_note: wants_note === 1, started_at, updated_at: now };
      });
    },

    async inQueue() {
      const ofState = (state: 'queued' | 'transcribing') =>
        database.quick
          .selectFrom('recordings')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('state', '=', state);
      const [queued, transcribing] = await Promise.all([
        // `not_before` is in the index: a queue may be long.
        ofState('queued')
          .select(({ fn }) => fn.min('not_before').as('since'))
          .executeTakeFirstOrThrow(),
        ofState('transcribing')
          .select(({ fn }) => fn.min('updated_at').as('since'))
          .executeTakeFirstOrThrow(),
      ]);
      return { queued, transcribing };
    },

    async silentJob(now) {
      const { db } = database;
      const silent = await db
        .selectFrom('recordings')
        .select('id')
        .where('state', '=', 'uploading')
        .where('is_live', '=', 1)
        .where('worker', '=', database.processId)
        .where('updated_at', '<', silentSince(now))
        .orderBy('updated_at')
        .limit(1)
        .executeTakeFirst();
      if (!silent) return undefined;
      const { running } = await inWork(db);
      const waits = await growing(db, running, now).select('recordings.id').limit(1).executeTakeFirst();
      return waits && silent.id;
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

    async settle(id, { transcription, note, durationMs, mayKeepAudio }, now) {
      const text = note && database.search.analyse(note);
      const isOwn = await database.write(async (trx) => {
        const result = await own(trx, id)
          .set({
            state: 'done',
            progress: 1,
            duration_ms: durationMs,
            holder: '',
            worker: '',
            updated_at: now,
          })
          .where('state', '!=', 'uploading')
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) return false;
        if (note) {
          const row = { ...note, ...(await placeNow(trx, note)) };
          await database.insertNote(trx, { row: noteRows.toRow(row), text });
        }
        await trx.insertInto('transcriptions').values(transcriptionRow(transcription)).execute();
        await trx
          .updateTable('recordings')
          .set({ transcription_id: transcription.id, note_id: note?.id ?? null })
          .where('id', '=', id)
          .execute();
        // A trigger marks the audio for removal.
        await trx
          .updateTable('recordings')
          .set({ has_audio: 0 })
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
      if (isOwn && note && text === null) await indexLater(database);
      return isOwn;
    },

    async fail(id, error, now) {
      await database.write(async (trx) => {
        const failed = await own(trx, id)
          .where('state', '!=', 'uploading')
          .set({ state: 'failed', error, holder: '', worker: '', updated_at: now })
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

const silentSince = (now: string) => new Date(Date.parse(now) - silentMs).toISOString();

const isDue = (eb: ExpressionBuilder<Schema, 'recordings'>, now: string) =>
  eb.and([eb('recordings.state', '=', 'queued'), eb('recordings.not_before', '<=', now)]);

/** The place that was chosen, if it is still there and still that of whoever recorded it. */
async function placeNow(
  trx: Db,
  note: StoredNote,
): Promise<Pick<StoredNote, 'owner_id' | 'space_id' | 'folder_id'>> {
  const { user_id, space_id, folder_id } = note;
  const isShared = space_id !== null && (await isSharedSpace(trx, user_id, space_id));
  const owner_id = isShared ? space_id : user_id;
  const isKept = folder_id !== null && (await ownsFolder(trx, owner_id, folder_id));
  return { owner_id, space_id: isShared ? space_id : null, folder_id: isKept ? folder_id : null };
}
