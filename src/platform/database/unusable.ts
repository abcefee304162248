import { type AppError, serviceUnavailable } from '../../domain/errors.ts';
import { describeOwner } from '../../lib/file-owner.ts';
import type { Database, Db } from './database.ts';

/** The database cannot be opened or reached. The message says what to do. */
export class DatabaseUnusable extends Error {}

const codeOf = (cause: unknown): unknown =>
  cause instanceof Error && 'code' in cause ? cause.code : undefined;

/** SQLite's primary result code (sqlite.org/rescode.html); undefined for other errors. */
export const sqliteCode = (cause: unknown): number | undefined =>
  cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number'
    ? cause.errcode & 0xff
    : undefined;

export const sqliteBusy = 5;
export const sqliteCorrupt = 11;
export const sqliteNotADatabase = 26;

const sqliteReasons: Readonly<Record<number, string>> = {
  3: 'cannot be read and written by this user; change its owner or its permissions',
  [sqliteBusy]: 'is locked by another process; try again when that process has finished',
  8: 'is read-only; make it writable',
  10: 'cannot be read or written (the disk reports an error); check the disk',
  [sqliteCorrupt]: 'is damaged; restore a backup with "steno restore"',
  13: 'is on a full disk; free some space',
  14: 'cannot be opened; check that the folder exists and is writable',
  [sqliteNotADatabase]: 'is not a database; move it away or restore a backup with "steno restore"',
};

const folderReasons: Readonly<Record<string, string>> = {
  EACCES: 'cannot be written by this user; change its owner or its permissions',
  EPERM: 'cannot be written by this user; change its owner or its permissions',
  EEXIST: 'is a file; remove it',
  ENOTDIR: 'is inside a file; remove that file',
  ENOENT: 'cannot be created; create it yourself',
  EROFS: 'is on a read-only disk; make the disk writable',
  ENOSPC: 'is on a full disk; free some space',
  EDQUOT: 'is over the disk quota; free some space',
};

/** Permission denied, read-only, cannot be opened. */
const refusals = new Set<unknown>([3, 8, 14, 'EACCES', 'EPERM', 'EROFS']);

function owners(cause: unknown, path: string): string {
  const found = refusals.has(sqliteCode(cause) ?? codeOf(cause)) ? describeOwner(path) : '';
  return found === '' ? '' : ` ${found}.`;
}

/** Runs `open` and explains errors of the file system and SQLite. */
export function explainingSqlite<Result>(dataDir: string, file: string, open: () => Result): Result {
  try {
    return open();
  } catch (cause) {
    throw explainSqlite(cause, dataDir, file);
  }
}

export function explainSqlite(cause: unknown, dataDir: string, file: string): unknown {
  const reason = sqliteReasons[sqliteCode(cause) ?? -1];
  if (reason) return new DatabaseUnusable(`The database ${file} ${reason}.${owners(cause, file)}`, { cause });
  const folderReason = folderReasons[String(codeOf(cause))];
  if (folderReason)
    return new DatabaseUnusable(
      `The data folder ${dataDir} ${folderReason}, or set STENO_DATA_DIR to another folder.${owners(cause, dataDir)}`,
      {
        cause,
      },
    );
  return cause;
}

const postgresReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ECONNRESET: 'it closed the connection',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up right now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  '28P01': 'it refuses the user name or the password',
  '28000': 'it refuses this user',
  '3D000': 'it has no such database',
  '42501': 'the user may not create tables there',
  '53300': 'it has no connections left',
  '57P03': 'it is starting up or stopping',
};

const oldPooler =
  'it loses prepared statements, as PgBouncer before 1.21 does, and later ones with max_prepared_statements = 0; use a newer one with max_prepared_statements = 500';
/** By code, from a pooler that stands before PostgreSQL. */
const poolerReasons: Readonly<Record<string, string>> = {
  '26000': oldPooler,
  '42P05': oldPooler,
};

function poolerReason(cause: unknown): string | undefined {
  const { parameter } =
    /unsupported startup parameter: (?<parameter>\w+)/.exec(cause instanceof Error ? cause.message : '')
      ?.groups ?? {};
  return parameter === undefined
    ? poolerReasons[String(codeOf(cause))]
    : `PgBouncer refuses ${parameter}; add it to ignore_startup_parameters`;
}

export function explainPostgres(cause: unknown, url: string): unknown {
  const timedOut = cause instanceof Error && /timeout/i.test(cause.message);
  const reason = postgresReasons[String(codeOf(cause))] ?? (timedOut ? 'it does not answer' : undefined);
  const { hostname, port, pathname } = new URL(url);
  const place = `${hostname}:${port || 5432}${pathname}`;
  const pooler = poolerReason(cause);
  if (pooler)
    return new DatabaseUnusable(
      `Cannot use PostgreSQL at ${place}: ${pooler} (docs/scaling.md, "PgBouncer").`,
      {
        cause,
      },
    );
  if (!reason) return cause;
  return new DatabaseUnusable(
    `Cannot use PostgreSQL at ${place}: ${reason}; check the server and STENO_DATABASE_URL.`,
    { cause },
  );
}

/** Locked, read-only, disk error, disk full, cannot be opened. */
const passingSqliteFaults = new Set([sqliteBusy, 6, 8, 10, 13, 14]);
/** Connection, overtaken by other writes each time, resources, operator intervention (including a statement that took too long), system error. */
const passingPostgresFaults = /^(08|40|53|57|58)/;
const passingMessages =
  /timeout exceeded when trying to connect|query read timeout|connection terminated|connection error/i;

/** A 503 if the database cannot serve now but may in a moment; undefined for other faults. */
export function unavailable(cause: unknown): AppError | undefined {
  const code = String(codeOf(cause));
  const isPassing =
    passingSqliteFaults.has(sqliteCode(cause) ?? -1) ||
    passingPostgresFaults.test(code) ||
    code in postgresReasons ||
    code === 'EPIPE' ||
    (cause instanceof Error && passingMessages.test(cause.message));
  if (!isPassing) return undefined;
  return serviceUnavailable('The database cannot be used right now; try again in a moment.', {
    retryAfterSeconds: 5,
    cause,
  });
}

const damaged = 'damaged';
const words: Readonly<Record<string, string>> = {
  [sqliteBusy]: 'locked',
  8: 'read-only',
  [sqliteCorrupt]: damaged,
  13: 'disk full',
  [sqliteNotADatabase]: damaged,
  '53100': 'disk full',
  '25006': 'read-only',
  XX001: damaged,
  XX002: damaged,
};

/** What is wrong with the database, for programs that watch it. */
export const wordForFault = (cause: unknown): string =>
  words[String(sqliteCode(cause) ?? codeOf(cause))] ?? 'does not answer';

export interface WatchedDatabase extends Database {
  /** `ok`, or what is wrong with a database that still answers: a full disk can be read. Rejects if it cannot be read. */
  state(): Promise<string>;
  /** As `unavailable`; remembers that a page was found damaged. */
  unavailable(cause: unknown): AppError | undefined;
}

/** Adds to the database how long each write took, even a failed one, and whether the database works. */
export function watched(database: Database, onWrite: (seconds: number) => void): WatchedDatabase {
  // True until a write that needs new space succeeds. On a full disk, small writes may still succeed.
  let isDoubted = false;
  // Only a restore mends that, and a restore needs a start.
  let isDamaged = false;

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
    async state() {
      await database.db.selectFrom('schema_migrations').select('name').limit(1).execute();
      if (isDamaged) return damaged;
      if (!isDoubted) return 'ok';
      try {
        await watch(() => database.write(tryToGrow));
      } catch (cause) {
        return wordForFault(cause);
      }
      isDoubted = false;
      return 'ok';
    },
    unavailable(cause) {
      isDamaged ||= wordForFault(cause) === damaged;
      return unavailable(cause);
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
