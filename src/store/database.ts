import type { Kysely, RawBuilder } from 'kysely';
import type { StoredNote } from '../domain/note.ts';
import type { SearchText } from '../search/analyse/note-text.ts';
import type { FindRequest, Found } from '../search/thread/request.ts';
import type { Row } from './rows.ts';
import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;

export type ReadParameter = string | number;

export interface NewNote {
  readonly row: Row<StoredNote>;
  readonly text: SearchText | null;
}

/** 'no account': the user was deleted during the call. */
export type InsertOutcome = 'ok' | 'unknown folder' | 'no account';

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
  /** For reads outside a transaction. */
  readonly db: Db;
  /** For statements that take a moment and that every call needs. They do not wait for long ones. */
  readonly quick: Db;
  /**
   * A short read whose text is made already; the quickest way to the database, because reads that arrive together run
   * together. Parameters stand in the order of the text.
   */
  read<Row>(text: string, parameters: readonly ReadParameter[]): Promise<Row[]>;
  /**
   * Runs `work` in a transaction of its own, serialised against all others, and resolves once it is on disk.
   * `work` awaits nothing but queries and may run more than once (after a serialization failure).
   */
  write<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /**
   * Like `write`, but reads see what is committed when they start. For work that first locks what it builds on, so that it
   * waits for others instead of running again. `rowId` names the one row that many may want to lock: they wait for each
   * other before they take a connection.
   */
  writeLocked<Result>(work: (db: Db) => Promise<Result>, rowId?: string): Promise<Result>;
  /** Inside `writeLocked`: the rows that the query finds, which no other write can change or hold before this one ends. */
  locking<Query extends { forUpdate(): Query }>(query: Query): Query;
  /** Inside a write: whether the account exists. If so, nobody can delete it before the write ends. */
  holdAccount(db: Db, userId: string): Promise<boolean>;
  /** Changes when keys, plans, policies or accounts may have changed, whichever process changed them (principals.ts). */
  principalsEpoch(): number;
  /** Inside a write: stores the note and indexes its text for search; `null` is a text that is analysed later. */
  insertNote(db: Db, note: NewNote): Promise<InsertOutcome>;
  /** The same as a write of its own; those that arrive together share a commit. */
  createNote(note: NewNote): Promise<InsertOutcome>;
  /** Runs `work` while no other process can migrate. Raw SQL of a migration goes through `exec`. */
  migrate<Result>(work: (db: Db, exec: (sql: string) => Promise<void>) => Promise<Result>): Promise<Result>;
  /** For the numbers of transactions in `changes`: all below it are over. */
  readonly changesHorizon: RawBuilder<number>;
  /** Where `changes` end now: whatever is committed later stands behind this place. */
  readonly changesEnd: { readonly tx: RawBuilder<number>; readonly seq: RawBuilder<number> };
  /** The number that the next transaction gets. */
  readonly nextTransaction: RawBuilder<number>;
  readonly search: SearchIndex;
  readonly checkup: Checkup;
  close(): Promise<void>;
}

/** What `steno doctor` asks the database about itself. */
export interface Checkup {
  /** One line per damage in the files; empty when there is none, or when the database checks its files itself. */
  findDamage(): Promise<string[]>;
  /** Notes that are missing in the search index, plus entries of it whose note is deleted or gone. */
  countSearchGaps(): Promise<number>;
  /** Unix milliseconds by the database's clock. */
  now(): Promise<number>;
}

export interface SearchIndex {
  /** Inside a write: indexes a note again and removes its old entry. `null`: its text is analysed later, by `indexPending`. */
  put(db: Db, seq: number, ownerId: string, text: SearchText | null): Promise<void>;
  /** After a note was stored with its first entry. */
  added(ownerId: string, text: SearchText): void;
  /** Inside a write. */
  remove(db: Db, seqs: readonly number[]): Promise<void>;
  /** Inside a write: `put` with `null` for many notes. */
  putLater(db: Db, seqs: readonly number[]): Promise<void>;
  /** Inside a write, after the owner's notes are gone. */
  removeOwner(db: Db, ownerId: string): Promise<void>;
  /**
   * Searches in a separate thread, and stops at its time limit. Raises the signal's reason if that comes before its turn,
   * and `service_unavailable` if its turn does not come in time.
   */
  find(request: FindRequest, signal?: AbortSignal): Promise<Found>;
  /** Inside a write, at the start: notes that an older analyser indexed are queued for `indexPending`. */
  queueOutdated(db: Db): Promise<void>;
  /** Analyses the queued notes in the background. Resolves when the queue is empty. */
  indexPending(): Promise<void>;
  /** Joins the newest entries into one segment. This happens by itself and only makes searching faster. */
  merge(ownerId: string): Promise<void>;
  /** Removes the words of purged notes from the stored index. What fails is left to the next call. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}
