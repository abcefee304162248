import { type ExpressionBuilder, sql } from 'kysely';
import { recording } from '../../../domain/recording.ts';
import type { Database, Db } from '../../../platform/database/database.ts';
import { rowsOf, type Schema } from '../../../platform/database/schema.ts';
import { createJobStore, inWorkStates } from './jobs.ts';
import { recordingColumns } from './recordings.ts';
import type { RecordingQueue } from './types.ts';

const { fromRow } = rowsOf(recording);
/** Who speaks needs one; a second may be on the phone. */
const livePlacesPerUser = 2;
/** A live upload without a byte for this time is silent. Browsers send some every second, also in silence. */
const silentMs = 30_000;
/** The user who had no turn for the longest time, or never one. */
const lastTurn = sql<string>`coalesce((select max(mine.claimed_at) from recordings mine where mine.user_id = recordings.user_id), '')`;

interface Running {
  id: string;
  user_id: string;
  is_live: number;
}

/** Whose recording is next. What its job stores then is in jobs.ts. */
export function createRecordingQueue(database: Database): RecordingQueue {
  const jobs = createJobStore(database);

  /** The jobs of servers that run, and of those that are gone. After `giveBack`, this server runs all that name it. */
  async function inWork(trx: Db) {
    const held = await trx
      .selectFrom('recordings')
      .select(['id', 'user_id', 'worker', 'is_live'])
      .where('state', 'in', inWorkStates)
      .where((eb) => eb.or([eb('worker', '!=', ''), eb('state', '=', 'transcribing')]))
      .execute();
    const running: typeof held = [];
    const orphans: string[] = [];
    // Not asked of itself: after a restart of PostgreSQL it is not listed there for a moment, and still works.
    for (const job of held)
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

  return {
    ...jobs,

    async giveBack(running, now) {
      const held = await database.db
        .selectFrom('recordings')
        .select('id')
        .where('state', 'in', inWorkStates)
        .where('worker', '=', database.processId)
        .execute();
      const left = held.filter(({ id }) => !running.includes(id));
      for (const { id } of left) await jobs.release(id, { notBefore: now }, now);
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
          .select(['speakers', 'wants_note', 'is_named', 'note_space_id', 'note_folder_id', 'into_note_id'])
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
        const { wants_note, is_named, ...job } = fromRow(next);
        const wishes = { wants_note: wants_note === 1, is_named: is_named === 1 };
        return { ...job, ...wishes, state, isLive, started_at, updated_at: now };
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
      const inWork = await db
        .selectFrom('recordings')
        .select('user_id')
        .where('state', '=', 'transcribing')
        .execute();
      const users = [userId, ...inWork.map(({ user_id }) => user_id)];
      const next = await waiting(db, { users, orphans: [] }, now)
        .select('recordings.id')
        .limit(1)
        .executeTakeFirst();
      return next !== undefined;
    },
  };
}

const silentSince = (now: string) => new Date(Date.parse(now) - silentMs).toISOString();

const isDue = (eb: ExpressionBuilder<Schema, 'recordings'>, now: string) =>
  eb.and([eb('recordings.state', '=', 'queued'), eb('recordings.not_before', '<=', now)]);
