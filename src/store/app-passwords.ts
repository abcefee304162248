import { appPassword } from '../domain/app-password.ts';
import type { AppPasswordStore } from '../ports/identity-store.ts';
import { recorder, tracedSignIn } from './audit.ts';
import type { Database } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { rowsOf } from './schema.ts';
import { insertSession } from './sessions.ts';
import { userColumns } from './users.ts';

const { columns } = rowsOf(appPassword);

export function createAppPasswordStore(database: Database): AppPasswordStore {
  const { db } = database;
  const ofUser = (userId: string) =>
    db.selectFrom('app_passwords').select(columns).where('user_id', '=', userId);
  return {
    list: (userId) => ofUser(userId).orderBy('created_at').orderBy('id').execute(),

    insert(made, most, kept) {
      const completeKey = keyCompletion();
      const record = recorder();
      return database.write(async (trx) => {
        const { count } = await trx
          .selectFrom('app_passwords')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('user_id', '=', made.user_id)
          .executeTakeFirstOrThrow();
        if (Number(count) >= most) return 'too many';
        await trx.insertInto('app_passwords').values(made).execute();
        await record(trx, { act: 'app_password.created', subject_id: made.id, subject_name: made.name });
        await completeKey?.(trx, made.id, kept);
        return 'ok';
      });
    },

    remove(userId, id) {
      const record = recorder();
      return database.write(async (trx) => {
        // A foreign key ends its sessions.
        const removed = await trx
          .deleteFrom('app_passwords')
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .returning('name')
          .executeTakeFirst();
        if (!removed) return false;
        await record(trx, { act: 'app_password.revoked', subject_id: id, subject_name: removed.name });
        return true;
      });
    },

    async signIn({ email, password_hash }, session) {
      const signIn = tracedSignIn('app password');
      const find = (from: typeof db) =>
        from
          .selectFrom('app_passwords')
          .innerJoin('users', 'users.id', 'app_passwords.user_id')
          .select(userColumns.map((column) => `users.${column}` as const))
          .select('app_passwords.id as app_password_id')
          .where('app_passwords.password_hash', '=', password_hash)
          .where('users.email', '=', email)
          .executeTakeFirst();
      // Read first, so that whoever guesses causes no writes.
      if (!(await find(db))) return undefined;
      return database.write(async (trx) => {
        const found = await find(trx);
        if (!found) return undefined;
        const { app_password_id, ...user } = found;
        await trx
          .updateTable('app_passwords')
          .set({ used_at: session.created_at })
          .where('id', '=', app_password_id)
          .execute();
        const stored = { ...session, user_id: user.id, app_password_id };
        await insertSession(trx, stored, signIn);
        return { user, session: stored };
      });
    },
  };
}
