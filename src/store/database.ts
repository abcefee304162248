import type { Kysely } from 'kysely';
import type { StoredNote } from '../domain/note.ts';
import type { SearchText } from '../domain/search/note-text.ts';
import type { Row } from './rows.ts';
import type { Schema } from './schema.ts';
import type { FindRequest, Found } from './search/request.ts';

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

export interface SearchIndex {
  /** Inside a write: indexes a note for the first time. `null`: its text is analysed later, by `indexPending`. */
  add(db: Db, seq: number, ownerId: string, text: SearchText | null): Promise<void>;
  /** Inside a write: indexes the note, replacing what was indexed of it. */
  put(db: Db, seq: number, ownerId: string, text: SearchText | null): Promise<void>;
  remove(db: Db, seq: number): Promise<void>;
  /** Inside a write, before the owner's notes go. */
  removeOwner(db: Db, ownerId: string): Promise<void>;
  /** In a thread of its own, and never for longer than its time limit. */
  find(request: FindRequest): Promise<Found>;
  /** Inside a write, at the start: notes that an older analyser indexed are put in line for `indexPending`. */
  queueOutdated(db: Db): Promise<void>;
  /** Analyses what waits, in the background; resolves when nothing waits. */
  indexPending(): Promise<void>;
  /** Makes one stored segment of what was indexed of late. Happens by itself; a matter of speed alone. */
  merge(ownerId: string): Promise<void>;
  close(): Promise<void>;
}
