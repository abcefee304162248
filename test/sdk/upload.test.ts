import { createGrowingAudio, deleteUpload, UploadEndedError, upload, uploadState } from '@steno/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { startForSdk } from '../support/sdk.ts';
import { recording } from '../support/speech.ts';

let server: Awaited<ReturnType<typeof startForSdk>>;
beforeAll(async () => {
  server = await startForSdk();
});
afterAll(() => server.close());

const bytes = recording({ ms: 30_000, bytes: 60_000 });
const wait = async () => {};

describe('upload', () => {
  test('sends a file in pieces over connections that are cut, and reports how far it is', async () => {
    const { key } = await server.steno.person();
    let connections = 0;
    const proxy = await cuttingProxy(() => (connections++ < 6 ? 12_000 : Number.POSITIVE_INFINITY));
    proxy.leadTo(server.origin);
    const api = server.clientOf(key, { url: proxy.origin, wait });
    const progress: number[] = [];
    let begun = 0;
    const troubles: unknown[] = [];
    const id = await upload(api, new Blob([bytes]), {
      about: { name: 'Größe', language: 'en', note: true },
      pieceBytes: 10_000,
      onBegin: () => (begun += 1),
      onProgress: (sent) => progress.push(sent),
      onTrouble: (error) => troubles.push(error),
    });
    expect([begun, progress.at(-1)]).toEqual([1, 60_000]);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(troubles.length).toBeGreaterThan(1);
    expect(troubles.at(-1)).toBeUndefined();
    const { data } = await api.GET('/api/v1/recordings/{id}', { params: { path: { id } } });
    expect(data).toMatchObject({ name: 'Größe', bytes: 60_000 });
    await proxy.close();
  });

  test('sends a piece again whose bytes nobody takes', async () => {
    const { key } = await server.steno.person();
    let pieces = 0;
    // The second piece hangs: its request goes nowhere, and nothing is closed.
    const fetchOrHang = (request: Request): Promise<Response> => {
      if (request.method !== 'PATCH' || ++pieces !== 2) return fetch(request);
      return new Promise((_resolve, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason)),
      );
    };
    const api = server.clientOf(key, { wait, fetch: fetchOrHang, timeoutSeconds: 1 });
    const id = await upload(api, new Blob([bytes]), { pieceBytes: 20_000 });
    expect(pieces).toBeGreaterThanOrEqual(4);
    const { data } = await api.GET('/api/v1/recordings/{id}', { params: { path: { id } } });
    expect(data).toMatchObject({ bytes: 60_000 });
  });

  test('goes on with what the server has, after a crash of the sender', async () => {
    const api = server.clientOf((await server.steno.person()).key);
    const stop = new AbortController();
    let id = '';
    const options = {
      pieceBytes: 10_000,
      onBegin: (begun: string) => {
        id = begun;
      },
      onProgress: (sent: number) => sent === 20_000 && stop.abort(new Error('crash')),
    };
    await expect(upload(api, new Blob([bytes]), { ...options, signal: stop.signal })).rejects.toThrow(
      'crash',
    );
    expect(await uploadState(api, id)).toMatchObject({ bytes: 20_000, state: 'uploading' });
    const sent: number[] = [];
    const again = { id, pieceBytes: 20_000, onProgress: (at: number) => void sent.push(at) };
    expect(await upload(api, new Blob([bytes]), again)).toBe(id);
    expect(sent).toEqual([40_000, 60_000]);
    // The last answer was lost: there is nothing left to send.
    expect(await upload(api, new Blob([bytes]), { id })).toBe(id);
    await expect(upload(api, new Blob([bytes, bytes]), { id })).rejects.toThrow(UploadEndedError);
  });

  test('sends audio that still grows', async () => {
    const api = server.clientOf((await server.steno.person()).key);
    const audio = createGrowingAudio();
    audio.add(new Blob([bytes.subarray(0, 30_000)]));
    let isFirst = true;
    const id = await upload(api, audio, {
      onProgress() {
        if (!isFirst) return;
        isFirst = false;
        audio.add(new Blob([bytes.subarray(30_000)]));
        audio.end();
      },
    });
    const { data } = await api.GET('/api/v1/recordings/{id}', { params: { path: { id } } });
    expect(data.bytes).toBe(60_000);
  });

  test('raises what another try does not help, and can be given up', async () => {
    const { key } = await server.steno.person();
    const api = server.clientOf(key, { wait });
    await expect(
      upload(api, new Blob([bytes]), { about: { folder_id: crypto.randomUUID() } }),
    ).rejects.toMatchObject({ status: 400 });
    let id = '';
    const stop = new AbortController();
    const options = {
      signal: stop.signal,
      onBegin(begun: string) {
        id = begun;
        stop.abort(new Error('stop'));
      },
    };
    await expect(upload(api, new Blob([bytes]), options)).rejects.toThrow('stop');
    await deleteUpload(api, id);
    await expect(uploadState(api, id)).rejects.toMatchObject({ code: 'not_found' });
  });
});
