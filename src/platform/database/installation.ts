import type { Database } from './database.ts';
import type { InstallationStore } from './ports/installation-store.ts';
import type { Db } from './schema.ts';

/** What the installation remembers by names, the same on every server. */
export const installedValue = async (db: Db, name: string): Promise<string | undefined> =>
  (await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst())?.value;

/** Inside a write. */
export const setInstalledValue = (tx: Db, name: string, value: string) =>
  tx
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();

/** Inside a write. A value that is there stays. Returns the one that there is. */
export async function addInstalledValue(tx: Db, name: string, value: string): Promise<string> {
  await tx
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await installedValue(tx, name)) ?? value;
}

export const createInstallationStore = (database: Database): InstallationStore => ({
  read: (name) => installedValue(database.db, name),
  async set(name, value) {
    await database.write((tx) => setInstalledValue(tx, name, value));
  },
  valueOf: async (name, fallback) =>
    (await installedValue(database.db, name)) ??
    database.write((tx) => addInstalledValue(tx, name, fallback)),
});
