import type { Database, Db } from './database.ts';
import { unavailable } from './unusable.ts';

export interface WatchedDatabase extends Database {
  /** Rejects if the database cannot be read, or if a write has failed and still fails: a full disk can be read. */
  check(): Promise<void>;
}

/** Adds to the database how long each write took, even a failed one, and whether the database works. */
export function watched(database: Database, onWrite: (seconds: number) => void): WatchedDatabase {
  // True until a write that needs new space succeeds. On a full disk, small writes may still succeed.
  let isDoubted = false;

  async function watch<Result>(write: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    try {
      return await write();
    } catch (cause) {
      isDoubted ||= unavailable(cause) !== undefined;
      throw cause;
    } finally {
      onWrite((performance.now() - startedAt) / 1000);
    }
  }

  return {
    ...database,
    write: (work) => watch(() => database.write(work)),
    writeLocked: (work, rowId) => watch(() => database.writeLocked(work, rowId)),
    createNote: (...added) => watch(() => database.createNote(...added)),
    async check() {
      await database.db.selectFrom('schema_migrations').select('name').limit(1).execute();
      if (!isDoubted) return;
      await watch(() => database.write(tryToGrow));
      isDoubted = false;
    },
  };
}

/** A full disk takes no new page, but may still change an old one. */
async function tryToGrow(db: Db): Promise<void> {
  const name = 'room_on_disk';
  await db
    .insertInto('installation')
    .values({ name, value: ' '.repeat(65_536) })
    .execute();
  await db.deleteFrom('installation').where('name', '=', name).execute();
}
