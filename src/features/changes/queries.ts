import { type SqlBool, sql } from 'kysely';
import type { ChangeEvent, ChangePosition, LoggedChange } from '../../domain/change.ts';
import type { Edit } from '../../domain/note.ts';
import type { OwnerFilter } from '../../domain/owner.ts';
import { dayMs } from '../../domain/rate-limit.ts';
import { isoAfter } from '../../lib/clock.ts';
import { per } from '../../lib/per.ts';
import { newUuid } from '../../lib/uuid.ts';
import type { Database, Db } from '../../platform/database/database.ts';
import {
  addInstalledValue,
  installedValue,
  setInstalledValue,
} from '../../platform/database/installation.ts';

export type LoggedEvent = LoggedChange &
  ChangePosition &
  Pick<ChangeEvent, 'revision' | 'session' | 'by'> & { owner_id: string };

/** Triggers write the changes (migrations/0092), except those without a row of their own: see `logChange`. */
const timelineName = 'changes_timeline';
const rowsPerWrite = 1_000;

const lastOfOwner = per((database: Database) => selectLast(database).compile().sql);

/**
 * A mark of what the owner has now. Any change, in any process, gives another mark. Undefined if there is none, because a
 * change may be uncommitted or the last one is forgotten.
 */
export async function markOf(database: Database, ownerId: string): Promise<string | undefined> {
  const [last] = await database.read<LastChange>(lastOfOwner(database), [ownerId]);
  // A transaction that still runs has a number that is not below the horizon. So whatever it will commit gets in front of
  // this one, but only if this one is below.
  return last?.isOver ? `${last.timeline} ${last.tx} ${last.seq}` : undefined;
}

/** The people and spaces that are within reach now. */
export async function ownersIn(db: Db, reach: OwnerFilter): Promise<string[]> {
  if (reach.kind === 'owner') return [reach.ownerId];
  const spaces = db.selectFrom('spaces').select('spaces.id').where('archived_at', 'is', null);
  const reached =
    reach.kind === 'any space of'
      ? spaces.where('workspace_id', '=', reach.workspaceId)
      : spaces.where('workspace_id', 'in', ({ selectFrom }) =>
          selectFrom('workspace_members').select('workspace_id').where('user_id', '=', reach.userId),
        );
  const ids = (await reached.execute()).map(({ id }) => id);
  return reach.kind === 'member' ? [reach.userId, ...ids] : ids;
}

/** Like `readChanges`, of several owners in one order, with what is known of each note now. */
export async function readEvents(
  database: Database,
  ownerIds: readonly string[],
  after: ChangePosition,
  limit: number,
): Promise<LoggedEvent[]> {
  if (ownerIds.length === 0) return [];
  const { db, changesHorizon } = database;
  const rows = await db
    .selectFrom('changes')
    .leftJoin('notes', (join) =>
      join
        .onRef('notes.id', '=', 'changes.id')
        .on('changes.type', '=', 'note')
        .on('notes.deleted_at', 'is', null),
    )
    .select(['tx', 'changes.seq', 'changes.owner_id', 'type', 'changes.id', 'action', 'at'])
    .select(['revision', 'edit', 'edited_by', 'edited_at', 'updated_at'])
    .where('changes.owner_id', 'in', ownerIds)
    .where('tx', '<', changesHorizon)
    .where(database.changesBehind(after))
    .orderBy('tx')
    .orderBy('changes.seq')
    .limit(limit)
    .execute();
  return rows.map(({ edit, edited_by, edited_at, updated_at, ...row }) => {
    const isText = edited_at !== null && edited_at === updated_at;
    const session = isText && edit !== null ? (JSON.parse(edit) as Edit).session : null;
    // The columns of a row belong together, which the types of columns cannot say.
    return { ...row, session, by: isText ? edited_by : null } as LoggedEvent;
  });
}

/** Where all changes end now. Everything committed later comes after this place. */
export const endOfChanges = ({ db, changesEnd }: Database): Promise<ChangePosition> =>
  db.selectNoFrom([changesEnd.tx.as('tx'), changesEnd.seq.as('seq')]).executeTakeFirstOrThrow();

/** Everything up to this place may have been deleted; undefined if nothing was. */
export const forgottenUntil = (db: Db): Promise<(ChangePosition & { at: string }) | undefined> =>
  db
    .selectFrom('change_marks')
    .select(['at', 'tx', 'seq'])
    .where('forgotten', '=', 1)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();

/** For the housekeeping: deletes the changes that were committed before this time, give or take a day. */
export async function forgetChanges(database: Database, before: string, now: string): Promise<void> {
  await database.write((tx) => noteMark(database, tx, now));
  const mark = await database.db
    .selectFrom('change_marks')
    .select(['at', 'tx', 'seq'])
    .where('at', '<', before)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!mark) return;
  // First, so that a reader notices rows that are deleted while it reads.
  await database.write(async (tx) => {
    await tx.deleteFrom('change_marks').where('at', '<', mark.at).execute();
    await tx.updateTable('change_marks').set({ forgotten: 1 }).where('at', '=', mark.at).execute();
  });
  while ((await deleteUpTo(database, mark)) > 0);
}

/** Deletes the oldest first, in small writes, so that no other write waits long. */
const deleteUpTo = (database: Database, { tx, seq }: ChangePosition): Promise<number> =>
  database.writeLocked(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('changes')
      .where('seq', 'in', ({ selectFrom }) =>
        selectFrom('changes').select('seq').orderBy('seq').limit(rowsPerWrite),
      )
      .where(sql<SqlBool>`(tx, seq) <= (${tx}, ${seq})`)
      .executeTakeFirst();
    return Number(numDeletedRows);
  });

async function noteMark({ changesEnd }: Database, tx: Db, now: string): Promise<void> {
  const last = await tx
    .selectFrom('change_marks')
    .select(({ fn }) => fn.max('at').as('at'))
    .executeTakeFirst();
  const yesterday = isoAfter(now, -dayMs);
  if (last?.at && last.at > yesterday) return;
  await tx
    .insertInto('change_marks')
    .values({ at: now, ...changesEnd })
    .execute();
}

/**
 * Begins a new timeline: cursors of the old one are refused. Without `always`, only if the database was moved to a PostgreSQL
 * server whose transactions have smaller numbers.
 */
export async function startTimeline(database: Database, { always }: { always: boolean }): Promise<void> {
  await database.write(async (tx) => {
    const ahead = await tx
      .selectFrom('changes')
      .select('seq')
      .where('tx', '>=', database.nextTransaction)
      .limit(1)
      .executeTakeFirst();
    if (ahead || always) return beginTimeline(tx, newUuid());
    // Now, because 1,500 streams that all wrote the first name went on in one turn, 0.2 s long.
    await addInstalledValue(tx, timelineName, newUuid());
  });
}

async function beginTimeline(tx: Db, value: string): Promise<void> {
  await tx.deleteFrom('change_marks').execute();
  // Transaction numbers start again. Waiting events must stay behind the place of their webhook.
  await sql`update webhooks set tx = 0, seq = coalesce(
    (select min(seq) - 1 from changes
      where owner_id = webhooks.owner_id and (changes.tx, changes.seq) > (webhooks.tx, webhooks.seq)),
    (select max(seq) from changes where owner_id = webhooks.owner_id),
    0)`.execute(tx);
  await tx.updateTable('changes').set({ tx: 0 }).where('tx', '!=', 0).execute();
  await setInstalledValue(tx, timelineName, value);
}

/** The name of the history of this database. It is there since the server started. */
export const timelineOf = async (db: Db): Promise<string> => (await installedValue(db, timelineName)) ?? '';

/** Inside a write: logs a change that no trigger sees. Webhooks get it if the write commits. */
export async function logChange(trx: Db, ownerId: string, change: LoggedChange): Promise<void> {
  await trx
    .insertInto('changes')
    .values({ ...change, owner_id: ownerId })
    .execute();
}

/** What was created, updated and deleted. A later read finds the same rows, with new ones only after them. */
export async function readChanges(
  database: Database,
  ownerId: string,
  after: ChangePosition,
  limit: number,
): Promise<(LoggedChange & ChangePosition)[]> {
  const rows = await selectChanges(database, ownerId)
    .where(database.changesBehind(after))
    .orderBy('tx')
    .orderBy('seq')
    .limit(limit)
    .execute();
  // The columns of a row belong together, which the types of columns cannot say.
  return rows as (LoggedChange & ChangePosition)[];
}

interface LastChange {
  tx: number;
  seq: number;
  isOver: number | boolean;
  /** Null until a server has started on this database. After a backup was restored, the numbers of the lost time are given out again. */
  timeline: string | null;
}

const selectLast = ({ db, changesHorizon }: Database) =>
  db
    .selectFrom('changes')
    .select(({ selectFrom }) => [
      'tx',
      'seq',
      sql<number | boolean>`tx < ${changesHorizon}`.as('isOver'),
      selectFrom('installation').select('value').where('name', '=', sql.lit(timelineName)).as('timeline'),
    ])
    .where('owner_id', '=', '')
    .orderBy('tx', 'desc')
    .orderBy('seq', 'desc')
    .limit(sql.lit(1));

/** Only rows of finished transactions that are older than every running one. */
const selectChanges = ({ db, changesHorizon }: Database, ownerId: string) =>
  db
    .selectFrom('changes')
    .select(['tx', 'seq', 'type', 'id', 'action', 'at'])
    .where('owner_id', '=', ownerId)
    .where('tx', '<', changesHorizon);
