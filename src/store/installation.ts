import type { InstallationStore } from '../ports/identity-store.ts';
import type { SqlEngine } from './engine.ts';

export function createInstallationStore(engine: SqlEngine): InstallationStore {
  return {
    async valueOf(name, fallback) {
      const known = await engine.db
        .selectFrom('installation')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirst();
      if (known) return known.value;
      return engine.write(async (trx) => {
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
