import type { Database } from './database.ts';
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

/** The value with this name. If there is none, stores `fallback`. */
export const sharedValue = async (
  { db, write }: Pick<Database, 'db' | 'write'>,
  name: string,
  fallback: string,
) => (await installedValue(db, name)) ?? write((tx) => addInstalledValue(tx, name, fallback));
