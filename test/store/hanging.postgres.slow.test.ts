import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { connectPostgres } from '../../src/platform/database/postgres-connection.ts';
import { asOperator } from '../support/identity.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { emptyDatabase, silentLog } from '../support/steno.ts';
import { teamActs } from '../support/teams.ts';

/** A PostgreSQL whose processes are stopped, not ended: connections stay open, and nothing answers. */
const mostMs = 60_000;

type Replica = Awaited<ReturnType<typeof compose>>;
let postgres: TestPostgres;
let steno: Replica;
let headers: Record<string, string>;
/** Beside the server, so that it sees what that left behind. */
let watcher: ReturnType<typeof connectPostgres>;
let removeFolder: () => Promise<void>;
const stopped = new Set<number>();

beforeAll(async () => {
  postgres = await startPostgres();
  // Not the PostgreSQL of the whole run, which other tests use at the same time.
  const { config, dispose } = await emptyDatabase('sqlite');
  removeFolder = dispose;
  // Nothing else may use a connection at the moment when they are stopped.
  const options = { log: silentLog, webhookPollMs: 2 ** 31 - 1 };
  steno = await compose({ ...config, databaseUrl: postgres.url, databasePool: 5 }, options);
  watcher = connectPostgres(postgres.url, 1);
  const user = await asOperator(steno).users.add({ name: 'Ada', email: null, plan: 'business' });
  const draft = { name: 'test', scopes: personalScopes };
  const { key } = await teamActs(steno).keys.issue(operator, personalKeysOf(user.id), draft);
  headers = { authorization: `Bearer ${key}` };
});
afterAll(async () => {
  goOn();
  await steno.close();
  await watcher.destroy();
  await postgres.stop();
  await removeFolder();
});

function stop(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  stopped.add(pid);
}

function goOn(): void {
  for (const pid of stopped) process.kill(pid, 'SIGCONT');
  stopped.clear();
}

async function backends(): Promise<{ pid: number; state: string }[]> {
  const { rows } = await sql<{ pid: number; state: string }>`select pid, state from pg_stat_activity
    where application_name = 'steno' and pid <> pg_backend_pid()`.execute(watcher);
  return rows;
}

const create = () =>
  steno.app.inject({
    method: 'POST',
    url: '/api/v1/folders/create',
    headers,
    payload: { name: `folder ${Math.random()}` },
  });

test('a commit that nothing answers ends, and its connection serves nobody again', async () => {
  let pid = 0;
  const write = steno.database.write(async (db) => {
    await db.insertInto('installation').values({ name: 'hanging', value: '' }).execute();
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    pid = rows[0]?.pid ?? 0;
    stop(pid);
  });
  await expect(write).rejects.toThrow('Query read timeout');
  const others = await Promise.all(
    Array.from({ length: 12 }, () =>
      steno.database.write(async (db) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
        return rows[0]?.pid;
      }),
    ),
  );
  expect(others).not.toContain(pid);
  goOn();
  await expect.poll(async () => (await backends()).map((one) => one.pid)).not.toContain(pid);
});

test('while every process of PostgreSQL hangs, an answer is 503 with Retry-After, in bounded time', async () => {
  expect((await create()).statusCode).toBe(201);
  for (let round = 0; round < 2; round += 1) {
    for (const { pid } of await backends()) stop(pid);
    const startedAt = performance.now();
    // Past the counting of calls, which every request waits for: its `begin` is the first that nothing answers.
    const begun = expect(steno.database.write(async () => {})).rejects.toThrow('Query read timeout');
    const answers = await Promise.all([create(), create(), steno.app.inject({ url: '/api/v1/me', headers })]);
    await begun;
    expect(performance.now() - startedAt).toBeLessThan(mostMs);
    for (const { statusCode, headers: answered } of answers)
      expect([statusCode, answered['retry-after']]).toEqual([503, '5']);
    goOn();
    await expect.poll(async () => (await create()).statusCode, { timeout: mostMs }).toBe(201);
  }
  const unfinished = async () => (await backends()).filter(({ state }) => /in transaction/.test(state));
  await expect.poll(unfinished).toEqual([]);
});
