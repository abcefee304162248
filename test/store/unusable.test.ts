import { expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { noteRows } from '../../src/features/notes/queries.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import {
  DatabaseUnusable,
  explainingSqlite,
  explainPostgres,
  explainSqlite,
  sqliteCode,
  unavailable,
  watched,
  wordForFault,
} from '../../src/platform/database/unusable.ts';
import { noteRow } from '../support/rows.ts';
import { openStore } from '../support/store.ts';

const sqlite = (errcode: number) => Object.assign(new Error('sqlite'), { errcode });
const coded = (code: string, message = 'fault') => Object.assign(new Error(message), { code });
const other = new Error('a bug');
const url = 'postgres://steno:secret@db.example:5433/notes';
const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

test('SQLite’s code is the low byte of its error, and nothing else has one', () => {
  expect(sqliteCode(sqlite(10 | (3 << 8)))).toBe(10);
  for (const cause of [
    other,
    coded('EIO'),
    { errcode: 10 },
    Object.assign(new Error('x'), { errcode: '10' }),
  ])
    expect(sqliteCode(cause)).toBeUndefined();
});

test('a database that cannot be opened says what is wrong with file or folder, and what to do', () => {
  const explained = (cause: unknown) => messageOf(explainSqlite(cause, '/data', '/data/steno.db'));
  expect(explained(sqlite(11))).toBe(
    'The database /data/steno.db is damaged; restore a backup with "steno restore".',
  );
  expect(explained(sqlite(3))).toMatch(
    /^The database \/data\/steno.db cannot be read and written by this user/,
  );
  expect(explained(coded('ENOSPC'))).toBe(
    'The data folder /data is on a full disk; free some space, or set STENO_DATA_DIR to another folder.',
  );
  expect(explained(coded('EACCES'))).toMatch(/^The data folder \/data cannot be written by this user/);
  expect(explainSqlite(other, '/data', 'f')).toBe(other);
  expect(explainingSqlite('/data', 'f', () => 'open')).toBe('open');
  const failing = () => {
    throw sqlite(26);
  };
  expect(() => explainingSqlite('/data', 'f', failing)).toThrow(DatabaseUnusable);
  // Who owns it is told where that may be the reason.
  const owned = (cause: unknown) => messageOf(explainSqlite(cause, process.cwd(), process.cwd()));
  expect(owned(sqlite(8)).length).toBeGreaterThanOrEqual(owned(sqlite(13)).length);
});

test('a PostgreSQL that cannot be used says where, why and what to check, without its password', () => {
  const explained = (cause: unknown, at = url) => messageOf(explainPostgres(cause, at));
  expect(explained(coded('ECONNREFUSED'))).toBe(
    'Cannot use PostgreSQL at db.example:5433/notes: no server listens there; check the server and STENO_DATABASE_URL.',
  );
  expect(explained(coded('28P01'), 'postgres://db.example/notes')).toContain(
    'at db.example:5432/notes: it refuses the user name or the password;',
  );
  expect(explained(new Error('timeout expired'))).toContain(': it does not answer;');
  expect(explained(coded('26000'))).toContain('PgBouncer before 1.21');
  expect(explained(new Error('unsupported startup parameter: options'))).toContain(
    'PgBouncer refuses options; add it to ignore_startup_parameters',
  );
  expect(explainPostgres(other, url)).toBe(other);
  expect(explainPostgres('timeout', url)).toBe('timeout');
});

test('a fault that passes is 503 with a time to come back; a bug is not', () => {
  const passing = [
    ...[5, 6, 8, 10, 13, 14].map(sqlite),
    ...['08006', '53300', '57014', '58030', 'ECONNRESET', '3D000', 'EPIPE'].map((code) => coded(code)),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
  ];
  for (const cause of passing)
    expect(unavailable(cause), messageOf(cause)).toMatchObject({ code: 'service_unavailable', cause });
  for (const cause of [other, sqlite(11), sqlite(19), coded('23505'), 'connection terminated'])
    expect(unavailable(cause)).toBeUndefined();
});

test('whoever watches is told in a word', () => {
  const words = [
    sqlite(5),
    sqlite(8),
    sqlite(11),
    sqlite(26),
    sqlite(13),
    coded('53100'),
    coded('XX001'),
    other,
  ];
  expect(words.map(wordForFault)).toEqual([
    'locked',
    'read-only',
    'damaged',
    'damaged',
    'disk full',
    'disk full',
    'damaged',
    'does not answer',
  ]);
});

test('a database in doubt is ok again when it takes a new page; a damaged one stays damaged', async () => {
  const steno = await openStore('sqlite');
  let fault: Error | undefined;
  let tries = 0;
  const failing = <Work extends (...given: never[]) => Promise<unknown>>(write: Work) =>
    (async (...given: never[]) => {
      tries += 1;
      if (fault) throw fault;
      return write(...given);
    }) as unknown as Work;
  const { database } = steno;
  let measured = 0;
  const seen = watched(
    {
      ...database,
      write: failing(database.write),
      writeLocked: failing(database.writeLocked),
      createNote: failing(database.createNote),
    },
    () => {
      measured += 1;
    },
  );
  expect(await seen.state()).toBe('ok');
  expect(tries).toBe(0);
  await seen.write(async () => {});
  fault = other;
  await expect(seen.write(async () => {})).rejects.toBe(other);
  fault = undefined;
  // A bug is no reason to doubt it.
  expect([await seen.state(), tries]).toEqual(['ok', 2]);
  const note = { row: noteRows.toRow(noteRow(newUuid())), text: null };
  for (const write of [
    () => seen.write(async () => {}),
    () => seen.writeLocked(async () => {}),
    () => seen.createNote(note),
  ]) {
    fault = sqlite(13);
    await expect(write()).rejects.toBe(fault);
    expect(await seen.state()).toBe('disk full');
    fault = undefined;
    expect(await seen.state()).toBe('ok');
  }
  const before = tries;
  expect([await seen.state(), tries]).toEqual(['ok', before]);
  expect(measured).toBe(tries);
  expect(seen.unavailable(other)).toBeUndefined();
  expect(await seen.state()).toBe('ok');
  expect(seen.unavailable(sqlite(5))).toBeInstanceOf(AppError);
  expect(seen.unavailable(sqlite(11))).toBeUndefined();
  expect(await seen.state()).toBe('damaged');
  await steno.close();
});
