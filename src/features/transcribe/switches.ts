import type { Database } from '../../platform/database/database.ts';
import type { SwitchStore } from '../../platform/database/ports/store.ts';

export function createSwitchStore(database: Database): SwitchStore {
  return {
    get: (name) =>
      database.db.selectFrom('switches').select('on_until').where('name', '=', name).executeTakeFirst(),

    turnOn(name, onUntil, now) {
      return database.write(async (trx) => {
        const state = { on_until: onUntil, updated_at: now };
        await trx
          .insertInto('switches')
          .values({ name, ...state })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(state))
          .execute();
      });
    },

    turnOff(name) {
      return database.write(async (trx) => {
        await trx.deleteFrom('switches').where('name', '=', name).execute();
      });
    },
  };
}
