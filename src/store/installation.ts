import type { InstallationStore } from '../ports/identity-store.ts';
import type { Recorder } from './audit.ts';
import type { Database, Db } from './database.ts';

/** The row with the account that may set the server up. Without it, set-up is over. */
export const setupRow = 'setup';

export function createInstallationStore(database: Database): InstallationStore {
  async function read(name: string): Promise<string | undefined> {
    const query = database.db.selectFrom('installation').select('value').where('name', '=', name);
    return (await query.executeTakeFirst())?.value;
  }

  return {
    read,
    async set(name, value) {
      await database.write((trx) =>
        trx
          .insertInto('installation')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute(),
      );
    },
    async valueOf(name, fallback) {
      const known = await read(name);
      if (known !== undefined) return known;
      return database.write(async (trx) => {
        await trx
          .insertInto('installation')
          .values({ name, value: fallback })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .execute();
        const row = await trx
          .selectFrom('installation')
          .select('value')
          .where('name', '=', name)
          .executeTakeFirstOrThrow();
        return row.value;
      });
    },
  };
}

/** Inside a write. */
export async function openSetup(trx: Db, userId: string, record: Recorder): Promise<void> {
  await trx.insertInto('installation').values({ name: setupRow, value: userId }).execute();
  await record(trx, { act: 'setup.opened', subject_id: userId });
}

/** Inside a write. */
export async function endSetup(trx: Db): Promise<void> {
  await trx.deleteFrom('installation').where('name', '=', setupRow).execute();
}
