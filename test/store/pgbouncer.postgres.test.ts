import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { createDatabase } from '../support/postgres.ts';
import { newFolder, runSteno, startServer } from '../support/process.ts';

/** Not a part of the tests' own packages: they run where the system has it. */
const program = process.env.STENO_TEST_PGBOUNCER ?? '/usr/sbin/pgbouncer';
const version = /PgBouncer (\d+)\.(\d+)/.exec(
  spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '',
);
const keepsStatements = version !== null && (Number(version[1]) > 1 || Number(version[2]) >= 21);
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

let folder: string;
let database: Awaited<ReturnType<typeof createDatabase>>;
let pooler: ChildProcess | undefined;
beforeEach(async () => {
  folder = newFolder();
  database = await createDatabase(inject('postgresUrl'));
});
afterEach(async () => {
  if (pooler) {
    const ended = new Promise((resolve) => pooler?.once('exit', resolve));
    pooler.kill();
    await ended;
  }
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** In transaction mode, with the connections of PostgreSQL shared by all clients. */
async function startPooler(settings: string[]): Promise<string> {
  const port = await freePort();
  const dir = join(folder, 'pooler');
  mkdirSync(dir);
  const { host } = new URL(database.url);
  const [hostname, number] = host.split(':');
  const ini = join(dir, 'pgbouncer.ini');
  writeFileSync(
    ini,
    [
      '[databases]',
      `* = host=${hostname} port=${number} user=postgres`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 4',
      ...settings,
    ].join('\n'),
  );
  chmodSync(folder, 0o755);
  if (isRoot) for (const path of [dir, ini]) chownSync(path, nobody, nobody);
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  pooler = spawn(program, [ini], { ...user, stdio: 'ignore' });
  const answers = () =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  await expect.poll(answers).toBe(true);
  const url = new URL(database.url);
  url.host = `127.0.0.1:${port}`;
  return url.href;
}

describe.runIf(version)('behind PgBouncer', () => {
  const serve = (url: string, listenUrl = database.url) =>
    runSteno(['serve'], {
      STENO_DATA_DIR: join(folder, 'data'),
      STENO_DATABASE_URL: url,
      STENO_DATABASE_LISTEN_URL: listenUrl,
      STENO_PORT: '0',
      STENO_ENGINE: 'fake',
    });

  test('one that refuses a parameter is told in a sentence that names it', async () => {
    const ended = await serve(await startPooler([]));
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringMatching(/^Cannot use PostgreSQL at [^\n]+ignore_startup_parameters[^\n]+\n$/),
    ]);
    expect(ended.stderr).toContain('statement_timeout');
  });

  test('one that loses prepared statements is told in a sentence, each time', async () => {
    const url = await startPooler([
      'ignore_startup_parameters = statement_timeout',
      ...(keepsStatements ? ['max_prepared_statements = 0'] : []),
    ]);
    for (const _ of ['first', 'again']) {
      const ended = await serve(url);
      expect([ended.code, ended.stderr]).toEqual([
        1,
        expect.stringMatching(/^Cannot use PostgreSQL at [^\n]+PgBouncer before 1\.21[^\n]+\n$/),
      ]);
    }
  });

  test.runIf(keepsStatements)(
    'without an address past it nothing can be heard, which is told in a sentence',
    async () => {
      const url = await startPooler([
        'ignore_startup_parameters = statement_timeout',
        'max_prepared_statements = 500',
      ]);
      const ended = await serve(url, url);
      expect([ended.code, ended.stderr]).toEqual([
        1,
        expect.stringMatching(/^[^\n]+STENO_DATABASE_LISTEN_URL[^\n]+\n$/),
      ]);
    },
  );

  test.runIf(keepsStatements)('one that keeps them serves', async () => {
    const databaseUrl = await startPooler([
      'ignore_startup_parameters = statement_timeout',
      'max_prepared_statements = 500',
    ]);
    const server = await startServer({
      dataDir: join(folder, 'data'),
      databaseUrl,
      settings: { STENO_DATABASE_LISTEN_URL: database.url },
    });
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    const statuses = await Promise.all(
      Array.from({ length: 40 }, (_, count) =>
        fetch(`${server.address}/api/v1/notes/create`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ content: `note ${count}` }),
        }).then(({ status }) => status),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    await server.stop();
  });
});
