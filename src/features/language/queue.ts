import { sql } from 'kysely';
import type { PlanName } from '../../domain/plans.ts';
import type { Queue } from '../../kernel/job.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { forgetParts, inWork } from './jobs.ts';
import type { Task } from './prompt.ts';
import { type LanguageJob, languageJob } from './schema.ts';

const { columns, fromRow } = rowsOf(languageJob);
/** The user who had no turn for the longest time, or never one. */
const lastTurn = sql<string>`coalesce((select max(mine.claimed_at) from language_jobs mine where mine.user_id = language_jobs.user_id), '')`;

/** A job that this server works on. */
export interface ClaimedJob extends LanguageJob {
  faults: number;
  task: Task;
  plan: PlanName;
  /** The title that the server gave the note; only that one may be replaced by itself. */
  given_title: string | null;
  workspace_id: string | null;
}

/** The row of a job that this server still has: whatever ends or releases a job takes the name of its server away. */
const own = (tx: Tx, server: string, id: string) =>
  tx.updateTable('language_jobs').where('id', '=', id).where('worker', '=', server);

/** One text of each person at a time; the person who has waited longest is next. Jobs of suspended accounts wait. */
export const queue: Queue<ClaimedJob> = {
  async held({ db, processId }) {
    const rows = db
      .selectFrom('language_jobs')
      .select('id')
      .where('state', '=', 'writing')
      .where('worker', '=', processId);
    return (await rows.execute()).map(({ id }) => id);
  },

  async claim(database, now, running) {
    // Almost always there is nothing to do, and a read does not hold up writes.
    const some = database.db.selectFrom('language_jobs').select('id').where('state', 'in', inWork).limit(1);
    if (!(await some.executeTakeFirst())) return undefined;
    return database.write(async (tx) => {
      const { busy, orphans } = await inWorkNow(database, tx);
      const next = await tx
        .selectFrom('language_jobs')
        .innerJoin('users', 'users.id', 'language_jobs.user_id')
        .select(columns.map((column) => `language_jobs.${column}` as const))
        .select(['task', 'given_title', 'language_jobs.workspace_id', 'faults', 'users.plan'])
        .where('users.suspended_at', 'is', null)
        .where((eb) =>
          eb.or([
            eb.and([eb('state', '=', 'queued'), eb('not_before', '<=', now)]),
            ...(orphans.length > 0 ? [eb('language_jobs.id', 'in', orphans)] : []),
          ]),
        )
        .$if(running.length > 0, (query) => query.where('language_jobs.id', 'not in', running))
        .$if(busy.length > 0, (query) => query.where('language_jobs.user_id', 'not in', busy))
        .orderBy(lastTurn)
        .orderBy('language_jobs.created_at')
        .orderBy('language_jobs.id')
        .limit(1)
        .executeTakeFirst();
      if (!next) return undefined;
      const claimed = { state: 'writing' as const, updated_at: now };
      await tx
        .updateTable('language_jobs')
        .set({ ...claimed, worker: database.processId, claimed_at: now })
        .where('id', '=', next.id)
        .execute();
      const task: Task = JSON.parse(next.task);
      return { ...fromRow(next), ...claimed, task };
    });
  },

  async holds(tx, server, id, now) {
    const suspended = tx.selectFrom('users').select('users.id').where('suspended_at', 'is not', null);
    const row = own(tx, server, id).where('user_id', 'not in', suspended).set({ updated_at: now });
    return (await row.executeTakeFirst()).numUpdatedRows > 0n;
  },

  async end(tx, id) {
    const done = { state: 'done', progress: 1, error: null, error_code: null, worker: '' } as const;
    await tx.updateTable('language_jobs').set(done).where('id', '=', id).execute();
    await forgetParts(tx, id);
  },

  async fail(tx, server, id, { code, message }, now) {
    await own(tx, server, id)
      .set({ state: 'failed', error: message, error_code: code, worker: '', updated_at: now })
      .execute();
    await forgetParts(tx, id);
  },

  async release(tx, server, id, { notBefore, faults, error }, now) {
    await own(tx, server, id)
      .set({
        state: 'queued',
        worker: '',
        not_before: notBefore,
        updated_at: now,
        ...(faults === undefined ? {} : { faults }),
        ...(error === undefined ? {} : { error: error.message, error_code: error.code }),
      })
      .execute();
  },

  async lengths({ quick }) {
    const ofState = (state: (typeof inWork)[number], time: 'not_before' | 'updated_at') =>
      quick
        .selectFrom('language_jobs')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min(time).as('since')])
        .where('state', '=', state)
        .executeTakeFirstOrThrow();
    const [queued, writing] = await Promise.all([
      ofState('queued', 'not_before'),
      ofState('writing', 'updated_at'),
    ]);
    return { queued, writing };
  },
};

/** People with a text in work, and the jobs of servers that are gone. */
async function inWorkNow(database: Database, tx: Tx) {
  const held = await tx
    .selectFrom('language_jobs')
    .select(['id', 'user_id', 'worker'])
    .where('state', '=', 'writing')
    .execute();
  const busy: string[] = [];
  const orphans: string[] = [];
  for (const { id, user_id, worker } of held)
    if (worker === database.processId || (await database.isServing(tx, worker))) busy.push(user_id);
    else orphans.push(id);
  return { busy, orphans };
}
