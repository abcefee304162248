import type { SetupStore } from '../ports/identity-store.ts';
import { recorder } from './audit.ts';
import type { Database, Db } from './database.ts';
import { endSetup, openSetup, setupRow } from './installation.ts';
import { updateUser } from './users.ts';

export function createSetupStore(database: Database): SetupStore {
  const find = async (db: Db) =>
    (await db.selectFrom('installation').select('value').where('name', '=', setupRow).executeTakeFirst())
      ?.value;

  return {
    owner: () => find(database.db),

    open(userId) {
      const record = recorder();
      return database.write((trx) => openSetup(trx, userId, record));
    },

    close({ userId, person, settings }, save) {
      const record = recorder();
      return database.write(async (trx) => {
        if ((await find(trx)) !== userId) return false;
        if (Object.keys(person).length > 0) await updateUser(trx, userId, person, record);
        await endSetup(trx);
        await record(trx, { act: 'setup.finished', detail: settings.join(', ') || 'no settings' });
        // Last, so that whoever is killed here finds set-up open, and what was entered.
        save();
        return true;
      });
    },
  };
}
