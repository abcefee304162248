import type { NewSession } from '../../../domain/session.ts';
import type { User } from '../../../domain/user.ts';
import type { Writing } from '../../../kernel/context.ts';
import { countRows } from '../../../platform/database/count.ts';
import type { Db, Tx } from '../../../platform/database/database.ts';
import { rowsOf, type Schema } from '../../../platform/database/schema.ts';
import { userColumns } from '../accounts/queries.ts';
import { insertSession } from '../sessions/queries.ts';
import { passkey, type StoredPasskey } from './schema.ts';

const { all, first, toRow } = rowsOf(passkey);

export type UsedChallenge = Schema['used_challenges'];

const of = (db: Db, userId: string) => db.selectFrom('passkeys').where('user_id', '=', userId);

export const list = (db: Db, userId: string): Promise<StoredPasskey[]> =>
  all(of(db, userId).selectAll().orderBy('created_at').orderBy('id'));

export const findByCredential = (db: Db, credentialId: string): Promise<StoredPasskey | undefined> =>
  first(db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId));

/** Uses the challenge up. `used`: it was used before. `known`: this key is here already. */
export async function insert(
  { tx, audit }: Writing,
  added: StoredPasskey,
  challenge: UsedChallenge,
  most: number,
): Promise<'ok' | 'used' | 'known' | 'too many'> {
  if (!(await useUp(tx, challenge, added.created_at))) return 'used';
  if ((await countRows(of(tx, added.user_id))) >= most) return 'too many';
  const result = await tx
    .insertInto('passkeys')
    .values(toRow(added))
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirst();
  if ((result.numInsertedOrUpdatedRows ?? 0n) === 0n) return 'known';
  await audit({ act: 'passkey.added', subject_id: added.id, subject_name: added.name });
  return 'ok';
}

/** Uses the challenge up. Undefined if it was used before, or the key is gone or was used meanwhile. */
export async function signIn(
  context: Writing,
  { id, counter, backed_up }: Pick<StoredPasskey, 'id' | 'counter' | 'backed_up'>,
  challenge: UsedChallenge,
  session: NewSession,
): Promise<User | 'suspended' | undefined> {
  const { tx } = context;
  const now = session.created_at;
  if (!(await useUp(tx, challenge, now))) return undefined;
  const used = await tx
    .updateTable('passkeys')
    .set({ ...toRow({ backed_up }), counter, used_at: now })
    .where('id', '=', id)
    // Keys that do not count stay at 0. Another sign-in may have come first.
    .where((eb) => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
    .returning('user_id')
    .executeTakeFirst();
  if (!used) return undefined;
  const user = await tx
    .selectFrom('users')
    .select([...userColumns, 'suspended_at'])
    .where('id', '=', used.user_id)
    .executeTakeFirst();
  if (!user) return undefined;
  const { suspended_at, ...account } = user;
  if (suspended_at !== null) return 'suspended';
  await insertSession(context, { ...session, user_id: user.id }, 'passkey');
  return account;
}

/** Undefined if the person has no such key. */
export const rename = (tx: Tx, userId: string, id: string, name: string) =>
  first(
    tx
      .updateTable('passkeys')
      .set({ name })
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .returningAll(),
  );

/** False if the person has no such key. */
export async function remove({ tx, audit }: Writing, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await audit({ act: 'passkey.removed', subject_id: id });
  return true;
}

/** False if it was used before. Also forgets those that have expired. */
async function useUp(tx: Tx, used: UsedChallenge, now: string): Promise<boolean> {
  await tx.deleteFrom('used_challenges').where('expires_at', '<=', now).execute();
  const result = await tx
    .insertInto('used_challenges')
    .values(used)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
