import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import S3rver from 's3rver';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { fillEmptyTables } from '../support/every-table.ts';
import { createDatabase } from '../support/postgres.ts';
import { newFolder, runSteno, type ServerProcess, startServer } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { recording } from '../support/sound.ts';

let folder: string;
let dataDir: string;
let database: Awaited<ReturnType<typeof createDatabase>>;
beforeEach(async () => {
  folder = newFolder();
  dataDir = join(folder, 'data');
  database = await createDatabase(inject('postgresUrl'));
});
afterEach(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const preload = new URL('../support/die-at.ts', import.meta.url).href;
const fromSqlite = (...args: string[]) => runSteno(['move', ...args], { STENO_DATA_DIR: dataDir });
const fromPostgres = (...args: string[]) =>
  runSteno(['move', ...args], { STENO_DATA_DIR: dataDir, STENO_DATABASE_URL: database.url });

async function call({ address }: ServerProcess, key: string | undefined, path: string, body?: object) {
  const answer = await fetch(`${address}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(answer.ok, `${path} answered ${answer.status}`).toBe(true);
  return ((await answer.json()) as { data: { id: string } & Record<string, unknown> }).data;
}

/** A server that was used: notes, trash, a recording with its audio. Then every other table gets a row. */
async function seed(): Promise<{ key: string; recordingId: string }> {
  const server = await startServer({ dataDir });
  const { key } = server;
  const note = await call(server, key, '/notes/create', {
    title: 'Kept',
    content: 'a note with words to find',
  });
  for (let count = 0; count < 30; count += 1)
    await call(server, key, '/notes/create', { content: `lap ${count} of the runner` });
  await fetch(`${server.address}/api/v1/notes/${note.id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'a note with other words to find' }),
  });
  const gone = await call(server, key, '/notes/create', { content: 'in the trash' });
  await fetch(`${server.address}/api/v1/notes/${gone.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${key}` },
  });
  const uploaded = await fetch(`${server.address}/api/v1/recordings?name=jfk&note=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'audio/mpeg' },
    body: new Uint8Array(recording('jfk.mp3')),
  });
  const { id } = ((await uploaded.json()) as { data: { id: string } }).data;
  await expect.poll(async () => (await call(server, key, `/recordings/${id}`)).state).toBe('done');
  await server.stop();
  fillEmptyTables(join(dataDir, 'steno.db'));
  return { key: String(key), recordingId: id };
}

type Content = Record<string, unknown[]>;
const sorted = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).sort();
/** A moved database begins a new timeline of changes: no transaction is known, and webhooks have their place in it. */
const isOfTimeline = (table: string, [first]: unknown[]) =>
  table === 'change_marks' || (table === 'installation' && first === 'changes_timeline');
const plain = (table: string, name: string, value: unknown) =>
  name === 'tx' || (table === 'webhooks' && name === 'seq')
    ? 0
    : value instanceof Uint8Array
      ? Buffer.from(value).toString('hex')
      : value;

function sqliteContent(file: string): Content {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = connection
      .prepare(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'schema_migrations' order by name",
      )
      .all();
    return Object.fromEntries(
      tables.map(({ name }) => {
        const columns = connection
          .prepare('select name from pragma_table_info(?) order by name')
          .all(String(name))
          .map((column) => String(column.name))
          .sort();
        const rows = connection.prepare(`select * from "${String(name)}"`).all();
        return [name, kept(String(name), columns, rows)];
      }),
    );
  } finally {
    connection.close();
  }
}

const kept = (table: string, columns: string[], rows: Record<string, unknown>[]) =>
  sorted(
    rows
      .filter((row) => !isOfTimeline(table, [row.name]))
      .map((row) => columns.map((column) => plain(table, column, row[column]))),
  );

async function postgresContent(url: string): Promise<Content> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      "select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations' order by 1",
    );
    const content: Content = {};
    for (const { tablename } of tables) {
      const { rows, fields } = await client.query(`select * from "${tablename}"`);
      const numeric = fields.filter(({ dataTypeID }) => dataTypeID === pg.types.builtins.INT8);
      for (const row of rows)
        for (const { name } of numeric) if (row[name] !== null) row[name] = Number(row[name]);
      content[tablename] = kept(tablename, fields.map(({ name }) => name).sort(), rows);
    }
    return content;
  } finally {
    await client.end();
  }
}

const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const audioIn = (dir: string) =>
  readdirSync(join(dir, 'recordings')).filter((name) => name.endsWith('.sound'));

describe('steno move', () => {
  test('takes every row to PostgreSQL and back; keys work, searches find, and the old data stays', {
    tags: 'slow',
  }, async () => {
    const { key, recordingId } = await seed();
    const before = sqliteContent(join(dataDir, 'steno.db'));
    const file = digest(join(dataDir, 'steno.db'));

    const there = await fromSqlite('--to', database.url, '--json');
    expect(there).toMatchObject({ code: 0, stderr: '' });
    const told = JSON.parse(there.stdout);
    expect(told).toMatchObject({
      audio: null,
      tables: { notes: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
    expect(Object.keys(told.tables).sort()).toEqual(Object.keys(before));
    for (const [table, { rows }] of Object.entries<{ rows: number }>(told.tables))
      expect([table, rows > 0]).toEqual([table, true]);
    expect(await postgresContent(database.url)).toEqual(before);
    expect(digest(join(dataDir, 'steno.db'))).toBe(file);
    // A database with data is not written to.
    expect(await fromSqlite('--to', database.url)).toMatchObject({ code: 3, stdout: '' });

    const server = await startServer({ dataDir, databaseUrl: database.url });
    expect(await call(server, key, '/notes/search', { query: 'other words find' })).toMatchObject([
      { title: 'Kept' },
    ]);
    const audio = await fetch(`${server.address}/api/v1/recordings/${recordingId}/audio`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(Buffer.from(await audio.arrayBuffer())).toEqual(Buffer.from(recording('jfk.mp3')));
    const made = await call(server, key, '/notes/create', { content: 'made on PostgreSQL' });
    // Stopped servers only.
    expect(await fromPostgres('--to', join(folder, 'back'))).toMatchObject({ code: 3, stdout: '' });
    await server.stop();

    const onPostgres = await postgresContent(database.url);
    const back = join(folder, 'back');
    expect(await fromPostgres('--to', back)).toMatchObject({ code: 0, stderr: '' });
    expect(sqliteContent(join(back, 'steno.db'))).toEqual(onPostgres);
    expect(await postgresContent(database.url)).toEqual(onPostgres);
    expect(audioIn(back)).toEqual([`${recordingId}.sound`]);
    const again = await startServer({ dataDir: back });
    expect(await call(again, key, `/notes/${made.id}`)).toMatchObject({ content: 'made on PostgreSQL' });
    expect(await call(again, key, '/notes/search', { query: 'made postgresql' })).toHaveLength(1);
    const next = await call(again, key, '/notes/create', { content: 'made after the way back' });
    expect(await call(again, key, '/notes/search', { query: 'way back' })).toMatchObject([{ id: next.id }]);
    await again.stop();
    expect(await runSteno(['doctor', '--no-speech'], { STENO_DATA_DIR: back })).toMatchObject({ code: 0 });
  });

  test('that is killed leaves nothing half, and goes on when it is run again', { tags: 'slow' }, async () => {
    const { recordingId } = await seed();
    const before = sqliteContent(join(dataDir, 'steno.db'));
    const elsewhere = join(folder, 'elsewhere');
    let kills = 0;
    for (let digests = 40; ; digests += 40) {
      const ended = await runSteno(['move', '--to', database.url, '--audio-to', elsewhere], {
        STENO_DATA_DIR: dataDir,
        NODE_OPTIONS: `--import=${preload}`,
        TEST_DIE_AT_DIGEST: String(digests),
      });
      const content = await postgresContent(database.url);
      if (ended.code !== 0) expect(ended.signal).toBe('SIGKILL');
      // All or nothing, also when it dies after its last step.
      if (Object.keys(content).length > 0) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(3);
    expect(await postgresContent(database.url)).toEqual(before);
    expect(audioIn(elsewhere)).toEqual([`${recordingId}.sound`]);

    const back = join(folder, 'back');
    for (let digests = 40; ; digests += 40) {
      const ended = await runSteno(['move', '--to', back], {
        STENO_DATA_DIR: dataDir,
        STENO_DATABASE_URL: database.url,
        NODE_OPTIONS: `--import=${preload}`,
        TEST_DIE_AT_DIGEST: String(digests),
      });
      if (ended.code !== 0) expect(ended.signal).toBe('SIGKILL');
      if (existsSync(join(back, 'steno.db'))) break;
    }
    expect(sqliteContent(join(back, 'steno.db'))).toEqual(before);
    expect(readdirSync(back).filter((name) => name.includes('moving'))).toEqual([]);
  });

  test('takes the audio to an S3 store, both named by the settings of the new servers, and back', {
    tags: 'slow',
  }, async () => {
    const { key, recordingId } = await seed();
    const store = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: join(folder, 's3'),
      configureBuckets: [{ name: 'steno' }],
    });
    const { port } = await store.run();
    const envFile = join(folder, 'new.env');
    const audioUrl = `s3://S3RVER:S3RVER@127.0.0.1:${port}/steno?tls=no`;
    const settings = { STENO_RECORDINGS_URL: audioUrl, STENO_DATA_DIR: join(folder, 'new') };
    const lines = { ...settings, STENO_DATABASE_URL: database.url };
    writeFileSync(
      envFile,
      Object.entries(lines)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );

    const moved = await fromSqlite('--to-env-file', envFile);
    expect(moved).toMatchObject({ code: 0, stderr: '' });
    expect(moved.stdout).toMatch(
      /The audio of 1 recordings is in s3:\/\/127\.0\.0\.1:\d+\/steno, compared byte by byte/,
    );
    expect(moved.stdout).not.toContain('S3RVER');
    const server = await startServer({ dataDir: join(folder, 'new'), databaseUrl: database.url, settings });
    const audio = await fetch(`${server.address}/api/v1/recordings/${recordingId}/audio`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(Buffer.from(await audio.arrayBuffer())).toEqual(Buffer.from(recording('jfk.mp3')));
    await server.stop();

    const back = join(folder, 'back');
    const returned = await runSteno([
      '--env-file',
      envFile,
      'move',
      '--to',
      back,
      '--audio-to',
      back,
      '--json',
    ]);
    expect(JSON.parse(returned.stdout)).toMatchObject({ audio: { copied: 1, present: 0, missing: 0 } });
    expect(audioIn(back)).toEqual([`${recordingId}.sound`]);
    await store.close();
  });

  test('loses no event that waits for its webhook', { tags: 'slow' }, async () => {
    let isWell = false;
    const receiver = await startReceiver(() => (isWell ? 204 : 500));
    const settings = { STENO_WEBHOOK_NETWORKS: '127.0.0.1' };
    const server = await startServer({ dataDir, databaseUrl: database.url, settings });
    const { key } = server;
    await call(server, key, '/notes/create', { content: 'before there was a webhook' });
    await call(server, key, '/webhooks', { url: receiver.url, events: ['note.created'] });
    const note = await call(server, key, '/notes/create', { content: 'waits' });
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
    await server.stop();
    const back = join(folder, 'back');
    expect(await fromPostgres('--to', back)).toMatchObject({ code: 0, stderr: '' });
    const moved = new DatabaseSync(join(back, 'steno.db'));
    moved.exec("update webhooks set next_attempt_at = '2026-01-01T00:00:00.000Z'");
    moved.close();
    isWell = true;
    const refused = receiver.received.length;
    const again = await startServer({ dataDir: back, settings });
    await expect.poll(() => receiver.received.length).toBeGreaterThan(refused);
    expect(receiver.received.slice(refused).map(({ text }) => text)).toEqual([
      expect.stringContaining(String(note.id)),
    ]);
    await again.stop();
    await receiver.close();
  });

  test('refuses a running server, a folder with a database, and what is no database', async () => {
    const server = await startServer({ dataDir });
    expect(await fromSqlite('--to', database.url)).toMatchObject({ code: 3, stdout: '' });
    await server.stop();
    expect(await fromSqlite('--to', dataDir)).toMatchObject({ code: 3, stdout: '' });
    expect(await fromSqlite('--to', 'mysql://localhost/steno')).toMatchObject({ code: 2, stdout: '' });
    const nobody = await runSteno(['move', '--to', database.url], { STENO_DATA_DIR: join(folder, 'none') });
    expect(nobody).toMatchObject({ code: 3, stdout: '' });
    expect(existsSync(join(folder, 'none'))).toBe(false);
    expect(await postgresContent(database.url)).toEqual({});
  });
});
