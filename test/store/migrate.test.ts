import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import type { Database } from '../../src/platform/database/database.ts';
import {
  type Migration,
  MigrationRefused,
  migrate,
  readMigrations,
} from '../../src/platform/database/migrate.ts';
import { openPostgres } from '../../src/platform/database/postgres.ts';
import { openSqlite } from '../../src/platform/database/sqlite.ts';
import { composeServices } from '../../src/services.ts';
import { openInProcess } from '../support/beside.ts';
import { type DatabaseKind, databaseKinds, emptyDatabase } from '../support/steno.ts';

const clock = () => Date.UTC(2026, 0, 1);
const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function openEmpty(name: DatabaseKind): Promise<{ database: Database; config: Config }> {
  const { config, dispose } = await emptyDatabase(name);
  cleanUp.push(dispose);
  return { database: await open(config), config };
}

async function open(config: Config): Promise<Database> {
  const database =
    config.databaseUrl === '' ? openSqlite(config.dataDir) : await openPostgres(config.databaseUrl, 2);
  cleanUp.push(() => database.close());
  return database;
}

const migration = (name: string, text: string, checksum = 'c0ffee'): Migration => ({ name, text, checksum });

/** Every table, column, index, constraint and type, as the database itself describes them. */
async function schemaOf({ name, db }: Database): Promise<unknown[]> {
  const query =
    name === 'sqlite'
      ? sql`select type, name, tbl_name, sql from sqlite_master order by type, name`
      : sql`
        select 'column' as type, table_name as name, row_to_json(c)::jsonb - 'table_catalog' - 'udt_catalog'
            - 'collation_catalog'
            - 'domain_catalog' as definition
          from information_schema.columns c where table_schema = 'public'
        union all select 'index', indexname, to_jsonb(indexdef) from pg_indexes where schemaname = 'public'
        union all select 'rule', conname, to_jsonb(conrelid::regclass || ' ' || pg_get_constraintdef(oid))
          from pg_constraint where connamespace = 'public'::regnamespace
        union all select 'domain', domain_name, to_jsonb(data_type || ' ' || collation_name)
          from information_schema.domains where domain_schema = 'public'
        order by 1, 2, 3`;
  return (await query.execute(db)).rows;
}

describe.each(databaseKinds)('migrations on %s', (name) => {
  const all = readMigrations(name);

  test('are numbered, each number once', () => {
    const numbers = all.map((each) => each.name.slice(0, 4));
    expect(numbers).toEqual([...new Set(numbers)].sort());
    expect(all.length).toBeGreaterThan(1);
  });

  test('one at a time give the same schema as all at once', { tags: 'slow' }, async () => {
    const fresh = await openEmpty(name);
    expect(await migrate(fresh.database, clock)).toEqual(all.map((each) => each.name));
    const upgraded = await openEmpty(name);
    for (let count = 1; count <= all.length; count += 1) {
      const database = await open(upgraded.config);
      expect(await migrate(database, clock, all.slice(0, count))).toEqual([all[count - 1]?.name]);
    }
    const schema = await schemaOf(fresh.database);
    expect(schema.length).toBeGreaterThan(10);
    expect(await schemaOf(upgraded.database)).toEqual(schema);
  });

  test('run once: the second start finds nothing to do', async () => {
    const { database } = await openEmpty(name);
    await migrate(database, clock);
    const before = await database.db.selectFrom('schema_migrations').selectAll().orderBy('name').execute();
    expect(await migrate(database, () => clock() + 1000)).toEqual([]);
    expect(await database.db.selectFrom('schema_migrations').selectAll().orderBy('name').execute()).toEqual(
      before,
    );
    expect(before[0]?.applied_at).toBe('2026-01-01T00:00:00.000Z');
  });

  test('that were edited after use are refused by name, and nothing changes', async () => {
    const { database } = await openEmpty(name);
    await migrate(database, clock);
    const before = await schemaOf(database);
    const edited = all.map((each, index) => (index === 1 ? { ...each, checksum: 'other' } : each));
    const next = migration('9999_next', 'create table next (id text)');
    const refused = migrate(database, clock, [...edited, next]);
    await expect(refused).rejects.toThrow(MigrationRefused);
    await expect(refused).rejects.toThrow(all[1]?.name);
    expect(await schemaOf(database)).toEqual(before);
  });

  test('of a newer Steno are refused with what to do', async () => {
    const { database } = await openEmpty(name);
    await migrate(database, clock, [...all, migration('9999_next', 'create table next (id text)')]);
    const refused = migrate(database, clock);
    await expect(refused).rejects.toThrow(MigrationRefused);
    await expect(refused).rejects.toThrow(/newer than this Steno.*9999_next.*Use the newer version/s);
  });

  test('set the flag of old notes whose text is their transcript, and tell nobody', async () => {
    const { database } = await openEmpty(name);
    const before = all.findIndex((each) => each.name.startsWith('0188'));
    await migrate(database, clock, all.slice(0, before));
    const segments = [{ text: 'One two. ' }, { text: '' }, { text: 'Three.' }];
    const old: Record<string, [content: string, transcript: string | null]> = {
      said: ['One two.\n\nThree.', JSON.stringify(segments)],
      plain: ['One two.', 'One two.'],
      silent: ['', '[]'],
      written: ['One two. Three. And four.', JSON.stringify(segments)],
      typed: ['One two.', null],
      odd: ['One', '["One", 1, {"text": "Two"}]'],
      broken: ['[inaudible] yes', '[inaudible]  yes'],
    };
    for (const [id, [content, transcript]] of Object.entries(old))
      await sql`insert into notes (id, owner_id, user_id, client_note_id, content, note_type, pinned, transcript, created_at,
        updated_at) values (${id}, 'me', 'me', ${id}, ${content}, 'upload', 0, ${transcript}, '2026', '2026')`.execute(
        database.db,
      );
    const changes = () => database.db.selectFrom('changes').select('action').execute();
    const told = await changes();
    await migrate(database, clock);
    const flagged = await database.db
      .selectFrom('notes')
      .select('id')
      .where('content_is_transcript', '=', 1)
      .orderBy('id')
      .execute();
    expect(flagged.map(({ id }) => id)).toEqual(['broken', 'plain', 'said', 'silent']);
    expect(await changes()).toEqual(told);
    await database.db.updateTable('notes').set({ title: 'T' }).where('id', '=', 'said').execute();
    expect(await changes()).toHaveLength(told.length + 1);
  });

  test('that fail leave nothing of themselves or of those before them', async () => {
    const { database } = await openEmpty(name);
    await migrate(database, clock);
    const before = await schemaOf(database);
    const good = migration('9998_good', 'create table good (id text)');
    const bad = migration('9999_bad', 'create table half (id text); insert into no_such_table values (1)');
    await expect(migrate(database, clock, [...all, good, bad])).rejects.toThrow(/no_such_table/);
    expect(await schemaOf(database)).toEqual(before);
    expect(await database.db.selectFrom('schema_migrations').select('name').execute()).toHaveLength(
      all.length,
    );
    expect(await migrate(database, clock, [...all, good])).toEqual(['9998_good']);
  });

  test('are run once by ten servers that start together', async () => {
    const { config, dispose } = await emptyDatabase(name);
    cleanUp.push(dispose);
    const started = await Promise.all(
      Array.from({ length: 10 }, () => composeServices({ ...config, databasePool: 2 })),
    );
    for (const services of started) cleanUp.push(services.close);
    for (const { database } of started) await database.state();
    const applied = await started[0]?.database.db.selectFrom('schema_migrations').select('name').execute();
    expect(applied).toHaveLength(all.length);
  });
});

test('ten processes that open one new data folder together all find it migrated', {
  tags: 'slow',
}, async () => {
  const { config, dispose } = await emptyDatabase('sqlite');
  cleanUp.push(dispose);
  const ended = await Promise.all(Array.from({ length: 10 }, () => openInProcess(config)));
  expect(ended).toEqual(Array.from({ length: 10 }, () => ({ code: 0, stderr: '' })));
});
