import { conflict, notFound } from '../../../domain/errors.ts';
import { type User, user } from '../../../domain/user.ts';
import type { Writing } from '../../../kernel/context.ts';
import { describeChanges } from '../../../platform/database/audit.ts';
import type { Db, Tx } from '../../../platform/database/database.ts';
import { rowsOf } from '../../../platform/database/schema.ts';
import { endSetup } from '../../operator/setup/queries.ts';

export const { columns: userColumns } = rowsOf(user);

export const list = (db: Db): Promise<User[]> =>
  db.selectFrom('users').select(userColumns).orderBy('created_at').orderBy('id').execute();

export const findById = (db: Db, id: string) =>
  db.selectFrom('users').select(userColumns).where('id', '=', id).executeTakeFirst();

export const findByEmail = (db: Db, email: string) =>
  db.selectFrom('users').select(userColumns).where('email', '=', email).executeTakeFirst();

/** By id or by e-mail address. */
export const find = (db: Db, named: string) =>
  db
    .selectFrom('users')
    .select(userColumns)
    .where((eb) => eb.or([eb('id', '=', named), eb('email', '=', named)]))
    .executeTakeFirst();

export const hasAny = async (db: Db) =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;

/** Raises `conflict` if another account has the address. */
export async function insert({ tx, audit }: Writing, account: User): Promise<void> {
  await refuseTaken(tx, account);
  await tx.insertInto('users').values(account).execute();
  // From now on there may be notes of others, which a person who sets mail or language model could read (decision 236).
  await endSetup(tx);
  await audit({
    act: 'account.created',
    subject_id: account.id,
    subject_name: account.email ?? account.name,
  });
}

/** Writes, and tells the log of, only what is different afterwards. Raises `not_found`, and `conflict` like `insert`. */
export async function update(
  { tx, audit }: Writing,
  id: string,
  changes: Partial<Omit<User, 'id'>>,
): Promise<User> {
  await refuseTaken(tx, { id, email: changes.email ?? null });
  const account = await findById(tx, id);
  if (!account) throw notFound('User');
  const changed = userColumns.filter((name) => name in changes && Object(changes)[name] !== account[name]);
  // A write to an account makes every server read all keys again, so there is none without a change.
  if (changed.length === 0) return account;
  const news = Object.fromEntries(changed.map((name) => [name, Object(changes)[name]]));
  await tx.updateTable('users').set(news).where('id', '=', id).execute();
  await audit({ act: 'account.changed', subject_id: id, detail: describeChanges(news) });
  return { ...account, ...news };
}

async function refuseTaken(tx: Tx, { id, email }: Pick<User, 'id' | 'email'>): Promise<void> {
  const owner = email === null ? undefined : await findByEmail(tx, email);
  if (owner && owner.id !== id) throw conflict('There is already an account with this e-mail address.');
}

/** Gives or takes the right of an operator. Tells the log only of a change. Raises `not_found`. */
export async function setOperator({ tx, audit }: Writing, id: string, isOperator: boolean): Promise<void> {
  const account = await tx.selectFrom('users').select('is_operator').where('id', '=', id).executeTakeFirst();
  if (!account) throw notFound('User');
  if (account.is_operator === Number(isOperator)) return;
  await tx
    .updateTable('users')
    .set({ is_operator: Number(isOperator) })
    .where('id', '=', id)
    .execute();
  await audit({ act: isOperator ? 'operator.given' : 'operator.taken', subject_id: id });
}

/**
 * Whether the server would have no operator who can sign in without this one. Writes to the rows that it counts, so that
 * two operators who leave, or suspend each other, at the same moment do not both succeed.
 */
export async function isLastOperator(tx: Tx, userId: string): Promise<boolean> {
  const one = tx.selectFrom('users').select('is_operator').where('id', '=', userId);
  if ((await one.executeTakeFirst())?.is_operator !== 1) return false;
  const operators = await tx
    .updateTable('users')
    .set({ is_operator: 1 })
    .where('is_operator', '=', 1)
    .where('suspended_at', 'is', null)
    .returning('id')
    .execute();
  return operators.length === 1 && operators[0]?.id === userId;
}

/** Suspends the account, or lets it work again if `at` is null. Sign-in links stop for good. Raises `not_found`. */
export async function setSuspended({ tx, audit }: Writing, id: string, at: string | null): Promise<void> {
  const account = await tx
    .selectFrom('users')
    .select(['suspended_at', 'email', 'name'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!account) throw notFound('Account');
  if ((account.suspended_at === null) === (at === null)) return;
  if (at !== null) await refuseLastOperator(tx, id);
  await tx.updateTable('users').set({ suspended_at: at }).where('id', '=', id).execute();
  // A link that was made before must not sign in later.
  await tx.deleteFrom('sign_in_links').where('user_id', '=', id).execute();
  await audit({
    act: at === null ? 'account.resumed' : 'account.suspended',
    subject_id: id,
    subject_name: account.email ?? account.name,
  });
}

/** Raises `conflict`. */
export async function refuseLastOperator(tx: Tx, id: string): Promise<void> {
  if (await isLastOperator(tx, id))
    throw conflict('This is the last operator of the server; make another one first.');
}
