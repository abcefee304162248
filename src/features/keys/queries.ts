import type { SelectQueryBuilder } from 'kysely';
import type { KeyOwner, StoredKey } from '../../domain/api-key.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { keyRows, keyWorks } from '../../platform/database/keys.ts';
import type { Schema } from '../../platform/database/schema.ts';

type KeyQuery = SelectQueryBuilder<Schema, 'api_keys', Record<never, never>>;

function of(db: Db, owner: KeyOwner): KeyQuery {
  const query = db.selectFrom('api_keys');
  switch (owner.kind) {
    case 'personal':
      return query.where('user_id', '=', owner.userId).where('kind', '=', 'personal');
    case 'workspace':
      return query.where('workspace_id', '=', owner.workspaceId);
    case 'anyone':
      return query;
  }
}

const active = (query: KeyQuery, now: string) => query.select(keyRows.columns).where(keyWorks(now));

/** The newest first. */
export const list = (db: Db, owner: KeyOwner, now: string): Promise<StoredKey[]> =>
  keyRows.all(active(of(db, owner), now).orderBy('created_at', 'desc').orderBy('id', 'desc'));

export const findActive = (db: Db, owner: KeyOwner, id: string, now: string) =>
  keyRows.first(active(of(db, owner), now).where('id', '=', id));

/** Also a key that is revoked or has expired. */
export const find = (db: Db, owner: KeyOwner, id: string) =>
  of(db, owner).select(['id', 'name', 'workspace_id', 'revoked_at']).where('id', '=', id).executeTakeFirst();

/**
 * How many keys like this one its person has, and its workspace. An expired key counts no more: it is revoked, so that it does not
 * work even if the clock is set back.
 */
export async function count(tx: Tx, { kind, user_id, workspace_id }: StoredKey, now: string) {
  const unrevoked = await tx
    .selectFrom('api_keys')
    .select(['id', 'user_id', 'workspace_id', 'expires_at'])
    .where('kind', '=', kind)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('user_id', '=', user_id), eb('workspace_id', '=', workspace_id)]))
    .execute();
  const isExpired = ({ expires_at }: { expires_at: string | null }) =>
    expires_at !== null && expires_at <= now;
  const expired = unrevoked.filter(isExpired).map(({ id }) => id);
  // An update that finds no key would still make every server forget the keys that it knows.
  if (expired.length > 0)
    await tx.updateTable('api_keys').set({ revoked_at: now }).where('id', 'in', expired).execute();
  const left = unrevoked.filter((key) => !isExpired(key));
  return {
    ofPerson: left.filter((key) => key.user_id === user_id).length,
    ofWorkspace: left.filter((key) => workspace_id !== null && key.workspace_id === workspace_id).length,
  };
}

export const insert = (tx: Tx, key: StoredKey) =>
  tx.insertInto('api_keys').values(keyRows.toRow(key)).execute();

export const revoke = (tx: Tx, { id }: Authorized<{ id: string }>, now: string) =>
  tx.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', id).execute();

/** The old secret works until `oldExpiresAt`; any older one stops working. */
export const replaceSecret = (
  tx: Tx,
  { id, key_hash }: Authorized<StoredKey>,
  proof: Pick<StoredKey, 'key_hash' | 'key_prefix'>,
  oldExpiresAt: string,
) =>
  tx
    .updateTable('api_keys')
    .set({ ...proof, old_key_hash: key_hash, old_expires_at: oldExpiresAt })
    .where('id', '=', id)
    .execute();
