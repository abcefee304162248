import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { runCommand } from '../support/commands.ts';
import { createDatabase } from '../support/postgres.ts';
import { newFolder, type ServerProcess, startServer } from '../support/process.ts';

let folder: string;
let file: string;
let source: Awaited<ReturnType<typeof createDatabase>>;
let target: Awaited<ReturnType<typeof createDatabase>>;
let server: ServerProcess;
beforeAll(async () => {
  folder = newFolder();
  file = join(folder, 'backups');
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
  runCommand(args, { STENO_DATA_DIR: folder, STENO_DATABASE_URL: url, ...settings });

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
    `select tablename from pg_tables where schemaname = '${schema}' and tablename <> 'change_marks' order by tablename`,
  );
  const content: Record<string, unknown> = {};
  for (const { tablename } of tables)
    content[String(tablename)] = (
      await query(url, `select * from ${schema}.${tablename} as t order by t::text`)
    ).flatMap(({ tx, ...row }) => (row.name === 'changes_timeline' ? [] : [row]));
  return content;
}

const withOne = (title: string | null) => expect.arrayContaining([expect.objectContaining({ title })]);

test('a backup is made and restored whole, without any program of PostgreSQL', async () => {
  const create = (content: string, title: string) =>
    fetch(`${server.address}/api/v1/notes/create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title, content }),
    });
  expect((await create('a note with words to find', 'Kept')).status).toBe(201);
  // Rows of every length: they arrive in pieces, and the driver uses its buffer again.
  for (let index = 1; index <= 60; index += 1)
    expect((await create(`word${index} `.repeat(index * 40), 'Long')).status).toBe(201);
  // Text of every kind that has a meaning in the format of `copy`.
  const odd = 'a\\.b\tc\n\\.\n\\N "quoted" – ünïcode';
  await query(source.url, `update notes set content = '${odd}' where title = 'Kept'`);
  expect(await steno(source.url, ['backup', file], { PATH: folder })).toMatchObject({ code: 0, stderr: '' });

  expect(await steno(source.url, ['restore', file, '--yes'])).toMatchObject({ code: 3, stdout: '' });
  expect(await steno(target.url, ['restore', file], { PATH: folder })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const { key } = server;
  await server.stop();
  expect(await contentOf(target.url)).toEqual({
    ...(await contentOf(source.url)),
    // Written at the end of the server, after the backup.
    api_keys: (await contentOf(target.url)).api_keys,
    installation: (await contentOf(target.url)).installation,
  });

  expect(await steno(target.url, ['restore', file])).toMatchObject({ code: 3, stdout: '' });
  await query(target.url, "update notes set title = null where title = 'Kept'");
  const again = await steno(target.url, ['restore', file, '--yes', '--json']);
  const schema = JSON.parse(again.stdout).kept_aside.replace('schema ', '');
  expect(await contentOf(target.url, schema)).toMatchObject({ notes: withOne(null) });
  expect(await contentOf(target.url)).toMatchObject({ notes: withOne('Kept') });

  writeFileSync(join(folder, 'other'), 'no archive');
  expect(await steno(target.url, ['restore', join(folder, 'other'), '--yes'])).toMatchObject({ code: 2 });
  // The next note gets a number that no other has.
  const before = await query(target.url, 'select last_value::int as value from notes_seq_seq');
  expect(before).toEqual([{ value: 61 }]);
  server = await startServer({ dataDir: folder, databaseUrl: target.url });
  const found = await fetch(`${server.address}/api/v1/notes/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'words find' }),
  });
  expect(await found.json()).toMatchObject({ data: [{ title: 'Kept' }] });
});
