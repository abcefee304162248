import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabase } from '../support/postgres.ts';
import { newFolder, runSteno, type ServerProcess, startServer } from '../support/process.ts';

let folder: string;
let file: string;
let source: Awaited<ReturnType<typeof createDatabase>>;
let target: Awaited<ReturnType<typeof createDatabase>>;
let server: ServerProcess;
beforeAll(async () => {
  folder = newFolder();
  file = join(folder, 'notes.backup');
  source = await createDatabase(inject('postgresUrl'));
  target = await createDatabase(inject('postgresUrl'));
  server = await startServer({ dataDir: folder, databaseUrl: source.url });
});
afterAll(async () => {
  await server.kill();
  await source.drop();
  await target.drop();
  rmSync(folder, { recursive: true, force: true });
});

const steno = (url: string, args: string[], settings: Record<string, string> = {}) =>
  runSteno(args, { STENO_DATA_DIR: folder, STENO_DATABASE_URL: url, ...settings });

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Every table of the schema with every row. A restored database begins a new timeline, where no transaction is known. */
async function contentOf(url: string, schema = 'public'): Promise<Record<string, unknown>> {
  const tables = await query(
    url,
    `select tablename from pg_tables where schemaname = '${schema}' order by tablename`,
  );
  const content: Record<string, unknown> = {};
  for (const { tablename } of tables)
    content[String(tablename)] = (
      await query(url, `select * from ${schema}.${tablename} order by 1, 2`)
    ).flatMap(({ tx, ...row }) => (row.name === 'changes_timeline' ? [] : [row]));
  return content;
}

test('without the client programs it says what to install and what to run', async () => {
  const backup = await steno(source.url, ['backup', file], { PATH: folder });
  expect(backup).toMatchObject({ code: 1, stdout: '' });
  expect(backup.stderr).toMatch(
    /^pg_dump is not on the PATH: install [^\n]+ run 'pg_dump --format=custom [^\n]+\.\n$/,
  );
  expect(existsSync(file)).toBe(false);
  writeFileSync(join(folder, 'any'), 'any');
  const restore = await steno(target.url, ['restore', join(folder, 'any')], { PATH: folder });
  expect(restore).toMatchObject({ code: 1, stdout: '' });
  expect(restore.stderr).toMatch(/^pg_restore is not on the PATH: install [^\n]+\.\n$/);
});

test('with them a backup is restored whole; with too old ones it says which are needed', async () => {
  const created = await fetch(`${server.address}/api/v1/notes/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Kept', content: 'a note with words to find' }),
  });
  expect(created.status).toBe(201);
  const backup = await steno(source.url, ['backup', file]);
  if ((await usableTools()) === false) {
    expect(backup).toMatchObject({ code: 1, stdout: '' });
    expect(backup.stderr).toMatch(/^pg_dump (\d+ cannot work with PostgreSQL|is not on the PATH)[^\n]+\.\n$/);
    expect(existsSync(file)).toBe(false);
    return;
  }
  expect(backup).toMatchObject({ code: 0, stderr: '' });

  expect(await steno(source.url, ['restore', file, '--yes'])).toMatchObject({ code: 3, stdout: '' });
  expect(await steno(target.url, ['restore', file])).toMatchObject({ code: 0, stderr: '' });
  const { key } = server;
  await server.stop();
  expect(await contentOf(target.url)).toEqual({
    ...(await contentOf(source.url)),
    // Written at the end of the server, after the backup.
    api_keys: (await contentOf(target.url)).api_keys,
  });

  expect(await steno(target.url, ['restore', file])).toMatchObject({ code: 3, stdout: '' });
  await query(target.url, 'update notes set title = null');
  const again = await steno(target.url, ['restore', file, '--yes', '--json']);
  const schema = JSON.parse(again.stdout).kept_aside.replace('schema ', '');
  expect(await contentOf(target.url, schema)).toMatchObject({ notes: [{ title: null }] });
  expect(await contentOf(target.url)).toMatchObject({ notes: [{ title: 'Kept' }] });

  writeFileSync(join(folder, 'other'), 'no archive');
  expect(await steno(target.url, ['restore', join(folder, 'other'), '--yes'])).toMatchObject({ code: 2 });
  server = await startServer({ dataDir: folder, databaseUrl: target.url });
  const found = await fetch(`${server.address}/api/v1/notes/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'words find' }),
  });
  expect(await found.json()).toMatchObject({ data: [{ title: 'Kept' }] });
});

/** The machine decides: the npm package with the test server has no pg_dump in it. */
async function usableTools(): Promise<boolean> {
  const printed = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const [row] = await query(source.url, 'show server_version_num');
  return Number(/(\d+)\./.exec(printed)?.[1] ?? 0) >= Math.floor(Number(row?.server_version_num) / 10_000);
}
