import { type InferResult, type SelectQueryBuilder, sql } from 'kysely';
import { type KeyOwner, liveKey, storedKey } from '../domain/api-key.ts';
import type { KeyStore } from '../ports/store.ts';
import { recorder } from './audit.ts';
import type { Database, Db } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { blocksOn, withBlockedBy } from './policies.ts';
import { rowsOf, type Schema } from './schema.ts';

export const keyRows = rowsOf(storedKey);
const liveKeyColumns = rowsOf(liveKey).columns;

export function createKeyStore(database: Database): KeyStore {
  const { db } = database;
  // Built once: after a change of any key or plan, every key in use is read again.
  const liveKeyQuery = selectLiveKey(db, '');
  const liveKeyText = liveKeyQuery.compile().sql;

  return {
    async findByHash(hash) {
      const [known] = await database.read<InferResult<typeof liveKeyQuery>[number]>(liveKeyText, [hash]);
      const row = known ?? (await selectRotatedKey(db, hash).executeTakeFirst());
      if (!row) return undefined;
      const { user_plan, workspace_plan, blocked_by, ...key } = withBlockedBy(row);
      const isPersonal = key.kind === 'personal';
      const plan = isPersonal ? user_plan : workspace_plan;
      if (plan === null) return undefined;
      return { ...keyRows.fromRow(key), plan, blocked_by: isPersonal ? blocked_by : [] };
    },

    epoch: () => database.principalsEpoch(),

    async insert(key, max, now, kept, maxOfWorkspace = Number.POSITIVE_INFINITY) {
      const completeKey = keyCompletion();
      const record = recorder();
      const unrevoked = (trx: Db) =>
        trx.selectFrom('api_keys').select('id').where('kind', '=', key.kind).where('revoked_at', 'is', null);
      const byUser = (trx: Db) => unrevoked(trx).where('user_id', '=', key.user_id);
      const ofWorkspace = (trx: Db) => unrevoked(trx).where('workspace_id', '=', key.workspace_id);
      const expired = await unrevoked(db)
        .where((eb) => eb.or([eb('user_id', '=', key.user_id), eb('workspace_id', '=', key.workspace_id)]))
        .where('expires_at', '<=', now)
        .execute();
      return database.write(async (trx) => {
        // An expired key makes room for a new one. It is revoked, so that it stays dead even if the clock is set back.
        for (const { id } of expired)
          await trx.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', id).execute();
        if ((await byUser(trx).execute()).length >= max) return 'limit reached';
        if ((await ofWorkspace(trx).execute()).length >= maxOfWorkspace) return 'workspace is full';
        await trx.insertInto('api_keys').values(keyRows.toRow(key)).execute();
        await record(trx, { act: 'key.created', ...keyFacts(key), detail: key.scopes.join(' ') });
        await completeKey?.(trx, key.id, kept);
        return 'ok';
      });
    },

    async listActive(owner, now) {
      const rows = await ownedBy(owner, db.selectFrom('api_keys'))
        .select(keyRows.columns)
        .where('revoked_at', 'is', null)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(keyRows.fromRow);
    },

    revoke(owner, id, now) {
      const record = recorder();
      return database.write(async (trx) => {
        const key = await ownedBy(owner, trx.selectFrom('api_keys'))
          .select(['revoked_at', 'id', 'name', 'workspace_id'])
          .where('id', '=', id)
          .executeTakeFirst();
        if (key && key.revoked_at === null) {
          await trx.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', id).execute();
          await record(trx, { act: 'key.revoked', ...keyFacts(key) });
        }
        return key !== undefined;
      });
    },

    rotate(owner, id, { key_hash, key_prefix }, { now, oldExpiresAt }, kept) {
      const completeKey = keyCompletion();
      const record = recorder();
      return database.write(async (trx) => {
        const key = await ownedBy(owner, trx.selectFrom('api_keys'))
          .select(['id', 'key_hash'])
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
          .executeTakeFirst();
        if (!key) return undefined;
        const row = await trx
          .updateTable('api_keys')
          .set({ key_hash, key_prefix, old_key_hash: key.key_hash, old_expires_at: oldExpiresAt })
          .where('id', '=', id)
          .returning(keyRows.columns)
          .executeTakeFirstOrThrow();
        await record(trx, { act: 'key.rotated', ...keyFacts(row) });
        await completeKey?.(trx, id, kept);
        return keyRows.fromRow(row);
      });
    },

    touch(used) {
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

const keyFacts = (key: { id: string; name: string; workspace_id: string | null }) => ({
  subject_id: key.id,
  subject_name: key.name,
  workspace_id: key.workspace_id,
});

type KeyQuery = SelectQueryBuilder<Schema, 'api_keys', Record<never, never>>;

function ownedBy(owner: KeyOwner, query: KeyQuery): KeyQuery {
  switch (owner.kind) {
    case 'personal':
      return query.where('user_id', '=', owner.userId).where('kind', '=', 'personal');
    case 'workspace':
      return query.where('workspace_id', '=', owner.workspaceId);
    case 'anyone':
      return query;
  }
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
    // Also keys of workspaces: whoever made one still knows its secret.
    .where('users.suspended_at', 'is', null);
