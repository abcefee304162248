import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptIdempotencyKeys } from '../../src/http/idempotency.ts';
import { keepWaitingEvery } from '../../src/http/keep-waiting.ts';
import type { IdempotencyStore } from '../../src/ports/idempotency-store.ts';

/** A route that answers when the test has seen enough. */
const app = Fastify();
// As on routes that take an Idempotency-Key; without one, nothing is stored.
acceptIdempotencyKeys(app, { idempotency: {} as IdempotencyStore, clock: Date.now });
app.addContentTypeParser('*', (_request, _payload, done) => done(null));
let answer = Promise.withResolvers<void>();
let told = 0;
app.route({
  method: 'POST',
  url: '/',
  config: { idempotent: true },
  preHandler: keepWaitingEvery(5),
  handler: async (_, { raw }) => {
    const send = raw.writeProcessing.bind(raw);
    raw.writeProcessing = () => {
      send();
      told += 1;
      if (told === 10) answer.resolve();
    };
    await answer.promise;
    return 'heard';
  },
});
let url = '';
beforeAll(async () => {
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

/** What the server tells by itself resolves the answer; for those it tells nothing, the test does. */
function begin(): void {
  told = 0;
  answer = Promise.withResolvers<void>();
}

test('fetch of Node is told every few moments that the work goes on, and gets its answer', async () => {
  begin();
  const response = await fetch(url, { method: 'POST', body: 'a recording' });
  expect([response.status, await response.text(), told >= 10]).toEqual([200, 'heard', true]);
});

test('whoever asks for it with Prefer: processing gets 102 too', async () => {
  begin();
  const request = httpRequest(url, { method: 'POST', headers: { prefer: 'processing' } });
  const seen: number[] = [];
  request.on('information', ({ statusCode }) => seen.push(statusCode));
  request.end('a recording');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  expect([response.statusCode, seen.slice(0, 3)]).toEqual([200, [102, 102, 102]]);
});

test('curl reads past them', async ({ skip }) => {
  begin();
  const args = ['-s', '-d', 'a recording', '-H', 'Prefer: processing', '-w', ' %{http_code}', url];
  const run = await promisify(execFile)('curl', args).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? skip('no curl') : Promise.reject(error),
  );
  expect(run?.stdout).toBe('heard 200');
});

test.for([
  ['curl', 'HTTP/1.1', 'User-Agent: curl/8.0'],
  ["Python's http.client, which would take a 102 for the answer", 'HTTP/1.1', 'Accept-Encoding: identity'],
  ['a client of HTTP/1.0', 'HTTP/1.0', 'Prefer: processing'],
  ['a proxy', 'HTTP/1.1', 'User-Agent: node\r\nX-Forwarded-For: 192.0.2.1'],
] as const)('%s that did not ask sees nothing but the answer', async ([, version, header]) => {
  begin();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const head = `POST / ${version}\r\nHost: steno\r\n${header}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
  socket.setEncoding('utf8').write(head);
  await sleep(50);
  answer.resolve();
  let text = '';
  for await (const piece of socket) text += piece;
  expect(text).toMatch(/^HTTP\/1\.[01] 200 /);
  expect(told).toBe(0);
});
