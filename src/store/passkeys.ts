import { passkey, type StoredPasskey } from '../domain/passkey.ts';
import { AccountSuspended } from '../domain/user.ts';
import type { PasskeyStore, UsedChallenge } from '../ports/passkeys.ts';
import { recorder, tracedSignIn } from './audit.ts';
import type { Database, Db } from './database.ts';
import { rowsOf, type Schema } from './schema.ts';
import { insertSession } from './sessions.ts';
import { userColumns } from './users.ts';

const { toRow, fromRow } = rowsOf(passkey);

// The PostgreSQL driver may return a bigint as text.
const restore = (row: Schema['passkeys']): StoredPasskey => {
  const { counter, ...rest } = fromRow(row);
  return { ...rest, counter: Number(counter) };
};

export function createPasskeyStore(database: Database): PasskeyStore {
  const { db } = database;
  return {
    async list(userId) {
      const rows = await db
        .selectFrom('passkeys')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(restore);
    },

    async findByCredential(credentialId) {
      const row = await db
        .selectFrom('passkeys')
        .selectAll()
        .where('credential_id', '=', credentialId)
        .executeTakeFirst();
      return row && restore(row);
    },

    insert(added, challenge, most) {
      const record = recorder();
      return database.write(async (trx) => {
        if (!(await useUp(trx, challenge, added.created_at))) return 'used';
        const { count } = await trx
          .selectFrom('passkeys')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('user_id', '=', added.user_id)
          .executeTakeFirstOrThrow();
        if (Number(count) >= most) return 'too many';
        const result = await trx
          .insertInto('passkeys')
          .values(toRow(added))
          .onConflict((conflict) => conflict.column('credential_id').doNothing())
          .executeTakeFirst();
        if ((result.numInsertedOrUpdatedRows ?? 0n) === 0n) return 'known';
        await record(trx, { act: 'passkey.added', subject_id: added.id, subject_name: added.name });
        return 'ok';
      });
    },

    async signIn({ id, counter, backed_up }, challenge, session) {
      const signIn = tracedSignIn('passkey');
      const outcome = await database.write(async (trx) => {
        const now = session.created_at;
        if (!(await useUp(trx, challenge, now))) return undefined;
        const used = await trx
          .updateTable('passkeys')
          .set({ ...toRow({ backed_up }), counter, used_at: now })
          .where('id', '=', id)
          // Keys that do not count stay at 0. Another sign-in may have come first.
          .where((eb) => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
          .returning('user_id')
          .executeTakeFirst();
        const user =
          used &&
          (await trx
            .selectFrom('users')
            .select([...userColumns, 'suspended_at'])
            .where('id', '=', used.user_id)
            .executeTakeFirst());
        if (!user) return undefined;
        const { suspended_at, ...account } = user;
        if (suspended_at !== null) return 'suspended';
        await insertSession(trx, { ...session, user_id: user.id }, signIn);
        return account;
      });
      // After the write, which uses the challenge up.
      if (outcome === 'suspended') throw new AccountSuspended();
      return outcome;
    },

    rename(userId, id, name) {
      return database.write(async (trx) => {
        const row = await trx
          .updateTable('passkeys')
          .set({ name })
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        return row && restore(row);
      });
    },

    remove(userId, id) {
      const record = recorder();
      return database.write(async (trx) => {
        const result = await trx
          .deleteFrom('passkeys')
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .executeTakeFirst();
        if (result.numDeletedRows === 0n) return false;
        await record(trx, { act: 'passkey.removed', subject_id: id });
        return true;
      });
    },
  };
}

/** Inside a write. False if it was used before. Also forgets those that have expired. */
async function useUp(trx: Db, used: UsedChallenge, now: string): Promise<boolean> {
  await trx.deleteFrom('used_challenges').where('expires_at', '<=', now).execute();
  const result = await trx
    .insertInto('used_challenges')
    .values(used)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
