import { action } from '../domain/action.ts';
import type { ActionStore, Asker, LanguageReach } from '../ports/language-store.ts';
import type { Database, Db } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { rowsOf } from './schema.ts';

const { columns, toRow, fromRow } = rowsOf(action);

export function createActionStore(database: Database): ActionStore {
  /** What the caller may change. */
  const changeable = (trx: Db, reach: LanguageReach, id: string) =>
    reachedActions(trx, reach)
      .select('id')
      .where('id', '=', id)
      .where((eb) =>
        eb.or([
          eb('user_id', '=', reach.userId),
          ...(reach.notes.kind === 'any space of' ? [eb.lit(true)] : []),
          ...(reach.notes.kind === 'member'
            ? [eb('workspace_id', 'in', joined(trx, reach.userId).where('role', '=', 'admin'))]
            : []),
        ]),
      )
      .executeTakeFirst();

  return {
    async list(asker) {
      const rows = await reachedActions(database.db, asker)
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
export const reachedActions = (db: Db, { userId, workspaceId }: Asker) =>
  db
    .selectFrom('actions')
    .where((eb) =>
      workspaceId !== null
        ? eb('workspace_id', '=', workspaceId)
        : eb.or([
            eb.and([eb('user_id', '=', userId), eb('workspace_id', 'is', null)]),
            eb('workspace_id', 'in', joined(db, userId)),
          ]),
    );

/**
 * Inside a write, before an account is deleted: what it shared stays with the workspace, in the name of its oldest other admin,
 * or of its oldest member.
 */
export async function handOverActions(trx: Db, userId: string): Promise<void> {
  const shared = await trx
    .selectFrom('actions')
    .select('workspace_id')
    .distinct()
    .where('user_id', '=', userId)
    .where('workspace_id', 'is not', null)
    .execute();
  for (const { workspace_id } of shared) {
    const heir = await trx
      .selectFrom('workspace_members')
      .select('user_id')
      .where('workspace_id', '=', workspace_id)
      .where('user_id', '!=', userId)
      .orderBy(({ case: when }) => when().when('role', '=', 'admin').then(0).else(1).end())
      .orderBy('created_at')
      .orderBy('user_id')
      .executeTakeFirst();
    if (heir)
      await trx
        .updateTable('actions')
        .set(heir)
        .where('user_id', '=', userId)
        .where('workspace_id', '=', workspace_id)
        .execute();
  }
}

const joined = (db: Db, userId: string) =>
  db
    .selectFrom('workspace_members')
    .select('workspace_members.workspace_id')
    .where('workspace_members.user_id', '=', userId);
