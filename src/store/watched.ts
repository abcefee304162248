import type { Database, Db } from './database.ts';
import { unavailable } from './unusable.ts';

export interface WatchedDatabase extends Database {
  /** Rejects when the database cannot be read, or when a write has failed and none succeeds now: a full disk can still be read. */
  check(): Promise<void>;
}

/** The same database, which also tells how long each write took, failed ones included, and whether it is well. */
export function watched(database: Database, onWrite: (seconds: number) => void): WatchedDatabase {
  // Until a write that takes new room succeeds: on a full disk small ones still may.
  let isDoubted = false;

  async function write<Result>(work: Parameters<typeof database.write<Result>>[0]): Promise<Result> {
    const startedAt = performance.now();
    try {
      return await database.write(work);
    } catch (cause) {
      isDoubted ||= unavailable(cause) !== undefined;
      throw cause;
    } finally {
      onWrite((performance.now() - startedAt) / 1000);
    }
  }

  return {
    ...database,
    write,
    async check() {
      await database.db.selectFrom('schema_migrations').select('name').limit(1).execute();
      if (!isDoubted) return;
      await write(tryToGrow);
      isDoubted = false;
    },
  };
}

/** A disk that is full takes no new page, though it may still change an old one. */
async function tryToGrow(db: Db): Promise<void> {
  const name = 'room_on_disk';
  await db
    .insertInto('installation')
    .values({ name, value: ' '.repeat(65_536) })
    .execute();
  await db.deleteFrom('installation').where('name', '=', name).execute();
}
