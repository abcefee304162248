import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { compose } from '../../src/compose.ts';
import type { Config } from '../../src/config.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { freePort } from '../support/free-port.ts';
import { asOperator } from '../support/identity.ts';
import { runSteno } from '../support/process.ts';
import { folderRow } from '../support/rows.ts';
import { startProxy } from '../support/silent-proxy.ts';
import { emptyDatabase, silentLog } from '../support/steno.ts';
import { storedNotes } from '../support/stored-notes.ts';
import { teamActs } from '../support/teams.ts';

type Replica = Awaited<ReturnType<typeof compose>>;

const cleanUp: (() => Promise<void>)[] = [];
let config: Config;
let one: Replica;
let other: Replica;

async function start(settings: Partial<Config> = {}): Promise<Replica> {
  const replica = await compose({ ...config, databasePool: 4, ...settings }, { log: silentLog });
  cleanUp.push(replica.close);
  return replica;
}

beforeEach(async () => {
  const database = await emptyDatabase('postgres');
  cleanUp.push(database.dispose);
  config = database.config;
  one = await start();
  other = await start();
});
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 60_000, interval: 5 });

async function person() {
  const user = await asOperator(one).users.add({ name: 'Ada', email: null, plan: 'business' });
  const draft = { name: 'test', scopes: personalScopes };
  const { id: keyId, key } = await teamActs(one).keys.issue(operator, personalKeysOf(user.id), draft);
  return { user, keyId, key };
}

const call = (replica: Replica, key: string) =>
  replica.app.inject({ url: '/api/v1/me', headers: { authorization: `Bearer ${key}` } });
const statusOf = async (replica: Replica, key: string) => (await call(replica, key)).statusCode;

/** Ends connections of this database on the server's side, as a restart or an operator does. */
async function terminate(applicationName: string): Promise<number> {
  const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and split_part(application_name, ' ', 1) = ${applicationName} and pid <> pg_backend_pid()`.execute(
    one.database.db,
  );
  return rows.length;
}

/** Behind everybody's back: no replica is told. */
const revokeSilently = (keyId: string) =>
  sql`update api_keys set revoked_at = 'now' where id = ${keyId}`.execute(one.database.db);

const isListening = ({ database }: Replica) => {
  const epoch = database.principalsEpoch();
  return database.principalsEpoch() === epoch;
};

describe('a change on one replica', () => {
  test('a revoked key stops working on the other, which had it cached', async () => {
    const { user, key, keyId } = await person();
    const control = await person();
    for (const each of [key, control.key]) expect(await statusOf(other, each)).toBe(200);
    await revokeSilently(control.keyId);
    expect(await statusOf(other, control.key)).toBe(200);
    await teamActs(one).keys.revoke(operator, personalKeysOf(user.id), keyId);
    expect(await statusOf(other, key)).toBe(401);
    expect(await statusOf(one, key)).toBe(401);
  });

  test('a key works nowhere once its revocation is answered, however soon it is tried', async () => {
    for (let tries = 0; tries < 30; tries += 1) {
      const { user, key, keyId } = await person();
      expect(await statusOf(other, key)).toBe(200);
      await teamActs(one).keys.revoke(operator, personalKeysOf(user.id), keyId);
      expect(await statusOf(other, key)).toBe(401);
    }
  });

  test('a plan counts on the other, and a removed person is gone there', async () => {
    const { user, key } = await person();
    await asOperator(one).users.setPlan(user.id, 'pro');
    expect((await call(other, key)).headers['x-ratelimit-limit']).toBe('120');
    await asOperator(one).users.setPlan(user.id, 'free');
    expect((await call(other, key)).headers['x-ratelimit-limit']).toBe('30');
    await asOperator(one).users.remove(user.id);
    expect(await statusOf(other, key)).toBe(401);
  });

  test('is seen although the listening connection is down: nothing comes from the cache', async () => {
    const { user, key, keyId } = await person();
    const later = await person();
    for (const each of [key, later.key]) expect(await statusOf(other, each)).toBe(200);
    expect(await terminate('steno-listen')).toBe(2);
    await eventually(() => expect(isListening(other)).toBe(false));
    await revokeSilently(keyId);
    expect(await statusOf(other, key)).toBe(401);
    await eventually(() => expect(isListening(other) && isListening(one)).toBe(true));
    expect(await statusOf(other, later.key)).toBe(200);
    await teamActs(one).keys.revoke(operator, personalKeysOf(later.user.id), later.keyId);
    await eventually(async () => expect(await statusOf(other, later.key)).toBe(401));
    expect(user.id).not.toBe(later.user.id);
  });

  test('is heard on an address of its own, past a pooler that holds no session', async () => {
    const past = await startProxy(config.databaseUrl);
    cleanUp.push(past.close);
    const pooled = await start({ databaseListenUrl: past.url });
    const { user, key, keyId } = await person();
    expect(await statusOf(pooled, key)).toBe(200);
    // Which every other connection asks for.
    expect(past.swallow('statement_timeout')).toBe(0);
    expect(past.swallow('steno-listen')).toBe(1);
    await eventually(() => expect(isListening(pooled)).toBe(false));
    await eventually(() => expect(isListening(pooled)).toBe(true));
    await teamActs(one).keys.revoke(operator, personalKeysOf(user.id), keyId);
    await eventually(async () => expect(await statusOf(pooled, key)).toBe(401));
  });

  test('is seen within seconds when the network swallows the listening connection', async () => {
    const proxy = await startProxy(config.databaseUrl);
    cleanUp.push(proxy.close);
    const remote = await start({ databaseUrl: proxy.url });
    const { user, key, keyId } = await person();
    expect(await statusOf(remote, key)).toBe(200);
    expect(proxy.swallow('steno-listen')).toBe(1);
    await teamActs(one).keys.revoke(operator, personalKeysOf(user.id), keyId);
    await eventually(async () => expect(await statusOf(remote, key)).toBe(401));
    await eventually(() => expect(isListening(remote)).toBe(true));
  });
});

describe('writes that collide', () => {
  test('are tried again after a serialization failure, and both are there', async () => {
    const { user } = await person();
    let attempts = 0;
    let readers = 0;
    const addAfterBothHaveRead = (replica: Replica) =>
      replica.database.write(async (db) => {
        attempts += 1;
        const rows = await db.selectFrom('folders').select('id').where('owner_id', '=', user.id).execute();
        readers += 1;
        if (attempts <= 2) await vi.waitFor(() => expect(readers).toBe(2), { interval: 1, timeout: 60_000 });
        const row = folderRow(user.id, { sort_order: rows.length });
        await db
          .insertInto('folders')
          .values({ ...row, sort_order: rows.length, is_default: 0 })
          .execute();
      });
    await Promise.all([addAfterBothHaveRead(one), addAfterBothHaveRead(other)]);
    expect(attempts).toBeGreaterThanOrEqual(3);
    const folders = await storedNotes(one.database).folders.list(user.id);
    expect(folders.map(({ sort_order }) => sort_order)).toEqual([0, 1]);
  });

  test('from two replicas at once never pass a cap', async () => {
    const { user } = await person();
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        storedNotes((index % 2 ? one : other).database).folders.insert(folderRow(user.id), 25),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'limit reached')).toHaveLength(15);
    expect(await storedNotes(one.database).folders.list(user.id)).toHaveLength(25);
  });
});

describe('trouble underneath', () => {
  test('a statement that takes too long is an error, and its connection serves the next', async () => {
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(
      one.database.db,
    );
    expect(rows[0]?.statement_timeout).toBe('15s');
    const stuck = Array.from({ length: 12 }, () =>
      one.database.write(async (db) => {
        await sql`set local statement_timeout = 20`.execute(db);
        await sql`select pg_sleep(60)`.execute(db);
      }),
    );
    for (const result of await Promise.allSettled(stuck))
      expect(result).toMatchObject({ status: 'rejected', reason: { code: '57014' } });
    await Promise.all(Array.from({ length: 12 }, () => one.database.state()));
  });

  test('a network that swallows every connection holds a server up for seconds, not for ever', async () => {
    const proxy = await startProxy(config.databaseUrl);
    cleanUp.push(proxy.close);
    const remote = await start({ databaseUrl: proxy.url });
    const { key } = await person();
    // On a busy machine a connection may have been idle for so long that it is closed, and the next call dials anew.
    await vi.waitFor(
      async () => {
        expect(await statusOf(remote, key)).toBe(200);
        expect(proxy.swallow('statement_timeout')).toBeGreaterThan(0);
        expect(await statusOf(remote, key)).toBe(503);
      },
      { timeout: 60_000 },
    );
    await eventually(async () => expect(await statusOf(remote, key)).toBe(200));
    // A server that stops waits for its connections.
    proxy.cut('statement_timeout');
  });

  test('a database that cannot be reached is one sentence at start, without the password', async () => {
    const settings = (database: string) => ({ STENO_DATABASE_URL: database, STENO_PORT: '0' });
    const nobody = `postgres://ada:secret@127.0.0.1:${await freePort()}/steno`;
    const missing = new URL(config.databaseUrl);
    missing.pathname = '/no_such_database';
    for (const url of [nobody, missing.href]) {
      const { code, stderr } = await runSteno(['serve'], settings(url));
      expect(code).toBeGreaterThan(0);
      expect(stderr).toMatch(/^[^\n]*PostgreSQL[^\n]*STENO_DATABASE_URL[^\n]*\n$/);
      expect(stderr).not.toContain('secret');
    }
  });

  test('connections that break under a write fail it whole; the next calls work', async () => {
    const { user, key } = await person();
    const broken = other.database.write(async (db) => {
      const row = folderRow(user.id, { sort_order: 0 });
      await db
        .insertInto('folders')
        .values({ ...row, sort_order: 0, is_default: 0 })
        .execute();
      expect(await terminate('steno')).toBeGreaterThan(0);
      await sql`select 1`.execute(db);
    });
    await expect(broken).rejects.toThrow();
    await terminate('steno-listen');
    await eventually(async () => void (await other.database.state()));
    // The first may still meet a connection that does not know yet that it is broken.
    await eventually(async () => {
      const statuses = await Promise.all(Array.from({ length: 12 }, () => statusOf(other, key)));
      expect(new Set(statuses)).toEqual(new Set([200]));
    });
    expect(await storedNotes(other.database).folders.list(user.id)).toEqual([]);
  });

  test('a server that stops while its listening connection is down leaves no connection behind', async () => {
    const third = await compose({ ...config, databasePool: 1 }, { log: silentLog });
    const listeners = async () => {
      const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
        where datname = current_database() and starts_with(application_name, 'steno-listen')`.execute(
        one.database.db,
      );
      return rows.length;
    };
    expect(await listeners()).toBe(3);
    await terminate('steno-listen');
    await eventually(() => expect(isListening(third)).toBe(false));
    await third.close();
    // The other two come back by the same clock by which the third would.
    await eventually(() => expect(isListening(one) && isListening(other)).toBe(true));
    await eventually(async () => expect(await listeners()).toBe(2));
  });
});
