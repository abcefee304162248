import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { AudioStore } from '../../src/platform/audio-store/audio-store.ts';
import { openAudioStore } from '../../src/platform/audio-store/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'steno-sounds-'));

/** Every store keeps these promises. The second is a real server that speaks S3. */
const stores: Record<string, () => Promise<{ url: string; close(): Promise<void> }>> = {
  'a folder': async () => ({ url: '', close: async () => {} }),
  'an S3 store': async () => {
    const server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: join(folder, 's3'),
      configureBuckets: [{ name: 'steno' }],
    });
    const { port } = await server.run();
    return {
      url: `s3://S3RVER:S3RVER@127.0.0.1:${port}/steno/recordings?tls=no`,
      close: () => server.close(),
    };
  },
};

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(Object.keys(stores))('%s of audio', (name) => {
  let audioStore: AudioStore;
  let url: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ url, close } = await (stores[name] as (typeof stores)[string])());
    audioStore = await openAudioStore({ url, folder: join(folder, 'sounds') });
  });
  afterAll(() => close());

  async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield Buffer.from(text);
  }
  async function append(id: string, offset: number, ...texts: string[]): Promise<number[]> {
    const saved: number[] = [];
    await audioStore.append(id, offset, chunksOf(...texts), async (bytes) => void saved.push(bytes));
    return saved;
  }
  async function textOf(id: string, start: number, end: number): Promise<string> {
    let text = '';
    for await (const chunk of audioStore.read(id, { start, end })) text += Buffer.from(chunk);
    return text;
  }
  async function listed() {
    const found = new Map<string, number>();
    for await (const { id, bytes } of audioStore.list()) found.set(id, bytes);
    return found;
  }

  test('a sound that is not there is not found, and one that lost its end is an error', async () => {
    await expect(textOf('none', 0, 5)).rejects.toThrow('Audio not found');
    await append('short', 0, 'hello');
    await expect(textOf('short', 0, 9)).rejects.toThrow(AppError);
    await audioStore.remove('short');
  });

  test('keeps what is appended, and gives every range of it', async () => {
    const id = newUuid();
    expect((await append(id, 0, 'hello ', 'world')).at(-1)).toBe(11);
    expect((await append(id, 11, ', how are you')).at(-1)).toBe(24);
    expect(await textOf(id, 0, 24)).toBe('hello world, how are you');
    expect(await textOf(id, 6, 16)).toBe('world, how');
    const opened = await audioStore.open(id, 24);
    expect(opened?.size).toBe(24);
    expect(Buffer.from((await opened?.read(9, 12)) ?? []).toString()).toBe('ld,');
    await opened?.close();
    expect((await listed()).get(id)).toBe(24);
  });

  test('forgets what a broken upload left behind its last saved byte', async () => {
    const id = newUuid();
    await append(id, 0, 'one two');
    await append(id, 7, ' three', ' four');
    // The database only knows of the first seven.
    await append(id, 7, ' and a much longer end');
    expect(await textOf(id, 0, 29)).toBe('one two and a much longer end');
  });

  test('saves what came before an error, and raises it', async () => {
    const id = newUuid();
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('something');
      throw new Error('cut');
    }
    const saved: number[] = [];
    await expect(audioStore.append(id, 0, broken(), async (bytes) => void saved.push(bytes))).rejects.toThrow(
      'cut',
    );
    expect(saved).toEqual([9]);
    expect(await textOf(id, 0, 9)).toBe('something');
  });

  test('removes audio, also what is not there', async () => {
    const id = newUuid();
    await append(id, 0, 'hello');
    await append(id, 5, ' again');
    await audioStore.remove(id);
    await audioStore.remove(id);
    expect(await audioStore.open(id, 11)).toBeUndefined();
    expect((await listed()).has(id)).toBe(false);
  });
});

describe.each([
  ['is not there', ''],
  ['takes every connection and never answers', '/hangs'],
  ['begins to answer and does not go on', '/stops'],
])('a store that %s', (_, path) => {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/hangs')) return;
    response.setHeader('content-length', 1_000);
    response.write('<');
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('is unavailable, and says so', async () => {
    const { port } = server.address() as AddressInfo;
    const host = `127.0.0.1:${path === '' ? 9 : port}`;
    const audioStore = await openAudioStore({
      url: `s3://key:secret@${host}${path || '/steno'}?tls=no&patience=0.2`,
      folder: '',
    });
    const refused = { code: 'service_unavailable', retryAfterSeconds: 30 };
    await expect(audioStore.open(newUuid(), 5)).rejects.toMatchObject(refused);
    await expect(audioStore.remove(newUuid())).rejects.toMatchObject(refused);
    // What was stored is stored, even if the store does not finish its answer.
    if (path === '/stops') return;
    async function* some() {
      yield Buffer.from('x');
    }
    await expect(audioStore.append(newUuid(), 0, some(), async () => {})).rejects.toMatchObject(refused);
  });
});
