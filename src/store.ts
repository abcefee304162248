import type { Database, Db } from './platform/database/database.ts';
import { createIdempotencyStore } from './platform/database/idempotency.ts';
import { createInstallationStore } from './platform/database/installation.ts';
import { createKeyStore } from './platform/database/keys.ts';
import type { Store } from './platform/database/ports/store.ts';

/** The time of the newest note or, if there is none, of the newest account; null for an empty database. */
export async function newestTimestamp(db: Db): Promise<string | null> {
  const note = await db
    .selectFrom('notes')
    .select('created_at')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const user = await db
    .selectFrom('users')
    .select('created_at')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return note?.created_at ?? user?.created_at ?? null;
}

export function createStore(database: Database): Store {
  return {
    keys: createKeyStore(database),
    idempotency: createIdempotencyStore(database),
    installation: createInstallationStore(database),
    close: () => database.close(),
  };
}
