import { type User, user } from '../domain/user.ts';
import { handOverActions } from '../features/language/queries.ts';
import type { OwnRemoval, UserStore } from '../ports/store.ts';
import { describeChanges, type Recorder, recorder } from './audit.ts';
import type { Database, Db } from './database.ts';
import { endSetup, openSetup } from './installation.ts';
import { keyRows } from './keys.ts';
import { giveRight, isLastOperator } from './operators.ts';
import { leaveEverything, removeContent } from './own-account.ts';
import { rowsOf } from './schema.ts';

export const { columns: userColumns } = rowsOf(user);

export function createUserStore(database: Database): UserStore {
  const { db } = database;

  return {
    insert(account) {
      const record = recorder();
      return database.write(async (trx) => {
        if (await ownerOf(trx, account.email)) return 'conflict';
        await insertUser(trx, account, record);
        return 'ok';
      });
    },

    insertFirst(account, key, { opensSetup }) {
      const record = recorder();
      return database.write(async (trx) => {
        if (await trx.selectFrom('users').select('id').limit(1).executeTakeFirst()) return false;
        await insertUser(trx, account, record);
        await giveRight(trx, account.id, true, record);
        await trx.insertInto('api_keys').values(keyRows.toRow(key)).execute();
        if (opensSetup) await openSetup(trx, account.id, record);
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

    update(id, changes) {
      const record = recorder();
      return database.write((trx) => updateUser(trx, id, changes, record));
    },

    setOperator(id, isOperator) {
      const record = recorder();
      return database.write((trx) => giveRight(trx, id, isOperator, record));
    },

    async remove(id) {
      return (await removeAccount(id, async () => 'ok')) === 'ok';
    },

    removeUnlessLastOperator: (id) =>
      removeAccount(id, async (trx) => ((await isLastOperator(trx, id)) ? 'last operator' : 'ok')),

    removeOwn: (id) => removeAccount(id, (trx, record) => leaveEverything(database, trx, id, record)),
  };

  /** `leave` says whether the account may go. */
  function removeAccount<Refusal extends OwnRemoval>(
    id: string,
    leave: (trx: Db, record: Recorder) => Promise<Refusal>,
  ) {
    const record = recorder();
    return database.writeLocked<Refusal | 'ok' | 'not found'>(async (trx) => {
      // Waits for writes that hold the account or change one of its notes, so that their rows are deleted too.
      const [account] = await database
        .locking(trx.selectFrom('users').select(['email', 'name']).where('id', '=', id))
        .execute();
      if (!account) return 'not found';
      const outcome = await leave(trx, record);
      if (outcome !== 'ok') return outcome;
      // First, while the log can name who removes their own account.
      await record(trx, {
        act: 'account.removed',
        subject_id: id,
        subject_name: account.email ?? account.name,
      });
      await removeContent(database, trx, id);
      await handOverActions(trx, id);
      await trx.deleteFrom('api_keys').where('user_id', '=', id).where('kind', '=', 'personal').execute();
      await trx.deleteFrom('invitations').where('invited_by', '=', id).execute();
      // Foreign keys delete sessions, passkeys, app passwords, sign-in links and agent tokens with the account.
      await trx.deleteFrom('users').where('id', '=', id).execute();
      // Last, because deleting the account's rows logs changes too.
      await trx.deleteFrom('changes').where('owner_id', '=', id).execute();
      return 'ok';
    });
  }
}

/** Inside a write. Writes, and tells the log of, only what is different afterwards. */
export async function updateUser(
  trx: Db,
  id: string,
  changes: Partial<User>,
  record: Recorder,
): Promise<'ok' | 'not found' | 'conflict'> {
  const owner = await ownerOf(trx, changes.email ?? null);
  if (owner && owner.id !== id) return 'conflict';
  const account = await trx.selectFrom('users').select(userColumns).where('id', '=', id).executeTakeFirst();
  if (!account) return 'not found';
  const changed = userColumns.filter((name) => name in changes && changes[name] !== account[name]);
  // A write to an account makes every server read all keys again, so there is none without a change.
  if (changed.length === 0) return 'ok';
  const news = Object.fromEntries(changed.map((name) => [name, changes[name]]));
  await trx.updateTable('users').set(news).where('id', '=', id).execute();
  await record(trx, { act: 'account.changed', subject_id: id, detail: describeChanges(news) });
  return 'ok';
}

/** Inside a write. */
export async function insertUser(trx: Db, account: User, record: Recorder): Promise<void> {
  await trx.insertInto('users').values(account).execute();
  // From now on there may be notes of others, which whoever sets mail or language model could read (decision 236).
  await endSetup(trx);
  await record(trx, {
    act: 'account.created',
    subject_id: account.id,
    subject_name: account.email ?? account.name,
  });
}

const ownerOf = async (trx: Db, email: string | null) =>
  email === null
    ? undefined
    : trx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
