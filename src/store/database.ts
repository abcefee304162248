import type { Kysely } from 'kysely';
import type { StoredNote } from '../domain/note.ts';
import type { SearchClause, SearchText } from '../domain/search-text.ts';
import type { Row } from './rows.ts';
import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;

/** ALL that differs between SQLite and PostgreSQL. Wanting to ask which database it is means a field is missing here. */
export interface Database {
  /** Names the files in migrations/ that are for this database alone. */
  readonly name: 'sqlite' | 'postgres';
  /** True when this process alone serves the database, so that counters may live in its memory. */
  readonly singleProcess: boolean;
  /** Names this process for as long as it runs, among all that share the database. */
  readonly processId: string;
  /** Whether the server of this name is still running. */
  isServing(db: Db, processId: string): Promise<boolean>;
  /** For reads outside a transaction. */
  readonly db: Db;
  /** A read whose text is made already; the shortest way to the database. Parameters stand in the order of the text. */
  read<Row>(text: string, parameters: readonly string[]): Promise<Row[]>;
  /**
   * Runs `work` in a transaction of its own, serialised against all others, and resolves once it is on disk.
   * `work` awaits nothing but queries and may run more than once (after a serialization failure).
   */
  write<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /** Changes when keys, plans, policies or accounts may have changed, whichever process changed them (principals.ts). */
  principalsEpoch(): number;
  /** Inside a write: stores the note and tells its `seq`. */
  insertNote(db: Db, note: Row<StoredNote>): Promise<number>;
  /** Runs `work` while no other process can migrate. Raw SQL of a migration goes through `exec`. */
  migrate<Result>(work: (db: Db, exec: (sql: string) => Promise<void>) => Promise<Result>): Promise<Result>;
  readonly search: SearchIndex;
  readonly checkup: Checkup;
  close(): Promise<void>;
}

/** What `steno doctor` asks the database about itself. */
export interface Checkup {
  /** One line per damage in the files; empty when there is none, or when the database keeps watch itself. */
  findDamage(): Promise<string[]>;
  /** How many notes the search index lacks, and how many it holds that are deleted or gone. */
  countSearchGaps(): Promise<number>;
  /** Unix milliseconds by the database's clock. */
  now(): Promise<number>;
}

/**
 * Ranking looks at this many of the newest matches: the two letters `be` match most of 100,000 notes, and ranking all of
 * them took 285 ms instead of 80.
 */
export const maxRankedMatches = 5_000;

export interface SearchIndex {
  /** Inside a write: indexes the note, replacing what was indexed of it. */
  put(db: Db, seq: number, ownerId: string, text: SearchText): Promise<void>;
  remove(db: Db, seq: number): Promise<void>;
  /** Best first; every clause must match. A rank is positive and means something only beside the others. */
  find(ownerId: string, clauses: SearchClause[], limit: number): Promise<{ seq: number; rank: number }[]>;
}
