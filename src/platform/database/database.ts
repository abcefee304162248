import type { Expression, RawBuilder, SqlBool } from 'kysely';
import type { StoredNote } from '../../domain/note.ts';
import type { SearchIndex } from '../../engines/search/search-index.ts';
import type { Db, Row } from './schema.ts';

export type { Db };

declare const inTransaction: unique symbol;
/** The connection of a transaction. A query that writes takes it, so that no write can be outside one. */
export type Tx = Db & { readonly [inTransaction]: true };

export type ReadParameter = string | number;

export interface NewNote {
  readonly row: Row<StoredNote>;
  /** What `search.analyse` made of it. */
  readonly text: string | null;
}

/** 'known': the owner has a note with this client_note_id. 'no account': the user was deleted during the call. */
export type InsertOutcome = 'ok' | 'known' | 'unknown folder' | 'no account';

interface Place {
  tx: number | Expression<number>;
  seq: number | Expression<number>;
}

/** ALL that differs between SQLite and PostgreSQL. Code that must ask which one it has needs another field here instead. */
export interface Database {
  /** Names the files in migrations/ that are for this database alone. */
  readonly name: 'sqlite' | 'postgres';
  /** True when this process alone serves the database, so that counters may live in its memory. */
  readonly singleProcess: boolean;
  /** Names this process for as long as it runs, among all that share the database. */
  readonly processId: string;
  /** Whether the server of this name is still running. */
  isServing(db: Db, processId: string): Promise<boolean>;
  /** Whether another server, or a command, uses the database now. */
  hasOthers(): Promise<boolean>;
  /** For reads outside a transaction. */
  readonly db: Db;
  /** For short statements that every call needs. They do not wait for long ones. */
  readonly quick: Db;
  /**
   * A short read with a prepared text: the fastest way to the database, because reads that arrive together run
   * together. Parameters are in the order of the text.
   */
  read<Row>(text: string, parameters: readonly ReadParameter[]): Promise<Row[]>;
  /**
   * Runs `work` in a transaction of its own, serialised against all others, and resolves once it is on disk.
   * `work` awaits nothing but queries and may run more than once (after a serialization failure). What it deletes is erased from
   * the files of SQLite too (erasure.ts), and on a full disk it may use what SQLite keeps in reserve for deletions (reserve.ts).
   */
  write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Like `write`, but reads see what is committed when they start. For work that first locks what it builds on, so that it
   * waits for others instead of running again. `rowId` names the one row that many may want to lock: they wait for each
   * other before they take a connection.
   */
  writeLocked<Result>(work: (tx: Tx) => Promise<Result>, rowId?: string): Promise<Result>;
  /** Inside `writeLocked`: returns the rows of the query, locked until this write ends. */
  locking<Query extends { forUpdate(): Query }>(query: Query): Query;
  /** Inside a write: whether the account exists. If so, it cannot be deleted before the write ends. */
  holdAccount(db: Db, userId: string): Promise<boolean>;
  /** Changes when keys, plans, policies or accounts may have changed, whichever process changed them (principals.ts). */
  principalsEpoch(): number;
  /** Inside a write: stores the note and its search entry. */
  insertNote(db: Db, note: NewNote): Promise<InsertOutcome>;
  /** The same for many, with one statement where that is faster. */
  insertNotes(db: Db, notes: readonly NewNote[]): Promise<InsertOutcome[]>;
  /** The same in a write of its own; those that arrive together share a commit. `also` writes in the same commit. */
  createNote(note: NewNote, also?: (db: Db, id: string) => Promise<void>): Promise<InsertOutcome>;
  /** Runs `work` while no other process can migrate. Raw SQL of a migration goes through `exec`. */
  migrate<Result>(work: (db: Db, exec: (sql: string) => Promise<void>) => Promise<Result>): Promise<Result>;
  /** For the numbers of transactions in `changes`: all below it are over. */
  readonly changesHorizon: RawBuilder<number>;
  /** Where `changes` end now: everything committed later comes after this place. */
  readonly changesEnd: { readonly tx: RawBuilder<number>; readonly seq: RawBuilder<number> };
  /** Whether a row of `changes` comes after a place. By the index, however many come before it. */
  changesBehind(place: Place): RawBuilder<SqlBool>;
  /** The number that the next transaction gets. */
  readonly nextTransaction: RawBuilder<number>;
  readonly search: SearchIndex;
  /** The connections that are open, and who waits for one. Empty when there is nothing to wait for. */
  pools(): PoolState[];
  readonly checkup: Checkup;
  close(): Promise<void>;
}

interface PoolState {
  pool: string;
  busy: number;
  idle: number;
  waiting: number;
}

/** What `steno doctor` asks the database about itself. */
export interface Checkup {
  /** One line per damage in the files; empty when there is none, or when the database checks its files itself. */
  findDamage(): Promise<string[]>;
  /** Unix milliseconds by the database's clock. */
  now(): Promise<number>;
  /** How large it is on disk, or would be without what its log still holds. */
  bytes(): Promise<number>;
}
