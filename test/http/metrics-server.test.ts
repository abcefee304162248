import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetricsServer } from '../../src/platform/http/metrics-server.ts';

let reads: PromiseWithResolvers<string>[] = [];
const server = createMetricsServer(() => {
  const read = Promise.withResolvers<string>();
  reads.push(read);
  return read.promise;
});
let origin: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function nextRead() {
  reads = [];
  const asked = once(server, 'request');
  const answer = fetch(`${origin}/metrics?x=1`);
  await asked;
  return { answer, read: reads[0] ?? expect.fail('nothing is read') };
}

test('whoever asks while the figures are read gets the same, and later newer ones', async () => {
  const { answer: first, read } = await nextRead();
  const asked = once(server, 'request');
  const second = fetch(`${origin}/metrics`, { method: 'GET' });
  await asked;
  read.resolve('steno 1\n');
  for (const answer of [await first, await second]) {
    expect([answer.status, await answer.text()]).toEqual([200, 'steno 1\n']);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  expect(reads).toHaveLength(1);
  const later = await nextRead();
  later.read.resolve('steno 2\n');
  expect(await (await later.answer).text()).toBe('steno 2\n');
});

test('figures that cannot be read are 503, with a time to come again; then they are read anew', async () => {
  const { answer, read } = await nextRead();
  read.reject(new Error('away'));
  expect([(await answer).status, (await answer).headers.get('retry-after')]).toEqual([503, '5']);
  const again = await nextRead();
  again.read.resolve('');
  expect((await again.answer).status).toBe(200);
});

test.each([
  ['GET', '/'],
  ['GET', '/metrics/x'],
  ['POST', '/metrics'],
])('%s %s is not there', async (method, path) => {
  reads = [];
  const answer = await fetch(`${origin}${path}`, { method });
  expect([answer.status, reads.length]).toEqual([404, 0]);
});
