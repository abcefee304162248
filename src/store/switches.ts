import type { SwitchStore } from '../ports/store.ts';
import type { SqlEngine } from './engine.ts';

export function createSwitchStore(engine: SqlEngine): SwitchStore {
  return {
    get: (name) =>
      engine.db.selectFrom('switches').select('on_until').where('name', '=', name).executeTakeFirst(),

    turnOn(name, onUntil, now) {
      return engine.write(async (trx) => {
        const state = { on_until: onUntil, updated_at: now };
        await trx
          .insertInto('switches')
          .values({ name, ...state })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(state))
          .execute();
      });
    },

    turnOff(name) {
      return engine.write(async (trx) => {
        await trx.deleteFrom('switches').where('name', '=', name).execute();
      });
    },
  };
}
