import { type InferResult, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { type KeyUses, liveKey, storedKey } from '../../domain/api-key.ts';
import type { PlanName } from '../../domain/plans.ts';
import type { Policy } from '../../domain/policy.ts';
import type { Database, Db } from './database.ts';
import { blocksOn, withBlockedBy } from './policies.ts';
import { rowsOf } from './schema.ts';

export const keyRows = rowsOf(storedKey);
const liveKeyColumns = rowsOf(liveKey).columns;

/** Rows of `api_keys` that are not revoked and have not expired. */
export const keyWorks = (now: string) =>
  sql<SqlBool>`revoked_at is null and (expires_at is null or expires_at > ${now})`;

/** A key that is not revoked, with the plan that limits its calls. The caller checks whether it has expired. */
export type LiveKey = z.infer<typeof liveKey> & {
  plan: PlanName;
  /** What the workspaces that manage the user turn off; empty for a workspace key. */
  blocked_by: Policy[];
};

export type KeyStore = ReturnType<typeof createKeyStore>;

/** What authentication reads and writes with each key; the feature `keys` has the rest. */
export function createKeyStore(database: Database) {
  const { db } = database;
  // Built once: after a change of any key or plan, every key in use is read again.
  const liveKeyQuery = selectLiveKey(db, '');
  const liveKeyText = liveKeyQuery.compile().sql;

  return {
    async findByHash(hash: string): Promise<LiveKey | undefined> {
      const [known] = await database.read<InferResult<typeof liveKeyQuery>[number]>(liveKeyText, [hash]);
      const row = known ?? (await selectRotatedKey(db, hash).executeTakeFirst());
      if (!row) return undefined;
      const { user_plan, workspace_plan, blocked_by, ...key } = withBlockedBy(row);
      const isPersonal = key.kind === 'personal';
      const plan = isPersonal ? user_plan : workspace_plan;
      if (plan === null) return undefined;
      return { ...keyRows.fromRow(key), plan, blocked_by: isPersonal ? blocked_by : [] };
    },

    /** Changes when a key, plan, policy or account may have changed, in this process or another. */
    epoch: () => database.principalsEpoch(),

    /** A time earlier than the stored one changes nothing. */
    touch(used: KeyUses): Promise<void> {
      return database.write(async (trx) => {
        for (const [id, { at, route }] of used)
          await trx
            .updateTable('api_keys')
            .set({ last_used_at: at, last_used_route: route })
            .where('id', '=', id)
            // Replicas save these times later, so the last one to save may not have seen the last call.
            .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
            .execute();
      });
    },
  };
}

export const selectLiveKey = (db: Db, hash: string) => selectUnrevoked(db).where('key_hash', '=', hash);

/** Finds a key by its old secret, which expires when the grace period after a rotation ends. */
const selectRotatedKey = (db: Db, hash: string) =>
  selectUnrevoked(db)
    .where('old_key_hash', '=', hash)
    .clearSelect()
    .select(liveKeyColumns.flatMap((column) => (column === 'expires_at' ? [] : [`key.${column}` as const])))
    .select(['users.plan as user_plan', 'workspaces.plan as workspace_plan'])
    .select(blocksOn('key.user_id'))
    .select(
      sql<string>`case when key.expires_at < key.old_expires_at then key.expires_at else key.old_expires_at end`.as(
        'expires_at',
      ),
    );

const selectUnrevoked = (db: Db) =>
  db
    .selectFrom('api_keys as key')
    .leftJoin('users', 'users.id', 'key.user_id')
    .leftJoin('workspaces', 'workspaces.id', 'key.workspace_id')
    .select(liveKeyColumns.map((column) => `key.${column}` as const))
    .select(['users.plan as user_plan', 'workspaces.plan as workspace_plan'])
    .select(blocksOn('key.user_id'))
    .where('revoked_at', 'is', null)
    // Also keys of workspaces: the person who made one still knows its secret.
    .where('users.suspended_at', 'is', null);
