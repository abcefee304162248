import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/schema.ts';

/** The database as a search thread uses it, with connections of its own. */
export interface SearchDatabase {
  /** All reads of `work` see the same state. */
  snapshot<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /** A transaction. It waits for the lock as long as other writers do. */
  write<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /** Inside `write`: the rows that the query finds, which no other write can change before this one ends. */
  locking<Query extends { forNoKeyUpdate(): Query }>(query: Query): Query;
  /** Removes copies of deleted rows. SQLite keeps some in its log. */
  forget(): Promise<void>;
  close(): Promise<void>;
  /** Conditions on search_entries that the two databases write differently. */
  where: {
    isOneOf(entries: readonly number[]): RawBuilder<boolean>;
    /** Not `like`: in SQLite its time grows with the length of the text times the length of the phrase. */
    holds(part: string): RawBuilder<boolean>;
  };
}

/** Where the database is, in a form that can be sent to a thread. */
export type SearchDatabaseAddress = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

export async function openSearchDatabase(address: SearchDatabaseAddress): Promise<SearchDatabase> {
  if (address.kind === 'sqlite') {
    const { openSqliteThread } = await import('../../../platform/database/sqlite-connection.ts');
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
        // Does nothing while another connection reads an old snapshot; then the next call does it.
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
  const { connectPostgres } = await import('../../../platform/database/postgres-connection.ts');
  const db = connectPostgres(address.url, 1);
  return {
    snapshot: (work) =>
      db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work),
    write: (work) => db.transaction().execute(work),
    locking: (query) => query.forNoKeyUpdate(),
    // PostgreSQL overwrites deleted rows itself (VACUUM).
    forget: async () => {},
    close: () => db.destroy(),
    where: {
      isOneOf: (entries) => sql`entry = any(${entries})`,
      holds: (part) => sql`strpos(text, ${part}) > 0`,
    },
  };
}
