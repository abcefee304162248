import { sql } from 'kysely';
import { type LanguageJob, languageJob } from '../domain/action.ts';
import { AppError } from '../domain/errors.ts';
import type { StoredNote } from '../domain/note.ts';
import type { Task } from '../domain/prompt.ts';
import type { LanguageQueue, LanguageReach } from '../ports/language-store.ts';
import type { Database, Db } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { newRow } from './new-language-job.ts';
import { changeNote, findForChange, settle as indexLater, noteRows } from './notes.ts';
import { reachableBy } from './owners.ts';
import { newestFirst } from './page.ts';
import { rowsOf, type Schema } from './schema.ts';

const { columns, fromRow } = rowsOf(languageJob);
const inWork = ['queued', 'writing'] as const;
/** The user who had no turn for the longest time, or never one. */
const lastTurn = sql<string>`coalesce((select max(mine.claimed_at) from language_jobs mine where mine.user_id = language_jobs.user_id), '')`;

export function createLanguageQueue(database: Database): LanguageQueue {
  const reached = (db: Db, { userId, workspaceId, notes }: LanguageReach) =>
    db
      .selectFrom('language_jobs')
      .where((eb) =>
        workspaceId === null ? eb('user_id', '=', userId) : eb('workspace_id', '=', workspaceId),
      )
      // Of a note in the trash too: the job says why its text was not stored.
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('notes')
            .select('notes.id')
            .whereRef('notes.id', '=', 'language_jobs.note_id')
            .where(reachableBy(notes)),
        ),
      );

  /** The row of a job that this server still has: whatever ends or releases a job takes the name of its server away. */
  const own = (trx: Db, id: string) =>
    trx.updateTable('language_jobs').where('id', '=', id).where('worker', '=', database.processId);

  /** The same for what stores text: nothing is stored for a suspended account. */
  const ownOfActive = (trx: Db, id: string) => own(trx, id).where('user_id', 'not in', suspended(trx));

  const forget = (trx: Db, jobId: string) =>
    trx.deleteFrom('language_parts').where('job_id', '=', jobId).execute();

  async function release(
    id: string,
    again: Parameters<LanguageQueue['release']>[1],
    now: string,
  ): Promise<void> {
    const { notBefore, faults, error } = again;
    await database.write((trx) =>
      own(trx, id)
        .set({
          state: 'queued',
          worker: '',
          not_before: notBefore,
          updated_at: now,
          ...(faults === undefined ? {} : { faults }),
          ...(error === undefined ? {} : { error: error.message, error_code: error.code }),
        })
        .execute(),
    );
  }

  return {
    release,

    insert({ id, reach, noteId, task }, max, now) {
      const completeKey = keyCompletion();
      return database.write(async (trx) => {
        const waiting = await trx
          .selectFrom('language_jobs')
          .select([...columns, 'task'])
          .where('user_id', '=', reach.userId)
          .where('state', 'in', inWork)
          .execute();
        const { task: asked, ...row } = newRow({ id, ...reach, noteId, task, now, automatic: false });
        const same = waiting.find((job) => job.note_id === noteId && job.task === asked);
        if (!same && waiting.length >= max) return 'limit reached';
        if (!same)
          await trx
            .insertInto('language_jobs')
            .values({ ...row, task: asked })
            .execute();
        await completeKey?.(trx, same?.id ?? id);
        return shown(same ?? row);
      });
    },

    async get(reach, id) {
      const row = await reached(database.db, reach).select(columns).where('id', '=', id).executeTakeFirst();
      return row && fromRow(row);
    },

    async list(reach, { noteId, ...page }) {
      const rows = reached(database.db, reach)
        .select(columns)
        .$if(noteId !== undefined, (query) => query.where('note_id', '=', noteId ?? ''));
      return (await newestFirst(rows, page).execute()).map(fromRow);
    },

    cancel(reach, id, now) {
      return database.write(async (trx) => {
        const found = await reached(trx, reach).select('id').where('id', '=', id).executeTakeFirst();
        if (!found) return false;
        await trx
          .updateTable('language_jobs')
          .set({ state: 'cancelled', worker: '', updated_at: now })
          .where('id', '=', id)
          .where('state', 'in', inWork)
          .execute();
        await forget(trx, id);
        return true;
      });
    },

    async giveBack(running, now) {
      const held = await database.db
        .selectFrom('language_jobs')
        .select('id')
        .where('state', '=', 'writing')
        .where('worker', '=', database.processId)
        .execute();
      const left = held.filter(({ id }) => !running.includes(id));
      for (const { id } of left) await release(id, { notBefore: now }, now);
      return left.length;
    },

    async claim(now, running) {
      // Almost always there is nothing to do, and a read does not hold up writes.
      const some = await database.db
        .selectFrom('language_jobs')
        .select('id')
        .where('state', 'in', inWork)
        .limit(1)
        .executeTakeFirst();
      if (!some) return undefined;
      return database.write(async (trx) => {
        const held = await trx
          .selectFrom('language_jobs')
          .select(['id', 'user_id', 'worker'])
          .where('state', '=', 'writing')
          .execute();
        const [busy, orphans]: string[][] = [[], []];
        for (const { id, user_id, worker } of held)
          if (worker === database.processId || (await database.isServing(trx, worker))) busy?.push(user_id);
          else orphans?.push(id);
        const next = await trx
          .selectFrom('language_jobs')
          .innerJoin('users', 'users.id', 'language_jobs.user_id')
          .select(columns.map((column) => `language_jobs.${column}` as const))
          .select(['task', 'given_title', 'language_jobs.workspace_id', 'faults', 'users.plan'])
          .where('users.suspended_at', 'is', null)
          .where((eb) =>
            eb.or([
              eb.and([eb('state', '=', 'queued'), eb('not_before', '<=', now)]),
              ...(orphans?.length ? [eb('language_jobs.id', 'in', orphans)] : []),
            ]),
          )
          .$if(running.length > 0, (query) => query.where('language_jobs.id', 'not in', running))
          .$if((busy?.length ?? 0) > 0, (query) => query.where('language_jobs.user_id', 'not in', busy ?? []))
          .orderBy(lastTurn)
          .orderBy('language_jobs.created_at')
          .orderBy('language_jobs.id')
          .limit(1)
          .executeTakeFirst();
        if (!next) return undefined;
        const claimed = { state: 'writing' as const, updated_at: now };
        await trx
          .updateTable('language_jobs')
          .set({ ...claimed, worker: database.processId, claimed_at: now })
          .where('id', '=', next.id)
          .execute();
        const task: Task = JSON.parse(next.task);
        return { ...fromRow(next), ...claimed, task };
      });
    },

    parts: (id) =>
      database.db
        .selectFrom('language_parts')
        .select(['asked_hash', 'text'])
        .where('job_id', '=', id)
        .orderBy('position')
        .execute(),

    keep(id, part, progress, now) {
      return database.write(async (trx) => {
        const result = await ownOfActive(trx, id)
          .set({ progress, faults: 0, updated_at: now })
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) return false;
        await trx
          .insertInto('language_parts')
          .values({ ...part, job_id: id })
          .onConflict((conflict) =>
            conflict
              .columns(['job_id', 'position'])
              .doUpdateSet({ text: part.text, asked_hash: part.asked_hash }),
          )
          .execute();
        return true;
      });
    },

    async settle({ id, user_id, note_id, workspace_id }, result, writing, now) {
      const filter =
        workspace_id === null
          ? ({ kind: 'member', userId: user_id } as const)
          : ({ kind: 'any space of', workspaceId: workspace_id } as const);
      const { isOwn, isLarge } = await database.writeLocked(async (trx) => {
        let made: StoredNote | undefined;
        if ('newNote' in result) {
          const from = await findForChange(database, trx, filter, note_id);
          if (!from) throw noteGone();
          const { seq: _, owner_id, other_edit: __, ...note } = from;
          made = result.newNote(note, owner_id);
        }
        const ended = await ownOfActive(trx, id)
          .set({
            state: 'done',
            progress: 1,
            error: null,
            error_code: null,
            worker: '',
            updated_at: now,
            result_note_id: made?.id ?? null,
          })
          .executeTakeFirst();
        if (ended.numUpdatedRows === 0n) return { isOwn: false, isLarge: false };
        await forget(trx, id);
        if (made) {
          const text = database.search.analyse(made);
          const inserted = await database.insertNote(trx, { row: noteRows.toRow(made), text });
          if (inserted !== 'ok') throw noteGone();
          return { isOwn: true, isLarge: text === null };
        }
        const changes = 'changes' in result ? result.changes : () => ({});
        const change = { filter, id: note_id, changes, now, writing };
        const { outcome, isLarge } = await changeNote(database, trx, change);
        if (outcome === 'not found') throw noteGone();
        return { isOwn: true, isLarge };
      }, note_id);
      if (isLarge) await indexLater(database);
      return isOwn;
    },

    async fail(id, { code, message }, now) {
      await database.write(async (trx) => {
        await own(trx, id)
          .set({ state: 'failed', error: message, error_code: code, worker: '', updated_at: now })
          .execute();
        await forget(trx, id);
      });
    },

    async inQueue() {
      const ofState = (state: (typeof inWork)[number], time: 'not_before' | 'updated_at') =>
        database.quick
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

    async removeOlder(than) {
      await database.write((trx) =>
        trx
          .deleteFrom('language_jobs')
          .where('created_at', '<', than)
          .where('state', 'not in', inWork)
          .execute(),
      );
    },
  };
}

/** After a job that began with the note within reach. */
const noteGone = () =>
  new AppError(
    'not_found',
    'The note was deleted or is no longer yours to read, so the text was not stored.',
  );

const suspended = (db: Db) => db.selectFrom('users').select('users.id').where('suspended_at', 'is not', null);

function shown(row: Pick<Schema['language_jobs'], keyof LanguageJob>): LanguageJob {
  const job = fromRow({ ...row });
  // The row of the insert has more columns.
  return Object.fromEntries(columns.map((column) => [column, job[column]])) as LanguageJob;
}
