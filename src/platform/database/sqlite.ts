import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createSearchIndex } from '../../engines/search/search-index.ts';
import type { Database, Db, NewNote, ReadParameter, Tx } from './database.ts';
import { trackErasure } from './erasure.ts';
import { createGroupCommit } from './group-commit.ts';
import { noDatabase } from './migrate.ts';
import { trackPrincipals } from './principals.ts';
import { createReserve, isFull } from './reserve.ts';
import { connect, firstColumn, kyselyOn } from './sqlite-connection.ts';
import { createLogEraser } from './sqlite-log.ts';
import { createNoteInserts } from './sqlite-notes.ts';
import { createGroupedReads } from './sqlite-reads.ts';
import { DatabaseUnusable, explainingSqlite, explainSqlite } from './unusable.ts';

/** Lines of a report. */
const mostDamages = 5;

export const databaseFile = (dataDir: string) => join(dataDir, 'steno.db');

/**
 * The embedded database. Reads and writes have a connection each: in WAL mode a reader sees the last commit and never
 * waits for the writer. `synchronous = FULL` puts every commit on disk before it is acknowledged.
 */
export function openSqlite(dataDir: string): Database {
  const file = databaseFile(dataDir);
  const { writer, reader, snapshots } = explainingSqlite(dataDir, file, () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    refuseEmptied(dataDir, file);
    return { writer: connect(file, 32), reader: connect(file), snapshots: connect(file, 32) };
  });
  const reserve = createReserve(dataDir);
  reserve.make();
  const processId = randomUUID();
  const db = kyselyOn(reader);
  const read = createGroupedReads(snapshots);
  const groupCommit = createGroupCommit(writer, kyselyOn(writer));
  const search = createSearchIndex(db, { kind: 'sqlite', file });
  const log = createLogEraser(file);
  const storeNote = createNoteInserts(writer);
  // Seen from the writing connection, data_version moves only when another process commits: `steno keys revoke`, say.
  const dataVersion = writer.prepare('pragma data_version');
  let ownChanges = 0;
  let otherChanges: number | undefined;

  async function write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    let principalsChanged = false;
    let erasure: ReturnType<typeof trackErasure> | undefined;
    const attempt = () =>
      groupCommit.write(async (trx) => {
        erasure = trackErasure(trx);
        const tracked = trackPrincipals(erasure.db);
        const value = await work(tracked.tx);
        principalsChanged = tracked.changed();
        return value;
      });
    const result = await attempt().catch((cause: unknown) => {
      if (!isFull(cause) || !erasure?.makesRoom()) throw cause;
      return reserve.deleting(attempt);
    });
    // Only after the commit: a read before it still sees the old rows.
    if (principalsChanged) ownChanges += 1;
    if (erasure?.deletes()) {
      reserve.make();
      log.erase();
    } else if (erasure?.replaces()) log.eraseLater();
    return result;
  }

  function insertNote(note: NewNote) {
    const outcome = storeNote(note);
    if (outcome === 'ok' && note.text) search.added(note.row.owner_id, note.text);
    return outcome;
  }

  return {
    name: 'sqlite',
    singleProcess: true,
    processId,
    // One server holds the data folder, so all others are gone.
    isServing: async (_db, other) => other === processId,
    // A command would use the same folder.
    hasOthers: async () => false,
    db,
    quick: db,
    // The row type is the one of the query's author.
    read: <Row>(text: string, parameters: readonly ReadParameter[]) =>
      read(text, parameters) as Promise<Row[]>,
    write,
    writeLocked: (work) => write(work),
    holdAccount,
    // There is one writer.
    locking: (query) => query,
    insertNote: async (_trx, note) => insertNote(note),
    insertNotes: async (_trx, notes) => notes.map(insertNote),
    // It changes no principal, so it is not tracked.
    createNote: (note, also) =>
      groupCommit.write(async (trx) => {
        const outcome = insertNote(note);
        if (outcome === 'ok') await also?.(trx, note.row.id);
        return outcome;
      }),
    principalsEpoch() {
      // Read once per turn of the event loop, 3 to 5 µs each: the requests of one turn arrived together.
      if (otherChanges === undefined) {
        otherChanges = Number(dataVersion.get()?.data_version);
        setImmediate(() => {
          otherChanges = undefined;
        });
      }
      // data_version is a 32-bit number; ours fills the bits above it.
      return otherChanges + ownChanges * 2 ** 32;
    },
    async migrate(work) {
      try {
        return await groupCommit.write((trx) => work(trx, async (sql) => writer.exec(sql)));
      } catch (cause) {
        throw explainSqlite(cause, dataDir, file);
      }
    },
    // There is one writer, so everything that can be read is committed.
    changesHorizon: sql<number>`1`,
    changesEnd: {
      tx: sql<number>`0`,
      // Not the largest number in the table, because old rows are deleted.
      seq: sql<number>`coalesce((select seq from sqlite_sequence where name = 'changes'), 0)`,
    },
    // All have the number 0. Of `(tx, seq) > (…)` SQLite 3.53 takes only `tx` from the index, and so read all changes of the
    // owner: for 70 webhooks and 20,000 changes 175 ms each second, now 0.1 ms.
    changesBehind: ({ seq }) => sql`changes.tx = 0 and changes.seq > ${seq}`,
    nextTransaction: sql<number>`1`,
    search: {
      ...search,
      async scrub() {
        await search.scrub();
        log.erase();
      },
    },
    pools: () => [],
    checkup: {
      async findDamage() {
        const pages = firstColumn(reader, `pragma quick_check(${mostDamages})`).filter(
          (line) => line !== 'ok',
        );
        const orphans = firstColumn(reader, 'select distinct "table" from pragma_foreign_key_check');
        return [...pages, ...orphans.map((table) => `rows of ${table} refer to rows that are gone`)];
      },
      now: async () => Date.now(),
      async bytes() {
        const text = 'select page_count * page_size from pragma_page_count, pragma_page_size';
        return Number(firstColumn(reader, text)[0]);
      },
    },
    async close() {
      await groupCommit.idle();
      await search.close();
      log.close();
      // The last connection of all processes that closes folds the log into the database; no other has to wait for it.
      for (const connection of [snapshots, reader, writer]) connection.close();
    },
  };
}

/** Raises `not_found` rather than let SQLite make the file. */
export function requireDatabase(dataDir: string): void {
  if (!existsSync(databaseFile(dataDir))) throw noDatabase('sqlite', dataDir);
}

/** There is one writer, so an existing account stays until the write ends. */
async function holdAccount(trx: Db, userId: string): Promise<boolean> {
  const user = await trx.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
  return user !== undefined;
}

/**
 * SQLite takes an empty file for a new database. Beside what only an earlier run leaves, it is one that lost its content. The
 * lock of the folder is no sign: a first start that is killed leaves one.
 */
function refuseEmptied(dataDir: string, file: string): void {
  if (!existsSync(file) || statSync(file).size > 0) return;
  const others = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  const witness = others.find((name) => left.test(name) && statSync(join(dataDir, name)).size > 0);
  if (witness !== undefined)
    throw new DatabaseUnusable(
      `The database ${file} is empty, but ${witness} beside it is not: restore a backup with "steno restore", or move both away to start anew.`,
    );
}

const left = /-(wal|shm)$|before-restore|backup|\.sound$/;
