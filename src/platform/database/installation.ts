import type { Database } from './database.ts';
import type { InstallationStore } from './ports/installation-store.ts';

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
