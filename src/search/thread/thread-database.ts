import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Db } from '../../store/schema.ts';

/** What a search thread asks of the database: connections of its own, beside the server's. */
export interface SearchDatabase {
  /** Reads that all see one moment. */
  snapshot<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /** A transaction of its own. It waits for the lock of other writers, as long as they wait for its. */
  write<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /** Inside `write`: the rows that the query finds, which no other write can change before this one ends. */
  locking<Query extends { forNoKeyUpdate(): Query }>(query: Query): Query;
  /** Lets go of what was deleted, as far as the database keeps a copy: SQLite does in its log. */
  forget(): Promise<void>;
  close(): Promise<void>;
  /** What the two say differently about a row of search_entries. */
  where: {
    isOneOf(entries: readonly number[]): RawBuilder<boolean>;
    /** Not `like`: SQLite's takes time by the length of the text times that of the phrase. */
    holds(part: string): RawBuilder<boolean>;
  };
}

/** Where the database is; it must pass from thread to thread. */
export type SearchDatabaseAddress = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

export async function openSearchDatabase(address: SearchDatabaseAddress): Promise<SearchDatabase> {
  if (address.kind === 'sqlite') {
    const { openSqliteThread } = await import('../../store/sqlite-connection.ts');
    const { reader, writer } = openSqliteThread(address.file);
    return {
      snapshot: (work) => reader.transaction().execute(work),
      write: (work) =>
        writer.connection().execute(async (db) => {
          await db.executeQuery(CompiledQuery.raw('begin immediate'));
          try {
            const result = await work(db);
            await db.executeQuery(CompiledQuery.raw('commit'));
            return result;
          } catch (cause) {
            await db.executeQuery(CompiledQuery.raw('rollback'));
            throw cause;
          }
        }),
      // There is one writer.
      locking: (query) => query,
      forget: async () => {
        // Busy when somebody reads an old moment; then the next one does it.
        await writer.executeQuery(CompiledQuery.raw('pragma wal_checkpoint(truncate)'));
      },
      async close() {
        await reader.destroy();
        await writer.destroy();
      },
      where: {
        isOneOf: (entries) => sql`entry in (select value from json_each(${JSON.stringify(entries)}))`,
        holds: (part) => sql`instr(text, ${part}) > 0`,
      },
    };
  }
  const { connectPostgres } = await import('../../store/postgres-connection.ts');
  const db = connectPostgres(address.url, 1);
  return {
    snapshot: (work) =>
      db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work),
    write: (work) => db.transaction().execute(work),
    locking: (query) => query.forNoKeyUpdate(),
    // Rows that are deleted are overwritten in PostgreSQL's own time (VACUUM).
    forget: async () => {},
    close: () => db.destroy(),
    where: {
      isOneOf: (entries) => sql`entry = any(${entries})`,
      holds: (part) => sql`strpos(text, ${part}) > 0`,
    },
  };
}
