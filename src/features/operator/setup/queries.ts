import type { Context, Writing } from '../../../kernel/context.ts';
import type { Db, Tx } from '../../../platform/database/database.ts';
import { installedValue } from '../../../platform/database/installation.ts';

/** The row with the account that may set the server up. Without it, set-up is over. */
const name = 'setup';

/** The account that may set the server up; undefined once that is over, also because there is a second account. */
export const setupOwner = (db: Db) => installedValue(db, name);

/** The first account of a new server sets it up in the browser, once. No other, and never again: decision 236. */
export const isSetupOpenFor = async (
  { db, parts }: Pick<Context<unknown>, 'db' | 'parts'>,
  userId: string,
): Promise<boolean> => parts.setup !== null && (await setupOwner(db)) === userId;

export async function openSetup({ tx, audit }: Writing, userId: string): Promise<void> {
  await tx.insertInto('installation').values({ name, value: userId }).execute();
  await audit({ act: 'setup.opened', subject_id: userId });
}

export const endSetup = (tx: Tx) => tx.deleteFrom('installation').where('name', '=', name).execute();
