import { type User, user } from '../domain/user.ts';
import type { UserStore } from '../ports/store.ts';
import type { Database, Db } from './database.ts';
import { keyRows } from './keys.ts';
import { rowsOf } from './schema.ts';

export const { columns: userColumns } = rowsOf(user);

export function createUserStore(database: Database): UserStore {
  const { db } = database;

  return {
    insert(account) {
      return database.write(async (trx) => {
        if (await ownerOf(trx, account.email)) return 'conflict';
        await trx.insertInto('users').values(account).execute();
        return 'ok';
      });
    },

    insertFirst(account, key) {
      return database.write(async (trx) => {
        if (await trx.selectFrom('users').select('id').limit(1).executeTakeFirst()) return false;
        await trx
          .insertInto('users')
          .values({ ...account, is_operator: 1 })
          .execute();
        await trx.insertInto('api_keys').values(keyRows.toRow(key)).execute();
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

    update: (id, changes) => database.write((trx) => updateUser(trx, id, changes)),

    setOperator(id, isOperator) {
      return database.write(async (trx) => {
        const result = await trx
          .updateTable('users')
          .set({ is_operator: Number(isOperator) })
          .where('id', '=', id)
          .executeTakeFirst();
        return result.numUpdatedRows > 0n;
      });
    },

    remove(id) {
      return database.deleting(() =>
        database.writeLocked(async (trx) => {
          // Waits for writes that hold the account or change one of its notes, so that their rows are deleted too.
          await database.locking(trx.selectFrom('users').select('id').where('id', '=', id)).execute();
          await trx.deleteFrom('notes').where('owner_id', '=', id).execute();
          await database.search.removeOwner(trx, id);
          await trx.deleteFrom('folders').where('owner_id', '=', id).execute();
          await trx.deleteFrom('webhooks').where('owner_id', '=', id).execute();
          await trx.deleteFrom('api_keys').where('user_id', '=', id).where('kind', '=', 'personal').execute();
          await trx.deleteFrom('invitations').where('invited_by', '=', id).execute();
          // Foreign keys delete sessions, sign-in links and agent tokens with the account.
          const result = await trx.deleteFrom('users').where('id', '=', id).executeTakeFirst();
          // Last, because deleting the account's rows logs changes too.
          await trx.deleteFrom('changes').where('owner_id', '=', id).execute();
          return result.numDeletedRows > 0n;
        }),
      );
    },
  };
}

/** Inside a write. */
export async function updateUser(
  trx: Db,
  id: string,
  changes: Partial<Omit<User, 'id'>>,
): Promise<'ok' | 'not found' | 'conflict'> {
  const owner = await ownerOf(trx, changes.email ?? null);
  if (owner && owner.id !== id) return 'conflict';
  const result = await trx.updateTable('users').set(changes).where('id', '=', id).executeTakeFirst();
  return result.numUpdatedRows > 0n ? 'ok' : 'not found';
}

const ownerOf = async (trx: Db, email: string | null) =>
  email === null
    ? undefined
    : trx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
