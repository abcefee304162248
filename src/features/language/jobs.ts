import { limitReached } from '../../domain/errors.ts';
import type { PageQuery } from '../../domain/page.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import { newUuid } from '../../lib/uuid.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { reachableBy } from '../../platform/database/owners.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { rowsOf, type Schema } from '../../platform/database/schema.ts';
import type { Task } from './prompt.ts';
import { type Asker, personOf, reachedActions, settingsOf } from './queries.ts';
import { action, builtInActions, chosenActions, type LanguageJob, languageJob } from './schema.ts';

/** Texts that wait for one person. */
const mostWaiting = 100;
const { all, columns, first, fromRow } = rowsOf(languageJob);
const taskRows = rowsOf(action.pick({ sections: true }));
export const inWork = ['queued', 'writing'] as const;
const reached = (db: Db, { userId, workspaceId, notes }: Asker) =>
  db
    .selectFrom('language_jobs')
    .select(columns)
    .where((eb) => (workspaceId === null ? eb('user_id', '=', userId) : eb('workspace_id', '=', workspaceId)))
    // Of a note in the trash too: the job says why its text was not stored.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('notes')
          .select('notes.id')
          .whereRef('notes.id', '=', 'language_jobs.note_id')
          .where(reachableBy(notes)),
      ),
    );

export const find = (db: Db, asker: Asker, id: string): Promise<LanguageJob | undefined> =>
  first(reached(db, asker).where('id', '=', id));

export function page(db: Db, asker: Asker, query: PageQuery, noteId?: string): Promise<LanguageJob[]> {
  const rows = reached(db, asker);
  return all(newestFirst(noteId === undefined ? rows : rows.where('note_id', '=', noteId), query));
}

interface NewJob {
  id: string;
  asker: Pick<Asker, 'userId' | 'workspaceId'>;
  noteId: string;
  task: Task;
  now: string;
}

/** The same text that is in work already is not written twice: returns that job. Raises `limit_reached`. */
export async function add(tx: Tx, wanted: NewJob, most = mostWaiting): Promise<LanguageJob> {
  const { task, ...row } = newRow(wanted);
  const waiting = await tx
    .selectFrom('language_jobs')
    .select([...columns, 'task'])
    .where('user_id', '=', row.user_id)
    .where('state', 'in', inWork)
    .execute();
  const same = waiting.find((job) => job.note_id === row.note_id && job.task === task);
  if (!same && waiting.length >= most)
    throw limitReached(`${most} texts of yours wait already; let them end first.`);
  if (!same)
    await tx
      .insertInto('language_jobs')
      .values({ ...row, task })
      .execute();
  return shown(same ?? row);
}

/** One that is over stays as it is. */
export async function cancel(tx: Tx, { id }: Authorized<LanguageJob>, now: string): Promise<void> {
  await tx
    .updateTable('language_jobs')
    .set({ state: 'cancelled', worker: '', updated_at: now })
    .where('id', '=', id)
    .where('state', 'in', inWork)
    .execute();
  await forgetParts(tx, id);
}

/** What was written about the pieces of a long text, in order. */
export const parts = (db: Db, jobId: string) =>
  db
    .selectFrom('language_parts')
    .select(['asked_hash', 'text'])
    .where('job_id', '=', jobId)
    .orderBy('position')
    .execute();

export async function keepPart(
  tx: Tx,
  jobId: string,
  { position, ...part }: Omit<Schema['language_parts'], 'job_id'>,
  progress: number,
): Promise<void> {
  await tx.updateTable('language_jobs').set({ progress, faults: 0 }).where('id', '=', jobId).execute();
  await tx
    .insertInto('language_parts')
    .values({ ...part, position, job_id: jobId })
    .onConflict((conflict) => conflict.columns(['job_id', 'position']).doUpdateSet(part))
    .execute();
}

export const forgetParts = (tx: Tx, jobId: string) =>
  tx.deleteFrom('language_parts').where('job_id', '=', jobId).execute();

export const setResult = (tx: Tx, jobId: string, noteId: string) =>
  tx.updateTable('language_jobs').set({ result_note_id: noteId }).where('id', '=', jobId).execute();

/** Jobs that ended before this time. */
export const removeOlder = (tx: Tx, than: string) =>
  tx.deleteFrom('language_jobs').where('created_at', '<', than).where('state', 'not in', inWork).execute();

function newRow(
  { id, asker, noteId, task: { id: action_id, ...task }, now }: NewJob,
  automatic?: { title: string | null },
) {
  const { name, prompt, sections, output, language } = task;
  return {
    id,
    user_id: asker.userId,
    note_id: noteId,
    workspace_id: asker.workspaceId,
    action_id,
    action_name: name,
    task: JSON.stringify({ id: action_id, name, prompt, sections, output, language }),
    given_title: automatic?.title ?? null,
    automatic: Number(automatic !== undefined),
    state: 'queued',
    progress: 0,
    error: null,
    error_code: null,
    result_note_id: null,
    worker: '',
    claimed_at: null,
    not_before: now,
    faults: 0,
    created_at: now,
    updated_at: now,
  } as const;
}

function shown(row: Pick<Schema['language_jobs'], keyof LanguageJob>): LanguageJob {
  const job = fromRow({ ...row });
  // The row of the insert has more columns.
  return Object.fromEntries(columns.map((column) => [column, job[column]])) as LanguageJob;
}

/**
 * In the transaction that ends a recording: what its person chose is queued, a title first. `givenTitle` is a title that the
 * server gave; undefined if a person typed one.
 */
export async function queueChosenActions(
  tx: Db,
  of: { userId: string; noteId: string; folderId: string | null; givenTitle: string | null | undefined },
  now: string,
): Promise<void> {
  const { userId, noteId, folderId, givenTitle } = of;
  const person = await personOf(tx, userId);
  if (!person || person.isBlocked || !person.isAllowed) return;
  const chosen = chosenActions(await settingsOf(tx, userId), folderId).filter(
    (id) => id !== 'title' || givenTitle !== undefined,
  );
  if (chosen.length === 0) return;
  const asker = { userId, workspaceId: null };
  const own = reachedActions(tx, asker).select(['id', 'name', 'prompt', 'sections', 'output', 'language']);
  const tasks: readonly Task[] = [...builtInActions, ...(await taskRows.all(own))];
  const found = chosen.flatMap((id) => tasks.find((task) => task.id === id) ?? []);
  for (const task of found)
    await tx
      .insertInto('language_jobs')
      .values(newRow({ id: newUuid(), asker, noteId, task, now }, { title: givenTitle ?? null }))
      .execute();
}
