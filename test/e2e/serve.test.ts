import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { type Ended, firstSignIn, newFolder, onTerminal, runSteno, startServer } from '../support/process.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const serve = (settings: Record<string, string>) =>
  runSteno(['serve'], {
    STENO_DATA_DIR: dataDir,
    STENO_PORT: '0',
    STENO_METRICS_LISTEN: '127.0.0.1:0',
    ...settings,
  });
const logged = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

function expectOneSentence({ stderr, stdout }: Ended): void {
  // Nothing but the log: each line is JSON.
  logged(stdout);
  expect(stderr).toMatch(/^[^\n]+\.\n$/);
}

test.each([
  ['a promise that nothing catches', 'Promise.reject(new Error("the pipe burst"))'],
  ['an exception that nothing catches', 'setImmediate(() => { throw new Error("the pipe burst"); })'],
])('%s is told in the log, and the server stops in order', async (_, fault) => {
  const preload = `process.on('SIGUSR2', () => { ${fault}; })`;
  const server = await startServer({
    dataDir,
    settings: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(preload)}"` },
  });
  server.signal('SIGUSR2');
  const { code, stdout, stderr } = await server.ended;
  expect(code).toBe(1);
  expect(logged(stdout).at(-1)).toMatchObject({
    level: 50,
    fault: { name: 'Error', message: 'the pipe burst' },
  });
  expect(stderr).toMatch(/^[^\n]+\.\n$/);
  // Only a server that closed its database leaves no log of it.
  expect(existsSync(join(dataDir, 'steno.db-wal'))).toBe(false);
});

describe('starting', () => {
  test('the first start shows, on a terminal, the address, a key, a call that makes a note, and where the docs are', async () => {
    const server = await onTerminal({ dataDir });
    // What the server writes at once comes through a terminal in pieces.
    await expect.poll(server.output).toContain(`All calls are described at ${server.address}/docs\n`);
    const printed = server.output();
    const [, url, header, body] =
      /curl (\S+) \\\n\s+-H "Authorization: (.+)" \\\n.*\\\n\s+-d '(.+)'/.exec(printed) ?? [];
    expect(url).toBe(`${server.address}/api/v1/notes/create`);
    const created = await fetch(String(url), {
      method: 'POST',
      headers: { authorization: String(header), 'content-type': 'application/json' },
      body: String(body),
    });
    expect(created.status).toBe(201);
    expect((await fetch(`${server.address}/docs`)).status).toBe(200);
    const [link] = /http\S+\/sign-in\/link\?token=\S+/.exec(printed) ?? [];
    expect((await fetch(String(link), { redirect: 'manual' })).status).toBe(200);
    expect(existsSync(join(dataDir, 'first-sign-in'))).toBe(false);
    await server.stop();
    const again = await onTerminal({ dataDir });
    await expect.poll(again.output).toContain('npm run steno -- keys create --name');
    expect(again.output()).not.toContain('owk_live_');
    await again.stop();
  });

  test('without a terminal the output is nothing but the log, and the first key and link are in a file of one user', {
    tags: 'slow',
  }, async () => {
    const server = await startServer({ dataDir, settings: { STENO_LOG_LEVEL: 'info' } });
    const file = join(dataDir, 'first-sign-in');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const me = await fetch(`${server.address}/api/v1/me`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    expect(await me.json()).toMatchObject({ data: { plan: 'business', scopes: { length: 10 } } });
    const [link] = /http\S+\/sign-in\/link\?token=\S+/.exec(firstSignIn(dataDir)) ?? [];
    expect((await fetch(String(link), { redirect: 'manual' })).status).toBe(200);
    const ended = await server.stop();
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(logged(ended.stdout)).toContainEqual(expect.objectContaining({ file, level: 30 }));
    expect(ended.stdout).not.toMatch(/owk_live_|token=/);
    rmSync(file);
    const again = await startServer({ dataDir });
    expect(again.key).toBeUndefined();
    expect(existsSync(file)).toBe(false);
    await again.stop();
  });

  test('the address that it tells is the one it listens on; links have the public one', async () => {
    const server = await startServer({
      dataDir,
      settings: { STENO_HOST: '0.0.0.0', STENO_PUBLIC_URL: 'https://notes.example.org/' },
    });
    expect(server.address).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    expect(firstSignIn(dataDir)).toContain('\n  https://notes.example.org/api/auth/sign-in/link?token=');
    await server.stop();
  });

  test('migrations are told before and after they run, and only then', { tags: 'slow' }, async () => {
    const settings = { STENO_LOG_LEVEL: 'info' };
    const told = async () => {
      const { stdout } = await (await startServer({ dataDir, settings })).stop();
      return logged(stdout).filter(({ msg }) => /migrat/i.test(String(msg)));
    };
    expect(await told()).toEqual([
      expect.objectContaining({
        msg: 'Migrating the database',
        migrations: expect.arrayContaining(['0002_init']),
      }),
      expect.objectContaining({ msg: 'The database is migrated', seconds: expect.any(Number) }),
    ]);
    expect(await told()).toEqual([]);
  });

  test('metrics are at an address of their own, and a taken one is told and keeps nobody from starting', {
    tags: 'slow',
  }, async () => {
    const port = await freePort();
    const settings = { STENO_METRICS_LISTEN: `127.0.0.1:${port}` };
    const server = await startServer({ dataDir, settings });
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain; version=0\.0\.4/),
    ]);
    expect(await metrics.text()).toMatch(/^steno_build_info\{.*version="\d+\.\d+\.\d+.*\} 1$/m);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    expect((await fetch(`${server.address}/metrics`)).status).toBe(404);
    const other = await startServer({ dataDir: join(dataDir, 'other'), settings });
    expect((await fetch(`${other.address}/healthz`)).status).toBe(200);
    const { stdout } = await other.stop();
    expect(logged(stdout)).toContainEqual(expect.objectContaining({ level: 40, port, code: 'EADDRINUSE' }));
    await server.stop();
  });

  test('a taken port is one sentence, and the key is still shown by the start that succeeds', {
    tags: 'slow',
  }, async () => {
    const port = await freePort();
    // As another Steno does, and then nobody else notices that the port is taken.
    const other = createServer().listen({ port, host: '127.0.0.1', reusePort: process.platform === 'linux' });
    const refused = await serve({ STENO_PORT: String(port) });
    expect(refused.code).toBe(1);
    expectOneSentence(refused);
    expect(refused.stderr).toContain(`Port ${port} is taken`);
    await new Promise((resolve) => other.close(resolve));
    const server = await startServer({ dataDir });
    expect(server.key).toBeDefined();
    await server.stop();
  });

  test('an address of another machine is one sentence', { tags: 'slow' }, async () => {
    const ended = await serve({ STENO_HOST: '203.0.113.1' });
    expect(ended.code).toBe(1);
    expectOneSentence(ended);
    expect(ended.stderr).toContain('STENO_HOST');
  });

  test('a data folder that is a file, or below one, is one sentence', async () => {
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    for (const folder of [file, join(file, 'below')]) {
      const ended = await serve({ STENO_DATA_DIR: folder });
      expect(ended.code).toBe(1);
      expectOneSentence(ended);
      expect(ended.stderr).toContain(folder);
      expect(ended.stderr).toContain('STENO_DATA_DIR');
    }
  });

  test('a database file that is none is one sentence and stays as it is', async () => {
    const content = 'not a database, '.repeat(500);
    writeFileSync(join(dataDir, 'steno.db'), content);
    const ended = await serve({});
    expect(ended.code).toBe(1);
    expectOneSentence(ended);
    expect(ended.stderr).toContain('is not a database');
    expect(readFileSync(join(dataDir, 'steno.db'), 'utf8')).toBe(content);
  });

  test('a database where a folder stands is one sentence', async () => {
    mkdirSync(join(dataDir, 'steno.db'));
    const ended = await serve({});
    expect(ended.code).toBe(1);
    expectOneSentence(ended);
  });

  test('a database of newer code is refused in one sentence', { tags: 'slow' }, async () => {
    await (await startServer({ dataDir })).stop();
    const database = new DatabaseSync(join(dataDir, 'steno.db'));
    database.exec("insert into schema_migrations values ('9999_future', 'x', '2030-01-01T00:00:00.000Z')");
    database.close();
    const ended = await serve({});
    expect(ended.code).toBe(3);
    expectOneSentence(ended);
    expect(ended.stderr).toContain('newer than this Steno');
  });

  test('settings that cannot be used are named, each in a sentence', async () => {
    const ended = await serve({ STENO_PORT: '99999', STENO_DEFAULT_PLAN: 'gold' });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toBe(
      'STENO_PORT must be a whole number from 0 to 65535.\nSTENO_DEFAULT_PLAN must be one of free, pro, business.\n',
    );
  });

  test('a PostgreSQL that is not there is one sentence without the password', async () => {
    const port = await freePort();
    const ended = await serve({ STENO_DATABASE_URL: `postgres://steno:hush@127.0.0.1:${port}/steno` });
    expect(ended.code).toBe(1);
    expectOneSentence(ended);
    expect(ended.stderr).toContain(`127.0.0.1:${port}/steno`);
    expect(ended.stderr).not.toContain('hush');
  });

  test('a second server on the same data folder is refused, and the first goes on', {
    tags: 'slow',
  }, async () => {
    const server = await startServer({ dataDir });
    const second = await serve({});
    expect(second.code).toBe(3);
    expectOneSentence(second);
    expect(second.stderr).toBe(
      `Another Steno server is using ${dataDir}; stop it, or set STENO_DATA_DIR to another folder.\n`,
    );
    expect((await fetch(`${server.address}/readyz`)).status).toBe(200);
    await server.kill();
    const next = await startServer({ dataDir });
    expect(next.address).not.toBe('');
    await next.stop();
  });
});
