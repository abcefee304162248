import { action } from '../domain/action.ts';
import type { ActionStore, LanguageReach } from '../ports/language-store.ts';
import type { Database, Db } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { rowsOf } from './schema.ts';

const { columns, toRow, fromRow } = rowsOf(action);

export function createActionStore(database: Database): ActionStore {
  /** What the caller may change. */
  const changeable = (trx: Db, { userId, workspaceId }: LanguageReach, id: string) =>
    trx
      .selectFrom('actions')
      .select('id')
      .where('id', '=', id)
      .where((eb) =>
        workspaceId !== null
          ? eb('workspace_id', '=', workspaceId)
          : eb.or([
              eb('user_id', '=', userId),
              eb('workspace_id', 'in', joined(trx, userId).where('role', '=', 'admin')),
            ]),
      )
      .executeTakeFirst();

  return {
    async list(reach) {
      const rows = await reachedActions(database.db, reach)
        .select(columns)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        ...fromRow(row),
        user_id: row.user_id,
        created_at: row.created_at,
        updated_at: row.updated_at,
      }));
    },

    insert(draft, max) {
      const completeKey = keyCompletion();
      return database.write(async (trx) => {
        const { count } = await trx
          .selectFrom('actions')
          .select(({ fn }) => fn.countAll<number | string>().as('count'))
          .where('user_id', '=', draft.user_id)
          .executeTakeFirstOrThrow();
        if (Number(count) >= max) return 'limit reached';
        await trx.insertInto('actions').values(toRow(draft)).execute();
        await completeKey?.(trx, draft.id);
        return 'ok';
      });
    },

    update(reach, id, changes, now) {
      return database.write(async (trx) => {
        if (!(await changeable(trx, reach, id))) return undefined;
        const row = await trx
          .updateTable('actions')
          .set(toRow({ ...changes, updated_at: now }))
          .where('id', '=', id)
          .returning(columns)
          .executeTakeFirstOrThrow();
        return fromRow(row);
      });
    },

    remove(reach, id) {
      return database.write(async (trx) => {
        if (!(await changeable(trx, reach, id))) return false;
        await trx.deleteFrom('actions').where('id', '=', id).execute();
        return true;
      });
    },
  };
}

/** Own actions and those of one's workspaces; for a workspace key those of its workspace. */
export const reachedActions = (db: Db, { userId, workspaceId }: LanguageReach) =>
  db
    .selectFrom('actions')
    .where((eb) =>
      workspaceId !== null
        ? eb('workspace_id', '=', workspaceId)
        : eb.or([eb('user_id', '=', userId), eb('workspace_id', 'in', joined(db, userId))]),
    );

const joined = (db: Db, userId: string) =>
  db
    .selectFrom('workspace_members')
    .select('workspace_members.workspace_id')
    .where('workspace_members.user_id', '=', userId);
