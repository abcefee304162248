import type { UserStore } from '../ports/store.ts';
import type { Database } from './database.ts';
import { toKeyRow } from './keys.ts';

const userColumns = ['id', 'email', 'name', 'plan', 'created_at'] as const;

export function createUserStore(database: Database): UserStore {
  const { db } = database;

  return {
    insert(user) {
      return database.write(async (trx) => {
        const sameAddress =
          user.email !== null &&
          (await trx.selectFrom('users').select('id').where('email', '=', user.email).executeTakeFirst());
        if (sameAddress) return 'conflict';
        await trx.insertInto('users').values(user).execute();
        return 'ok';
      });
    },

    insertFirst(user, key) {
      return database.write(async (trx) => {
        if (await trx.selectFrom('users').select('id').limit(1).executeTakeFirst()) return false;
        await trx.insertInto('users').values(user).execute();
        await trx.insertInto('api_keys').values(toKeyRow(key)).execute();
        return true;
      });
    },

    list: () => db.selectFrom('users').select(userColumns).orderBy('created_at').orderBy('id').execute(),

    find: (idOrEmail) =>
      db
        .selectFrom('users')
        .select(userColumns)
        .where((eb) => eb.or([eb('id', '=', idOrEmail), eb('email', '=', idOrEmail)]))
        .executeTakeFirst(),

    setPlan(id, plan) {
      return database.write(
        async (trx) => {
          const result = await trx.updateTable('users').set({ plan }).where('id', '=', id).executeTakeFirst();
          return result.numUpdatedRows > 0n;
        },
        { changesPrincipals: true },
      );
    },

    remove(id) {
      return database.write(
        async (trx) => {
          const notes = await trx.selectFrom('notes').select('seq').where('owner_id', '=', id).execute();
          for (const { seq } of notes) await database.search.remove(trx, seq);
          await trx.deleteFrom('notes').where('owner_id', '=', id).execute();
          await trx.deleteFrom('folders').where('owner_id', '=', id).execute();
          await trx.deleteFrom('api_keys').where('user_id', '=', id).where('kind', '=', 'personal').execute();
          // Sessions, sign-in links and agent tokens go with the account, by their foreign keys.
          const result = await trx.deleteFrom('users').where('id', '=', id).executeTakeFirst();
          return result.numDeletedRows > 0n;
        },
        { changesPrincipals: true },
      );
    },
  };
}
