import { type ExpressionBuilder, sql } from 'kysely';
import type { PlanName } from '../../domain/plans.ts';
import type { Recording, RecordingWishes } from '../../domain/recording.ts';
import type { Database, Db } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { whole } from './queries.ts';
import { inWorkStates } from './results.ts';

// Whose recording is next: one per user at a time, with live uploads beside it. The user who has waited longest is next. A job
// belongs to its server until it ends, that server gives it back or is gone, and no other server can write to it.

/** A person who speaks needs one; a second may be on the phone. */
const livePlacesPerUser = 2;
/** A live upload without a byte for this time is silent. Browsers send some every second, also in silence. */
const silentMs = 30_000;
/** The user who had no turn for the longest time, or never one. */
const lastTurn = sql<string>`coalesce((select max(mine.claimed_at) from recordings mine where mine.user_id = recordings.user_id), '')`;

/** A recording that this server works on. */
export interface RecordingJob extends Recording, RecordingWishes {
  plan: PlanName;
  started_at: string;
  faults: number;
  /** Transcribed during its upload. */
  isLive: boolean;
}

interface Running {
  id: string;
  user_id: string;
  is_live: number;
}

/** The jobs of servers that run, and of those that are gone. Once it has given back the others, this server runs all that name it. */
async function inWork(database: Database, db: Db) {
  const held = await db
    .selectFrom('recordings')
    .select(['id', 'user_id', 'worker', 'is_live'])
    .where('state', 'in', inWorkStates)
    .where((eb) => eb.or([eb('worker', '!=', ''), eb('state', '=', 'transcribing')]))
    .execute();
  const running: typeof held = [];
  const orphans: string[] = [];
  // Not asked of itself: after a restart of PostgreSQL it is not listed there for a moment, and still works.
  for (const job of held)
    if (job.worker === database.processId || (await database.isServing(db, job.worker))) running.push(job);
    else orphans.push(job.id);
  return { running, orphans };
}

/** Recordings that are transcribed after their upload: one of each user at a time. */
function waiting(db: Db, { users, orphans }: { users: string[]; orphans: string[] }, now: string) {
  let query = db
    .selectFrom('recordings')
    .where('is_live', '=', 0)
    .where((eb) =>
      eb.or([isDue(eb, now), ...(orphans.length > 0 ? [eb('recordings.id', 'in', orphans)] : [])]),
    );
  if (users.length > 0) query = query.where('recordings.user_id', 'not in', users);
  return query;
}

/** Recordings that are transcribed during their upload, beside any other. A silent one waits for its next byte. */
function growing(db: Db, running: readonly Running[], now: string) {
  const live = Map.groupBy(
    running.filter(({ is_live }) => is_live === 1),
    ({ user_id }) => user_id,
  );
  const full = [...live].filter(([, jobs]) => jobs.length >= livePlacesPerUser).map(([userId]) => userId);
  const ids = running.map(({ id }) => id);
  return db
    .selectFrom('recordings')
    .where('is_live', '=', 1)
    .where('bytes', '>', 0)
    .where('state', 'in', inWorkStates)
    .where('not_before', '<=', now)
    .where((eb) => eb.or([eb('state', '!=', 'uploading'), eb('updated_at', '>=', silentSince(now))]))
    .$if(full.length > 0, (query) => query.where('recordings.user_id', 'not in', full))
    .$if(ids.length > 0, (query) => query.where('recordings.id', 'not in', ids));
}

/** The jobs that name this server. */
export async function held({ db, processId }: Database): Promise<string[]> {
  const jobs = db.selectFrom('recordings').select('id').where('state', 'in', inWorkStates);
  return (await jobs.where('worker', '=', processId).execute()).map(({ id }) => id);
}

/** Undefined if there is nothing to do. Never one of those that this server still runs. */
export async function claim(
  database: Database,
  now: string,
  { isLive, running: busy }: { isLive: boolean; running: readonly string[] },
): Promise<RecordingJob | undefined> {
  // Almost always there is nothing to do, and a read does not hold up writes.
  const some = await database.db
    .selectFrom('recordings')
    .select('id')
    .where('state', 'in', inWorkStates)
    .where('is_live', '=', Number(isLive))
    .limit(1)
    .executeTakeFirst();
  if (!some) return undefined;
  return database.write(async (tx) => {
    const { running, orphans } = await inWork(database, tx);
    const users = running.filter(({ is_live }) => is_live === 0).map(({ user_id }) => user_id);
    const found = isLive ? growing(tx, running, now) : waiting(tx, { users, orphans }, now);
    const next = await found
      .$if(busy.length > 0, (query) => query.where('recordings.id', 'not in', busy))
      .innerJoin('users', 'users.id', 'recordings.user_id')
      .select(whole.columns.map((column) => `recordings.${column}` as const))
      .select(['faults', 'started_at', 'users.plan'])
      .orderBy(lastTurn)
      .orderBy('recordings.created_at')
      .orderBy('recordings.id')
      .limit(1)
      .executeTakeFirst();
    if (!next) return undefined;
    const started_at = next.started_at ?? now;
    const state = next.state === 'uploading' ? next.state : 'transcribing';
    await tx
      .updateTable('recordings')
      .set({ state, worker: database.processId, claimed_at: now, started_at, updated_at: now })
      .where('id', '=', next.id)
      .execute();
    return { ...whole.fromRow(next), state, isLive, started_at, updated_at: now };
  });
}

/** How many wait and since when the first of them does; how many are worked on, and the longest time without progress. */
export async function lengths({ quick }: Database) {
  // `not_before` is in the index: a queue may be long.
  const ofState = (state: 'queued' | 'transcribing', time: 'not_before' | 'updated_at') =>
    quick
      .selectFrom('recordings')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min(time).as('since')])
      .where('state', '=', state)
      .executeTakeFirstOrThrow();
  const [queued, transcribing] = await Promise.all([
    ofState('queued', 'not_before'),
    ofState('transcribing', 'updated_at'),
  ]);
  return { queued, transcribing };
}

/** A live job of this server whose upload is silent, the longest silent one, if a person who speaks waits for a place. */
export async function silentJob(database: Database, now: string): Promise<string | undefined> {
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
  const { running } = await inWork(database, db);
  const waits = await growing(db, running, now).select('recordings.id').limit(1).executeTakeFirst();
  return waits && silent.id;
}

/** Whether another user's recording could be claimed. */
export async function othersWait(db: Db, userId: string, now: string): Promise<boolean> {
  const inWork = await db
    .selectFrom('recordings')
    .select('user_id')
    .where('state', '=', 'transcribing')
    .execute();
  const users = [userId, ...inWork.map(({ user_id }) => user_id)];
  const next = waiting(db, { users, orphans: [] }, now).select('recordings.id').limit(1);
  return (await next.executeTakeFirst()) !== undefined;
}

const silentSince = (now: string) => new Date(Date.parse(now) - silentMs).toISOString();

const isDue = (eb: ExpressionBuilder<Schema, 'recordings'>, now: string) =>
  eb.and([eb('recordings.state', '=', 'queued'), eb('recordings.not_before', '<=', now)]);
