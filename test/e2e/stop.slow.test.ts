import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newFolder, runSteno, type ServerProcess, startServer } from '../support/process.ts';

// Ten seconds are promised. A busy machine gets more, and less than the minute after which an idle connection ends anyway.
const stopDeadlineMs = 50_000;
let dataDir: string;
let server: ServerProcess;
beforeEach(async () => {
  dataDir = newFolder();
  server = await startServer({ dataDir });
});
afterEach(async () => {
  await server.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Sends all but the last byte of a note: the server has the request and waits for its end. */
async function beginNote(body: string): Promise<Socket> {
  const { hostname, port } = new URL(server.address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `POST /api/v1/notes/create HTTP/1.1\r\nHost: steno\r\nAuthorization: Bearer ${server.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, -1)}`,
  );
  // Answered by the same process after it has read what was written before.
  await fetch(`${server.address}/healthz`);
  return socket;
}

async function untilItRefusesConnections(): Promise<void> {
  const { hostname, port } = new URL(server.address);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const refused = await Promise.race([
      once(socket, 'connect').then(() => false),
      once(socket, 'error').then(() => true),
    ]).catch(() => true);
    socket.destroy();
    if (refused) return;
    await sleep(10);
  }
}

describe('stopping', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s finishes the request that is in flight and exits 0',
    async (signal) => {
      const body = JSON.stringify({ title: 'Last words', content: 'sent while the server stops' });
      const socket = await beginNote(body);
      const answered = text(socket);
      server.signal(signal);
      await untilItRefusesConnections();
      socket.write(body.slice(-1));
      expect(await answered).toMatch(/^HTTP\/1\.1 201 /);
      expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
      const key = server.key;
      server = await startServer({ dataDir });
      const list = await fetch(`${server.address}/api/v1/notes/list`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(await list.json()).toMatchObject({ data: [{ title: 'Last words' }] });
    },
  );

  test('an idle keep-alive connection does not hold it up', async () => {
    const agent = new Agent({ keepAlive: true });
    const [response] = await once(get(`${server.address}/healthz`, { agent }), 'response');
    response.resume();
    await once(response, 'end');
    const began = performance.now();
    expect(await server.stop()).toMatchObject({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(stopDeadlineMs);
    agent.destroy();
  });

  test('a client that never finishes its request is cut off: exit 0 within ten seconds', async () => {
    const socket = await beginNote(JSON.stringify({ content: 'never finished' }));
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    const began = performance.now();
    expect(await server.stop()).toMatchObject({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(stopDeadlineMs);
    await closed;
  });

  test('a second signal ends it at once', async () => {
    const socket = await beginNote(JSON.stringify({ content: 'never finished' }));
    socket.on('error', () => {});
    server.signal('SIGTERM');
    await untilItRefusesConnections();
    const again = setInterval(() => server.signal('SIGTERM'), 100);
    // 128 + 15: ended by the signal, where waiting for the client would have given 0.
    expect(await server.ended).toMatchObject({ code: 143 });
    clearInterval(again);
    socket.destroy();
  });

  test('what was asked last is in the log', async () => {
    await server.stop();
    server = await startServer({ dataDir, settings: { STENO_LOG_LEVEL: 'info' } });
    await fetch(`${server.address}/healthz`);
    const { code, stdout } = await server.stop();
    expect(code).toBe(0);
    expect(stdout).toMatch(/"route":"\/healthz","status":200.+"msg":"request"\}\n$/);
  });

  test('counts of the rate limit and last-used times are kept', async () => {
    const me = async () =>
      fetch(`${server.address}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    const { key } = server;
    for (let call = 0; call < 3; call += 1) await me();
    await server.stop();
    const keys = await runSteno(['keys', 'list', '--json'], { STENO_DATA_DIR: dataDir });
    expect(JSON.parse(keys.stdout)).toMatchObject([{ last_used_at: expect.stringMatching(/Z$/) }]);
    server = await startServer({ dataDir });
    // The day's window: a minute may end between the two servers.
    expect((await me()).headers.get('ratelimit')).toMatch(/day.*r=49996/);
  });
});

describe('npm start', () => {
  test.each(['SIGTERM', 'SIGHUP'] as const)(
    'stops cleanly when only npm gets %s, as process managers send it',
    async (signal) => {
      const folder = newFolder();
      const npm = spawn('npm', ['start'], {
        cwd: join(import.meta.dirname, '../..'),
        env: {
          ...process.env,
          STENO_DATA_DIR: folder,
          STENO_PORT: '0',
          STENO_METRICS_LISTEN: 'none',
          STENO_ENGINE: 'fake',
        },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let output = '';
      npm.stdout.setEncoding('utf8').on('data', (piece) => {
        output += piece;
      });
      const address = () => /Steno listens on (http[^\s"]+)/.exec(output)?.[1];
      await expect.poll(address).toBeDefined();
      const answers = () =>
        fetch(`${address()}/healthz`).then(
          () => true,
          () => false,
        );
      expect(await answers()).toBe(true);
      npm.kill(signal);
      await expect.poll(answers).toBe(false);
      await expect
        .poll(() => runSteno(['users', 'list'], { STENO_DATA_DIR: folder }).then(({ code }) => code))
        .toBe(0);
      // The process may still be closing its database.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  );
});
