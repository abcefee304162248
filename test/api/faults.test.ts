import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { openSqlite } from '../../src/platform/database/sqlite.ts';
import { asOperator } from '../support/identity.ts';
import { capturedLog } from '../support/log.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { databaseKinds, emptyDatabase, silentLog, startSteno, type TestSteno } from '../support/steno.ts';
import { teamActs } from '../support/teams.ts';

describe.each(databaseKinds)('a fault is told honestly, on %s', (databaseKind) => {
  let steno: TestSteno;
  afterEach(() => steno.close());

  test('a planned pause is no fault in the log', async () => {
    const { log, lines } = capturedLog();
    steno = await startSteno({ databaseKind, log });
    const { key } = await steno.person();
    await steno.pause.begin(5);
    expect((await steno.upload(key, { file: recording() })).status).toBe(503);
    const levels = lines().map(({ level }) => Number(level));
    expect(Math.max(...levels)).toBe(30);
    expect(
      lines().some(({ msg, reason }) => msg === 'unavailable' && String(reason).includes('paused')),
    ).toBe(true);
  });

  test('a key that is busy is told how long to wait', async () => {
    const speech = createFakeSpeech();
    steno = await startSteno({ databaseKind, speech });
    const { key, keyId, user } = await steno.person();
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    await steno.store.leases.acquire(
      { id: 'a', keyId, userId: user.id, expiresAt },
      new Date().toISOString(),
    );
    const { status, body, headers } = await steno.upload(key, { file: recording() });
    expect([status, body.error.code]).toEqual([409, 'concurrency_limit']);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(600);
  });
});

/** What a client and a monitor see while the database is away, and afterwards. */
async function expectHonest(
  steno: Composed,
  key: string,
  takeAway: () => unknown,
  giveBack: () => unknown,
  told: { status: number; body: object } = {
    status: 503,
    body: { status: 'not ready', database: 'does not answer' },
  },
) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const create = () =>
    steno.app.inject({
      method: 'POST',
      url: '/api/v1/notes/create',
      headers,
      payload: { content: 'word '.repeat(40_000) },
    });
  const isReady = async () => (await steno.app.inject('/readyz')).json().status === 'ready';
  expect([(await create()).statusCode, await isReady()]).toEqual([201, true]);
  await takeAway();
  const refused = await create();
  expect([refused.statusCode, refused.json().error.code]).toEqual([503, 'service_unavailable']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  const { statusCode, json } = await steno.app.inject('/readyz');
  expect(statusCode).toBe(told.status);
  expect(json()).toMatchObject(told.body);
  await giveBack();
  await expect.poll(isReady).toBe(true);
  expect((await create()).statusCode).toBe(201);
  const { body } = await steno.app.inject({ url: '/api/v1/notes/list', headers });
  expect(JSON.parse(body).data).toHaveLength(2);
}
type Composed = Awaited<ReturnType<typeof compose>>;

describe('a database that is away', () => {
  test('SQLite on a full disk: 503 with a wait, /readyz says so, and it comes back by itself', async () => {
    const steno = await startSteno({ databaseKind: 'sqlite' });
    const { key } = await steno.person();
    // What SQLite says of a disk without room it also says of a file that may not grow.
    const pages = async () => {
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(steno.database.db);
      return rows[0]?.page_count;
    };
    const growTo = (count: number | undefined) =>
      steno.database.write((db) => sql.raw(`pragma max_page_count = ${count}`).execute(db));
    await expectHonest(
      steno,
      key,
      async () => growTo(await pages()),
      () => growTo(1_073_741_823),
      // Reads go on, so the server stays in.
      { status: 200, body: { status: 'degraded', database: 'disk full', reason: expect.any(String) } },
    );
    await steno.close();
  });

  test('SQLite with a damaged page: /readyz says so, and what is on other pages is answered', async () => {
    const { config, dispose } = await emptyDatabase('sqlite');
    const first = await compose(config, { log: silentLog, ...createFakeSpeech() });
    const user = await asOperator(first).users.add({ name: 'Ada', email: null, plan: 'business' });
    const { key } = await teamActs(first).keys.issue(operator, personalKeysOf(user.id), {
      name: 'x',
      scopes: personalScopes,
    });
    const headers = { authorization: `Bearer ${key}` };
    const payload = { title: 'walrus', content: 'word '.repeat(500) };
    const created = await first.app.inject({
      method: 'POST',
      url: '/api/v1/notes/create',
      headers,
      payload,
    });
    await first.close();
    const file = join(config.dataDir, 'steno.db');
    const bytes = readFileSync(file);
    // The header of the page that has the note.
    const at = bytes.indexOf('walrus');
    bytes.fill(0xff, at - (at % 4096), at - (at % 4096) + 8);
    writeFileSync(file, bytes);
    const steno = await compose(config, { log: silentLog, ...createFakeSpeech() });
    const read = (url: string) => steno.app.inject({ url, headers });
    expect((await read('/readyz')).json()).toMatchObject({ status: 'ready', database: 'ok' });
    expect((await read(`/api/v1/notes/${created.json().data.id}`)).statusCode).toBe(500);
    const told = await read('/readyz');
    expect([told.statusCode, told.json()]).toMatchObject([200, { status: 'degraded', database: 'damaged' }]);
    expect((await read('/api/v1/folders/list')).statusCode).toBe(200);
    await steno.close();
    await dispose();
  });

  test.runIf(databaseKinds.includes('postgres'))('PostgreSQL that is gone: the same', async () => {
    const { config, dispose } = await emptyDatabase('postgres');
    const target = new URL(config.databaseUrl);
    const sockets = new Set<Socket>();
    const relay = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const { port } = relay.address() as AddressInfo;
    const databaseUrl = Object.assign(new URL(target), { host: `127.0.0.1:${port}` }).href;
    const steno = await compose({ ...config, databaseUrl }, { log: silentLog, ...createFakeSpeech() });
    const user = await asOperator(steno).users.add({ name: 'Ada', email: null, plan: 'business' });
    const { key } = await teamActs(steno).keys.issue(operator, personalKeysOf(user.id), {
      name: 'x',
      scopes: personalScopes,
    });
    await expectHonest(
      steno,
      key,
      () => {
        relay.close();
        for (const socket of sockets) socket.destroy();
      },
      () => new Promise<void>((resolve) => relay.listen(port, '127.0.0.1', resolve)),
    );
    await steno.close();
    relay.close();
    await dispose();
  });
});

describe('a database file that lost its content', () => {
  test.each(['steno.db-wal', 'steno.db-shm', 'steno.db.before-restore', 'recordings/1.sound'])(
    'is a sentence and not a new installation beside %s',
    async (other) => {
      const { config, dispose } = await emptyDatabase('sqlite');
      await openSqlite(config.dataDir).close();
      truncateSync(`${config.dataDir}/steno.db`);
      mkdirSync(`${config.dataDir}/recordings`);
      writeFileSync(`${config.dataDir}/${other}`, 'what an earlier run left');
      expect(() => openSqlite(config.dataDir)).toThrow(
        `is empty, but ${other} beside it is not: restore a backup`,
      );
      await dispose();
    },
  );

  test('is a new installation if the first start was killed, also with models beside it', async () => {
    const { config, dispose } = await emptyDatabase('sqlite');
    mkdirSync(`${config.dataDir}/models`, { recursive: true });
    mkdirSync(`${config.dataDir}/recordings`);
    for (const name of ['steno.db', 'server.lock', 'models/1.onnx'])
      writeFileSync(`${config.dataDir}/${name}`, '');
    await openSqlite(config.dataDir).close();
    await dispose();
  });
});

describe('what a browser or a proxy is told', () => {
  let steno: TestSteno;
  afterEach(() => steno.close());

  test('answers are not kept, and nothing guesses their type', async () => {
    steno = await startSteno();
    const { key } = await steno.person();
    for (const path of ['/me', '/notes/list', '/nope']) {
      const { headers } = await steno.call('GET', path, { key });
      expect([path, headers['cache-control'], headers['x-content-type-options']]).toEqual([
        path,
        'no-store',
        'nosniff',
      ]);
    }
  });

  test.each([
    '/assets/a%5Cb',
    '/assets/%2e%2e%2fpackage.json',
    `/assets/${'a'.repeat(300)}`,
    '/assets/gone.js',
  ])('%s is 404 and never kept', async (url) => {
    steno = await startSteno();
    const answer = await steno.app.inject(url);
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([404, 'no-store']);
  });

  test('/docs cannot be framed, and the description is at /openapi.json too', async () => {
    steno = await startSteno();
    expect((await steno.app.inject('/docs')).headers['content-security-policy']).toContain(
      "frame-ancestors 'none'",
    );
    const [one, other] = [
      await steno.app.inject('/openapi.json'),
      await steno.app.inject('/api/v1/openapi.json'),
    ];
    expect([one.statusCode, one.body]).toEqual([200, other.body]);
  });

  test('a request that names the whole address is answered like any other', async () => {
    steno = await startSteno();
    await steno.app.listen({ port: 0 });
    const { port } = steno.app.server.address() as AddressInfo;
    const ask = async (target: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: steno.example\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
      );
      return text(socket);
    };
    expect(await ask('http://steno.example/api/v1/nope')).toMatch(
      /^HTTP\/1\.1 404 [\s\S]*application\/json[\s\S]*"not_found"/,
    );
    expect(await ask('http://steno.example/healthz')).toMatch(/^HTTP\/1\.1 200 /);
    // Clients tidy such a path up before they send it; a hostile one does not.
    expect(await ask('/assets/..')).toMatch(/^HTTP\/1\.1 404 [\s\S]*no-store/);
  });
});
