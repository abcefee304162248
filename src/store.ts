import * as folders from './features/folders/queries.ts';
import * as notes from './features/notes/queries.ts';
import * as spaces from './features/spaces/queries.ts';
import { createLeaseStore } from './features/transcribe/lease-store.ts';
import { createSwitchStore } from './features/transcribe/switches.ts';
import * as transcriptions from './features/transcriptions/queries.ts';
import { createAuditStore } from './platform/database/audit.ts';
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
    notes: {
      get: (filter, id) => notes.find(database, filter, id),
      place: (filter, id) => notes.place(database.db, filter, id),
      listWhole: (ownerId, page) => notes.listWhole(database.db, ownerId, page),
    },
    folders: { list: (ownerId) => folders.list(database.db, ownerId) },
    keys: createKeyStore(database),
    spaces: {
      has: async (workspaceId, id) => (await spaces.find(database.db, { workspaceId, id })) !== undefined,
      isShared: (userId, id) => spaces.isShared(database.db, userId, id),
    },
    transcriptions: {
      get: (reader, id) => transcriptions.find(database.db, reader, id),
      list: (reader, options) => transcriptions.page(database.db, reader, options),
      beginnings: (ids) => transcriptions.beginnings(database.db, ids),
    },
    leases: createLeaseStore(database),
    switches: createSwitchStore(database),
    audit: createAuditStore(database),
    idempotency: createIdempotencyStore(database),
    installation: createInstallationStore(database),
    close: () => database.close(),
  };
}
