import { rmSync } from 'node:fs';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createDatabase } from '../support/postgres.ts';
import { newFolder, type ServerProcess, startServer } from '../support/process.ts';
import { startProxy } from '../support/silent-proxy.ts';

let dataDir: string;
let database: Awaited<ReturnType<typeof createDatabase>>;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let server: ServerProcess;

beforeEach(async () => {
  dataDir = newFolder();
  database = await createDatabase(inject('postgresUrl'));
  proxy = await startProxy(database.url);
  server = await startServer({ dataDir, databaseUrl: proxy.url });
  // When the key was last used is saved later, at the latest when the server stops.
  const headers = { authorization: `Bearer ${server.key}` };
  expect((await fetch(`${server.address}/api/v1/me`, { headers })).status).toBe(200);
});
afterEach(async () => {
  await server.kill();
  await proxy.close();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('a server whose database has gone stops cleanly, and says what it could not save', async () => {
  await proxy.close();
  const { code, stdout, stderr } = await server.stop();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('when keys were last used');
});

/** What the start still does would hang too, and each step of a stop that hangs takes 2.5 of its nine seconds. */
async function startIsOver(): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const busy = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'steno'
    and (state <> 'idle' or state_change > clock_timestamp() - interval '300 ms')`;
  await expect.poll(async () => (await client.query(busy)).rowCount, { interval: 20 }).toBe(0);
  await client.end();
}

test('a server whose connections are dead stops cleanly', async () => {
  await startIsOver();
  expect(proxy.swallow('steno')).toBeGreaterThan(1);
  const { code, stderr } = await server.stop();
  expect([code, stderr]).toEqual([0, '']);
});
