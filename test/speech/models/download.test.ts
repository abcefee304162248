import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type DownloadOptions, download } from '../../../src/engines/speech/models/download.ts';
import { expectResumed, sha256, startHub } from '../../support/hub.ts';
import { randomFrom, scratchFolder } from '../../support/whisper-file.ts';

const random = randomFrom(5);
const bytes = Buffer.from(Float32Array.from({ length: 500_000 }, random).buffer);

async function setUp(hubOptions?: { knowsRanges: boolean }) {
  const hub = await startHub(bytes, hubOptions);
  const part = join(scratchFolder(), 'model.part');
  hub.stored = () => statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  const get = (options: Partial<DownloadOptions> = {}) =>
    download({ url: `${hub.url}/model.bin`, part, pauseMs: 1, ...options });
  return { hub, part, get, got: () => readFileSync(part) };
}

test('a file comes whole, with the checksum that the hub publishes, and progress up to the end', async () => {
  const { get, got } = await setUp();
  const seen: [number, number | null][] = [];
  const { publishedSha256 } = await get({ onProgress: (...step) => seen.push(step) });
  expect(got().equals(bytes)).toBe(true);
  expect(publishedSha256).toBe(sha256(bytes));
  expect(seen[0]).toEqual([0, bytes.length]);
  expect(seen.at(-1)).toEqual([bytes.length, bytes.length]);
});

test('a broken transfer goes on where it stopped', async () => {
  const { hub, get, got } = await setUp();
  hub.faults = [
    { after: 700_000, end: 'break' },
    { after: 300_000, end: 'break' },
  ];
  await get();
  expect(got().equals(bytes)).toBe(true);
  expectResumed(hub, 2);
});

test('a connection that falls silent counts as broken', async () => {
  const { hub, get, got } = await setUp();
  hub.faults = [{ after: 100_000, end: 'silence' }];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const whole = get({ stallMs: 60_000 });
  await expect.poll(hub.stored).toBe(100_000);
  vi.advanceTimersByTime(60_000);
  await whole;
  expect(got().equals(bytes)).toBe(true);
  expectResumed(hub, 1);
});

test('a second call goes on where the first gave up', async () => {
  const { hub, get, got } = await setUp();
  hub.faults = [{ after: 900_000, end: 'break' }, ...Array.from({ length: 4 }, () => ({ status: 503 }))];
  await expect(get()).rejects.toThrow(/does not deliver .* Run the command again/);
  await get();
  expect(got().equals(bytes)).toBe(true);
  expectResumed(hub, 1);
});

test('a second call goes on where the first was stopped', async () => {
  const { hub, get, got } = await setUp();
  hub.faults = [{ after: 900_000, end: 'silence' }];
  const stop = new AbortController();
  const stopped = get({
    signal: stop.signal,
    onProgress: (done) => done === 900_000 && stop.abort(new Error('stopped')),
  });
  await expect(stopped).rejects.toThrow('stopped');
  await get();
  expect(got().equals(bytes)).toBe(true);
  expectResumed(hub, 1);
});

test('a file that changed in between comes anew', async () => {
  const { hub, get, got, part } = await setUp();
  hub.faults = [{ after: 900_000, end: 'break' }, ...Array.from({ length: 4 }, () => ({ status: 503 }))];
  await expect(get()).rejects.toThrow();
  hub.file = Buffer.from(bytes).reverse();
  hub.published.sha256 = sha256(hub.file);
  await get();
  expect(got().equals(hub.file)).toBe(true);
  expect(existsSync(`${part}.json`)).toBe(false);
});

test('a part of another file is not continued', async () => {
  const { hub, get, got, part } = await setUp();
  writeFileSync(part, 'something else');
  writeFileSync(
    `${part}.json`,
    JSON.stringify({ url: `${hub.url}/other.bin`, version: '"1"', totalBytes: 99 }),
  );
  await get();
  expect(got().equals(bytes)).toBe(true);
});

test('a part that is whole already is not asked for again', async () => {
  const { hub, get, got, part } = await setUp();
  writeFileSync(part, bytes);
  const version = `"${sha256(bytes)}"`;
  writeFileSync(
    `${part}.json`,
    JSON.stringify({ url: `${hub.url}/model.bin`, version, totalBytes: bytes.length }),
  );
  await get();
  expect(got().equals(bytes)).toBe(true);
});

test('a server that knows no ranges sends all of it again', async () => {
  const { hub, get, got } = await setUp({ knowsRanges: false });
  hub.faults = [{ after: 900_000, end: 'break' }];
  await get();
  expect(got().equals(bytes)).toBe(true);
});

test('a server without a checksum works, and says none', async () => {
  const { hub, get, got } = await setUp();
  hub.published.sha256 = null;
  hub.faults = [{ after: 900_000, end: 'break' }];
  expect(await get()).toEqual({ publishedSha256: null });
  expect(got().equals(bytes)).toBe(true);
  expectResumed(hub, 1);
});

test('a file that is not there is told at once', async () => {
  const { hub, get } = await setUp();
  hub.faults = [{ status: 404 }];
  await expect(get()).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('404') });
});

test('a server that cannot be reached is told at once, with what to do', async () => {
  const { get } = await setUp();
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const call = get({ url: `http://127.0.0.1:${port}/model.bin`, pauseMs: 20_000 });
  await expect(call).rejects.toThrow(/does not deliver the file \(.*ECONNREFUSED.*STENO_MODELS_URL/);
});
