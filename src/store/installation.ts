import type { InstallationStore } from '../ports/identity-store.ts';
import type { Database } from './database.ts';

export function createInstallationStore(database: Database): InstallationStore {
  return {
    async valueOf(name, fallback) {
      const known = await database.db
        .selectFrom('installation')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirst();
      if (known) return known.value;
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
