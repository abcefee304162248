import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReserve } from '../../src/platform/database/reserve.ts';
import { checked, inOrder, type Row, type Rows, requireCurrent } from '../../src/platform/database/rows.ts';
import { databaseFile } from '../../src/platform/database/sqlite.ts';
import { openSqliteRows, writeSqliteRows } from '../../src/platform/database/sqlite-rows.ts';
import { fillEmptyTables } from '../support/every-table.ts';
import { at, insertNote, insertPerson, keyRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

const folder = mkdtempSync(join(tmpdir(), 'steno-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a database that is written again from its rows', () => {
  let steno: TestStore;
  let file: string;
  beforeAll(async () => {
    steno = await openStore('sqlite');
    file = databaseFile(steno.config.dataDir);
    const { id } = await insertPerson(steno.store);
    await steno.store.keys.insert(keyRow(id), 9, at(0));
    await insertNote(steno.store, id);
    fillEmptyTables(file);
    const database = new DatabaseSync(file);
    // Numbers that were given out and are gone.
    database.exec("update sqlite_sequence set seq = 500 where name = 'changes'");
    database.close();
  });
  afterAll(() => steno.close());

  const dumped = (path: string) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const objects = database
      .prepare(
        "select type, name, sql from sqlite_schema where name not like 'sqlite_%' and name <> 'schema_migrations' order by type, name",
      )
      .all();
    const tables = objects.filter(({ type }) => type === 'table');
    const rows = tables.map(({ name }) => [name, database.prepare(`select * from "${name}"`).all()]);
    const numbers = database.prepare('select name, seq from sqlite_sequence order by name').all();
    const applied = database.prepare('select name, checksum from schema_migrations order by name').all();
    database.close();
    return { objects, rows, numbers, applied };
  };
  const written = (path: string, rows: Rows, check: (again: Rows) => Promise<void>) =>
    writeSqliteRows(path, rows, { at: new Date('2026-01-01'), check });

  test('is the same: tables, triggers, rows, numbers and migrations', async () => {
    const rows = openSqliteRows(file);
    expect(rows.pending).toEqual([]);
    const path = join(folder, 'again.db');
    writeFileSync(path, 'left by a crash');
    const digested = checked(rows);
    let digests: unknown;
    await written(path, digested.rows, async (again) => {
      digests = await digested.compare(again);
    });
    rows.close();
    expect(dumped(path)).toEqual(dumped(file));
    expect(digests).toHaveProperty('size', rows.tables.length);
    const digest = (digests as Map<string, { rows: number; sha256: string }>).get('users');
    expect(digest).toEqual({ rows: 1, sha256: expect.stringMatching(/^(?!0{64})[0-9a-f]{64}$/) });
  });

  test('is not complete when the rows are not the same, or one refers to none', async () => {
    const rows = openSqliteRows(file);
    const path = join(folder, 'other.db');
    const [users] = rows.tables.filter(({ name }) => name === 'users');
    const reading = (change: (row: Row) => Row[]): Rows => ({
      ...rows,
      async *read(table) {
        for await (const row of rows.read(table)) yield* table.name === users?.name ? change(row) : [row];
      },
    });
    const complete = async (digested: ReturnType<typeof checked>, given: Rows) => {
      await written(path, given, async (again) => void (await digested.compare(again)));
    };
    const digested = checked(rows);
    const place = users?.columns.indexOf('name') ?? 0;
    const renamed = reading((row) => [row.map((value, at) => (at === place ? 'else' : value))]);
    for (const table of rows.tables) for await (const _ of digested.rows.read(table));
    await expect(complete(digested, renamed)).rejects.toThrow(
      'The table users was not written as it was read',
    );
    // Without the person, their rows refer to nobody.
    await expect(
      complete(
        digested,
        reading(() => []),
      ),
    ).rejects.toThrow('refer to rows that are not there');
    const database = new DatabaseSync(path);
    expect(database.prepare('select count(*) as count from sqlite_schema').get()).toEqual({ count: 0 });
    database.close();
    rows.close();
  });

  test('is refused while it is of an earlier version', () => {
    requireCurrent([]);
    expect(() => requireCurrent([{ name: '0001_x', checksum: '', text: '' }])).toThrow('1 migrations wait');
    const path = join(folder, 'newer.db');
    const database = new DatabaseSync(path);
    database.exec(
      "create table schema_migrations (name text, checksum text); insert into schema_migrations values ('9999_x', '')",
    );
    database.close();
    expect(() => openSqliteRows(path)).toThrow(/differs from the one/);
    // Nothing holds the file.
    rmSync(path);
  });
});

test('tables come after those that they refer to, and a circle is refused', () => {
  const names = (...references: [string, string][]) =>
    inOrder(
      [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      references.map(([table, needs]) => ({ table, needs })),
    ).map(({ name }) => name);
  expect(names()).toEqual(['a', 'b', 'c']);
  expect(names(['a', 'b'], ['b', 'c'])).toEqual(['c', 'b', 'a']);
  expect(names(['a', 'c'])).toEqual(['b', 'c', 'a']);
  expect(() => names(['a', 'b'], ['b', 'a'])).toThrow('in a circle');
});

describe('the reserve for deletions on a full disk', () => {
  const file = join(folder, 'reserve');
  const full = Object.assign(new Error('full'), { errcode: 13 });

  test('is made once, given away when the disk is full, and made again by the next deletion', async () => {
    const reserve = createReserve(folder);
    reserve.make();
    expect(readFileSync(file)).toHaveLength(1_048_576);
    writeFileSync(file, 'too little');
    expect(await reserve.deleting(async () => readFileSync(file).length)).toBe(1_048_576);
    for (const fault of [full, Object.assign(new Error('io'), { errcode: 10 | (3 << 8) })]) {
      let tries = 0;
      const outcome = await reserve.deleting(async () => {
        tries += 1;
        if (existsSync(file)) throw fault;
        return 'deleted';
      });
      expect([outcome, tries]).toEqual(['deleted', 2]);
    }
  });

  test('stays for other faults, and one that it cannot mend is told', async () => {
    const reserve = createReserve(folder);
    await expect(reserve.deleting(async () => Promise.reject(new Error('locked')))).rejects.toThrow('locked');
    expect(existsSync(file)).toBe(true);
    await expect(reserve.deleting(async () => Promise.reject(full))).rejects.toThrow('full');
    const nowhere = createReserve(join(folder, 'missing'));
    nowhere.make();
    let tries = 0;
    const failing = nowhere.deleting(async () => {
      tries += 1;
      throw full;
    });
    await expect(failing).rejects.toThrow('full');
    expect(tries).toBe(1);
  });
});
