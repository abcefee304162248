import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startPostgres } from '../support/postgres.ts';
import { newFolder, type ServerProcess, startServer } from '../support/process.ts';
import { startRoundRobin } from '../support/round-robin.ts';
import { createWorkers } from '../support/workers.ts';

const cleanUp: (() => unknown)[] = [];
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let dataDir: string;

beforeEach(async () => {
  postgres = await startPostgres();
  dataDir = newFolder();
  cleanUp.push(postgres.stop, () => rmSync(dataDir, { recursive: true, force: true }));
  const plans = { business: { requestsPerMinute: 1_000_000, requestsPerDay: 1_000_000_000 } };
  writeFileSync(join(dataDir, 'plans.json'), JSON.stringify(plans));
});
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function start(): Promise<ServerProcess> {
  const settings = { STENO_PLANS_FILE: join(dataDir, 'plans.json'), STENO_DATABASE_POOL: '4' };
  const server = await startServer({ dataDir, databaseUrl: postgres.url, settings });
  cleanUp.push(server.kill);
  return server;
}

/** Servers that start together, a proxy in front of them, and people at work behind it. */
async function startFleet(size: number) {
  const servers = await Promise.all(Array.from({ length: size }, start));
  const [key] = servers.flatMap((server) => server.key ?? []);
  const proxy = await startRoundRobin(servers.map(({ address }) => address));
  cleanUp.push(proxy.close);
  const workers = createWorkers(proxy.address, key ?? '');
  cleanUp.push(workers.stop);
  return { servers, proxy, workers };
}

describe('several servers on one PostgreSQL', () => {
  test('three that start at once on an empty database migrate it once', async () => {
    const servers = await Promise.all([start(), start(), start()]);
    expect(servers.filter(({ key }) => key !== undefined)).toHaveLength(1);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query('select name from schema_migrations');
    await client.end();
    const files = readdirSync(join(import.meta.dirname, '../../migrations'));
    expect(rows).toHaveLength(files.filter((file) => !file.includes('.sqlite.')).length);
    for (const { address } of servers) expect((await fetch(`${address}/readyz`)).status).toBe(200);
  });

  test.each([2, 3])('%i servers restarted one after the other under load: no call fails', async (size) => {
    const { servers, proxy, workers } = await startFleet(size);
    await workers.answered(100);
    for (const old of servers) {
      await proxy.takeOut(old.address);
      expect(await old.stop()).toMatchObject({ code: 0, stderr: '' });
      const fresh = await start();
      proxy.putIn(fresh.address);
      await workers.answered(100);
    }
    await workers.stop();
    expect(workers.failures()).toEqual([]);
    expect(await workers.lostNotes()).toEqual([]);
  });

  test('one that is killed takes only the calls with it that it was answering', async () => {
    const { servers, proxy, workers } = await startFleet(3);
    const [victim] = servers;
    await workers.answered(100);
    await victim?.kill();
    await workers.answered(100);
    await proxy.takeOut(victim?.address ?? '');
    const sent = workers.sent();
    await workers.answered(100);
    await workers.stop();
    expect(workers.failures(sent)).toEqual([]);
    expect(workers.failures().length).toBeGreaterThan(0);
    // One that was in the middle of its body has no status.
    expect(workers.failures().filter((outcome) => !/^(502$|no answer)/.test(outcome))).toEqual([]);
    expect(await workers.lostNotes()).toEqual([]);
  });

  test('while PostgreSQL restarts they answer 503, then they serve again by themselves', async () => {
    const { workers } = await startFleet(2);
    await workers.answered(100);
    await postgres.crash();
    await workers.failed(20);
    await postgres.start();
    await workers.answered(200);
    await workers.stop();
    // 503 with Retry-After, and nothing else.
    expect(new Set(workers.failures())).toEqual(new Set(['503 retry after 5']));
    expect(await workers.lostNotes()).toEqual([]);
  });
});
