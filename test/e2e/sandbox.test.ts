import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorStatus } from '../../src/domain/errors.ts';
import { newFolder, type ServerProcess, startServer } from '../support/process.ts';

const codes = Object.entries(errorStatus);
const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true }));

const ask = (server: ServerProcess, code: string, path = '/me') =>
  fetch(`${server.address}/api/v1${path}`, {
    headers: { authorization: `Bearer ${server.key}`, 'steno-sandbox-error': code },
  });

const startSandbox = (dataDir: string, temporary: string) => {
  mkdirSync(temporary);
  const settings = { TMPDIR: temporary, STENO_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  return startServer({ dataDir, args: ['--sandbox'], settings });
};

describe('steno serve --sandbox', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startSandbox(join(folder, 'data'), join(folder, 'tmp'));
  });
  afterAll(() => server.kill());

  test('its language model answers a question from the notes', async () => {
    const post = (path: string, body: object) =>
      fetch(`${server.address}/api/v1${path}`, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${server.key}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    expect((await post('/notes/create', { content: 'The office will move to Lisbon in May.' })).status).toBe(
      201,
    );
    await expect
      .poll(async () => (await post('/ask', { question: 'Where will the office move?' })).json())
      .toMatchObject({ data: { answer: expect.stringContaining('Lisbon') } });
  });

  test.each(codes)('gives %s on request', async (code, status) => {
    const answer = await ask(server, code);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: { code, message: expect.any(String) } });
    expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  });

  test.each([
    ['rate_limited', 'retry-after', '1'],
    ['rate_limited', 'x-ratelimit-remaining', '0'],
    ['concurrency_limit', 'retry-after', '5'],
    ['service_unavailable', 'retry-after', '30'],
    ['invalid_api_key', 'www-authenticate', 'Bearer'],
    ['method_not_allowed', 'allow', 'POST, OPTIONS'],
    ['range_not_satisfiable', 'content-range', 'bytes */1024'],
  ])('%s comes with %s', async (code, name, value) => {
    expect((await ask(server, code)).headers.get(name)).toBe(value);
  });

  test('an unknown code is told, with the ones there are', async () => {
    const answer = await ask(server, 'teapot');
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('service_unavailable');
  });

  test('what a route does not know is refused, unless the request says otherwise', async () => {
    const list = (strict: Record<string, string>) =>
      fetch(`${server.address}/api/v1/notes/list?limt=5`, {
        headers: { authorization: `Bearer ${server.key}`, ...strict },
      });
    expect((await list({})).status).toBe(400);
    const ignored = await list({ 'steno-strict': '0' });
    expect([ignored.status, ignored.headers.get('steno-ignored')]).toEqual([200, 'limt']);
  });

  test('nobody gets further with the header than without', async () => {
    const headers = { authorization: 'Bearer owk_live_wrong', 'steno-sandbox-error': 'not_found' };
    expect((await fetch(`${server.address}/api/v1/me`, { headers })).status).toBe(401);
  });

  test('works as a server otherwise, keeps its hands off the real data, and leaves nothing', async () => {
    const [dataDir, temporary] = [join(folder, 'own data'), join(folder, 'own tmp')];
    const server = await startSandbox(dataDir, temporary);
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ content: 'Kept for now' });
    const made = await fetch(`${server.address}/api/v1/notes/create`, { method: 'POST', headers, body });
    expect(made.status).toBe(201);
    expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^steno-sandbox-/)]);
    expect((await server.stop()).code).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('outside the sandbox', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    const settings = { STENO_SANDBOX: 'true', SANDBOX: '1' };
    server = await startServer({ dataDir: join(folder, 'real'), settings });
  });
  afterAll(() => server.stop());

  test.each(codes)('%s cannot be asked for', async (code) => {
    expect((await ask(server, code)).status).toBe(200);
    expect((await ask(server, code, '/nothing')).status).toBe(404);
  });
});
