import type { NewSession } from '../../../domain/session.ts';
import type { Authorized } from '../../../kernel/authorized.ts';
import type { Writing } from '../../../kernel/context.ts';
import { countRows } from '../../../platform/database/count.ts';
import type { Db } from '../../../platform/database/database.ts';
import { rowsOf } from '../../../platform/database/schema.ts';
import { userColumns } from '../accounts/queries.ts';
import { insertSession } from '../sessions/queries.ts';
import { type AppPassword, appPassword, type StoredAppPassword } from './schema.ts';

const { columns } = rowsOf(appPassword);
const of = (db: Db, userId: string) => db.selectFrom('app_passwords').where('user_id', '=', userId);

/** Oldest first. */
export const list = (db: Db, userId: string) =>
  of(db, userId).select(columns).orderBy('created_at').orderBy('id').execute();

export const find = (db: Db, userId: string, id: string) =>
  of(db, userId).select(columns).where('id', '=', id).executeTakeFirst();

export const count = (db: Db, userId: string) => countRows(of(db, userId));

export async function insert({ tx, audit }: Writing, made: StoredAppPassword): Promise<void> {
  await tx.insertInto('app_passwords').values(made).execute();
  await audit({ act: 'app_password.created', subject_id: made.id, subject_name: made.name });
}

export async function remove({ tx, audit }: Writing, { id, name }: Authorized<AppPassword>): Promise<void> {
  // A foreign key ends the sessions that began with it.
  await tx.deleteFrom('app_passwords').where('id', '=', id).execute();
  await audit({ act: 'app_password.revoked', subject_id: id, subject_name: name });
}

export interface Given {
  email: string;
  password_hash: string;
}

/** The account of this address, if it has this password. */
export const findUser = (db: Db, { email, password_hash }: Given) =>
  db
    .selectFrom('app_passwords')
    .innerJoin('users', 'users.id', 'app_passwords.user_id')
    .select(userColumns.map((column) => `users.${column}` as const))
    .select('app_passwords.id as app_password_id')
    .where('app_passwords.password_hash', '=', password_hash)
    .where('users.email', '=', email)
    .executeTakeFirst();

/** Stores the session. Undefined if the account of this address has no such password. */
export async function signIn(context: Writing, given: Given, session: NewSession) {
  const { tx } = context;
  const found = await findUser(tx, given);
  if (!found) return undefined;
  const { app_password_id, ...user } = found;
  await tx
    .updateTable('app_passwords')
    .set({ used_at: session.created_at })
    .where('id', '=', app_password_id)
    .execute();
  const stored = { ...session, user_id: user.id, app_password_id };
  await insertSession(context, stored, 'app password');
  return { user, session: stored };
}
