import { type SqlBool, sql } from 'kysely';
import type { ChangePosition, LoggedChange } from '../domain/change.ts';
import type { Edit } from '../domain/note.ts';
import { dayMs } from '../domain/rate-limit.ts';
import type { ChangeStore, LoggedEvent } from '../ports/note-store.ts';
import type { Database, Db } from './database.ts';

const timelineName = 'changes_timeline';
const rowsPerWrite = 1_000;

/** Triggers write the changes (migrations/0092), except those without a row of their own: see `logChange`. */
export function createChangeStore(database: Database, newId: () => string): ChangeStore {
  const { nextTransaction, changesEnd } = database;
  const lastOfOwner = selectLast(database).compile().sql;

  return {
    async mark(ownerId) {
      const [last] = await database.read<LastChange>(lastOfOwner, [ownerId]);
      // A transaction that still runs has a number that is not below the horizon. So whatever it will commit gets in front of
      // this one, but only if this one is below.
      return last?.isOver ? `${last.timeline} ${last.tx} ${last.seq}` : undefined;
    },

    async ownersIn(filter) {
      if (filter.kind === 'owner') return [filter.ownerId];
      const spaces = database.db.selectFrom('spaces').select('spaces.id').where('archived_at', 'is', null);
      const reached =
        filter.kind === 'any space of'
          ? spaces.where('workspace_id', '=', filter.workspaceId)
          : spaces.where('workspace_id', 'in', ({ selectFrom }) =>
              selectFrom('workspace_members').select('workspace_id').where('user_id', '=', filter.userId),
            );
      const ids = (await reached.execute()).map(({ id }) => id);
      return filter.kind === 'member' ? [filter.userId, ...ids] : ids;
    },

    async readEvents(ownerIds, after, limit) {
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
    },

    read: (ownerId, after, limit) => readChanges(database, ownerId, after, limit),

    end: () =>
      database.db.selectNoFrom([changesEnd.tx.as('tx'), changesEnd.seq.as('seq')]).executeTakeFirstOrThrow(),

    async forget(before, now) {
      await database.write((trx) => noteMark(trx, now));
      const mark = await database.db
        .selectFrom('change_marks')
        .select(['at', 'tx', 'seq'])
        .where('at', '<', before)
        .orderBy('at', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (!mark) return;
      // First, so that a reader notices rows that are deleted while it reads.
      await database.write(async (trx) => {
        await trx.deleteFrom('change_marks').where('at', '<', mark.at).execute();
        await trx.updateTable('change_marks').set({ forgotten: 1 }).where('at', '=', mark.at).execute();
      });
      while ((await deleteUpTo(mark)) > 0);
    },

    forgotten: () =>
      database.db
        .selectFrom('change_marks')
        .select(['at', 'tx', 'seq'])
        .where('forgotten', '=', 1)
        .orderBy('at', 'desc')
        .limit(1)
        .executeTakeFirst(),

    async startOver({ always }) {
      await database.write(async (trx) => {
        const ahead = await trx
          .selectFrom('changes')
          .select('seq')
          .where('tx', '>=', nextTransaction)
          .limit(1)
          .executeTakeFirst();
        if (ahead || always) return beginTimeline(trx, newId());
        // Now, because 1,500 streams that all wrote the first name went on in one turn, 0.2 s long.
        await trx
          .insertInto('installation')
          .values({ name: timelineName, value: newId() })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .execute();
      });
    },
  };

  /** Deletes the oldest first, in small writes, so that others do not wait long. */
  function deleteUpTo({ tx, seq }: ChangePosition): Promise<number> {
    return database.writeLocked(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('changes')
        .where('seq', 'in', ({ selectFrom }) =>
          selectFrom('changes').select('seq').orderBy('seq').limit(rowsPerWrite),
        )
        .where(sql<SqlBool>`(tx, seq) <= (${tx}, ${seq})`)
        .executeTakeFirst();
      return Number(numDeletedRows);
    });
  }

  async function noteMark(trx: Db, now: string): Promise<void> {
    const last = await trx
      .selectFrom('change_marks')
      .select(({ fn }) => fn.max('at').as('at'))
      .executeTakeFirst();
    const yesterday = new Date(Date.parse(now) - dayMs).toISOString();
    if (last?.at && last.at > yesterday) return;
    await trx
      .insertInto('change_marks')
      .values({ at: now, ...changesEnd })
      .execute();
  }

  async function beginTimeline(trx: Db, value: string): Promise<void> {
    await trx.deleteFrom('change_marks').execute();
    // Transaction numbers start again. Waiting events must stay behind the place of their webhook.
    await sql`update webhooks set tx = 0, seq = coalesce(
      (select min(seq) - 1 from changes
        where owner_id = webhooks.owner_id and (changes.tx, changes.seq) > (webhooks.tx, webhooks.seq)),
      (select max(seq) from changes where owner_id = webhooks.owner_id),
      0)`.execute(trx);
    await trx.updateTable('changes').set({ tx: 0 }).where('tx', '!=', 0).execute();
    await trx
      .insertInto('installation')
      .values({ name: timelineName, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  }
}

/** Inside a write: logs a change that no trigger sees. Webhooks get it if the write commits. */
export async function logChange(trx: Db, ownerId: string, change: LoggedChange): Promise<void> {
  await trx
    .insertInto('changes')
    .values({ ...change, owner_id: ownerId })
    .execute();
}

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
  /** Null until somebody asks for changes. After a backup was restored, the numbers of the lost time are given out again. */
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
