import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSteno, follow, list, pages, StenoError, UnreachableError } from '@steno/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { startForSdk } from '../support/sdk.ts';
import { recording } from '../support/speech.ts';

let server: Awaited<ReturnType<typeof startForSdk>>;
let now = Date.parse('2026-10-15T12:00:00.000Z');
beforeAll(async () => {
  server = await startForSdk({ clock: () => now });
});
afterAll(() => server.close());

/** Waits without waiting: the clock of the server goes on instead. */
const waits: number[] = [];
const wait = async (ms: number) => {
  waits.push(ms);
  now += ms;
};
const create = '/api/v1/notes/create';
const failure = (call: Promise<unknown>): Promise<StenoError> =>
  call.then(
    () => Promise.reject(new Error('It succeeded.')),
    (error) => error,
  );

describe('a call', () => {
  test('resolves with the body, and raises what the server says', async () => {
    const api = server.clientOf((await server.steno.person()).key);
    const { data: note } = await api.POST(create, { body: { content: 'Milk' } });
    const params = { path: { id: note.id } };
    expect((await api.GET('/api/v1/notes/{id}', { params })).data.content).toBe('Milk');
    expect(await api.DELETE('/api/v1/notes/{id}', { params })).toBeUndefined();

    const error = await failure(api.GET('/api/v1/notes/{id}', { params }));
    expect(error).toBeInstanceOf(StenoError);
    expect(error).toMatchObject({ status: 404, code: 'not_found', message: 'Note not found' });
    expect(error.requestId).toMatch(/./);
    const wrong = await failure(api.POST(create, { body: { content: 7 as unknown as string } }));
    expect(wrong).toMatchObject({ status: 400, code: 'validation_error', param: 'content' });
  });

  test('is strict if the client says so', async () => {
    const { key } = await server.steno.person();
    const params = { query: { limt: 3 } as object };
    expect(await failure(server.clientOf(key).GET('/api/v1/notes/list', { params }))).toMatchObject({
      code: 'validation_error',
    });
    const lenient = createSteno({ url: server.origin, key });
    const { response } = await lenient.client.GET('/api/v1/notes/list', { params });
    expect(response.headers.get('steno-ignored')).toBe('limt');
  });

  test('sends files as they are, and objects with a file as a form', async () => {
    const api = server.clientOf((await server.steno.person()).key, { wait });
    const file = new Blob([recording({ ms: 2_000 })]);
    const heard = await api.POST('/api/v1/transcribe', { body: { file, language: 'en' } });
    expect(heard.data.language).toBe('en');
    const made = await api.POST('/api/v1/recordings', {
      params: { query: { name: 'Mill', note: 'true' } },
      body: file,
    });
    expect(made.data).toMatchObject({ name: 'Mill' });
  });

  test('raises UnreachableError if nobody answers, and the reason if it is aborted', async () => {
    const away = createSteno({ url: 'http://127.0.0.1:9', retries: 1, wait });
    expect(await failure(away.GET('/api/v1/me'))).toBeInstanceOf(UnreachableError);
    const api = server.clientOf('owk_live_wrong');
    const reason = new Error('enough');
    expect(await failure(api.GET('/api/v1/me', { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});

describe('retries', () => {
  test('wait as long as Retry-After says, and are over after some', async () => {
    const { key } = await server.steno.person({ plan: 'free' });
    const api = server.clientOf(key, { wait });
    waits.length = 0;
    for (let sent = 0; sent < 35; sent += 1) await api.GET('/api/v1/me');
    // 30 in a minute, and then one every two seconds.
    expect(waits.length).toBeGreaterThan(0);
    expect(waits.every((ms) => ms % 1000 === 0 && ms >= 1000)).toBe(true);

    const standing = server.clientOf(key, { retries: 2, wait: async (ms) => void waits.push(ms) });
    waits.length = 0;
    const refused = await failure(
      Promise.all(Array.from({ length: 35 }, () => standing.GET('/api/v1/me', { retries: 0 }))),
    );
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: expect.any(Number) });
    expect(waits).toEqual([]);
    await failure(standing.GET('/api/v1/me'));
    expect(waits).toHaveLength(2);
  });

  test('do not wait longer than one may want to', async () => {
    const api = server.clientOf('k', {
      fetch: async () => new Response('', { status: 503, headers: { 'retry-after': '3600' } }),
    });
    expect(await failure(api.GET('/api/v1/me'))).toMatchObject({ status: 503, retryAfter: 3600 });
  });

  test('create once, however often the answer is lost', async () => {
    const { key } = await server.steno.person();
    let lost = 0;
    const api = server.clientOf(key, {
      wait,
      around: async (request, next) => {
        const answer = await next(request);
        if (request.method === 'GET' || lost++ % 3 === 2) return answer;
        throw new TypeError('The connection broke.');
      },
    });
    const { data: note } = await api.POST(create, { body: { content: 'Once' } });
    expect(lost).toBe(3);
    const file = new Blob([recording({ ms: 2_000 })]);
    await api.POST('/api/v1/recordings', { body: { file, name: 'Once' } });
    expect(lost).toBe(6);
    const titles = [];
    for await (const { id } of list(api, '/api/v1/notes/list')) titles.push(id);
    expect(titles).toEqual([note.id]);
    expect((await api.GET('/api/v1/recordings')).data).toHaveLength(1);
  });

  test('leave alone what may not be sent twice', async () => {
    const { key } = await server.steno.person();
    let sent = 0;
    const api = server.clientOf(key, {
      wait,
      around: async (request, next) => {
        sent += 1;
        await next(request);
        throw new TypeError('The connection broke.');
      },
    });
    expect(await failure(api.POST('/api/v1/notes/search', { body: { query: 'x' } }))).toBeInstanceOf(
      UnreachableError,
    );
    expect(sent).toBe(1);
  });

  test('come through a connection that is cut in the middle of the request', async () => {
    const { key } = await server.steno.person();
    let cuts = 0;
    const proxy = await cuttingProxy(() => (cuts++ < 2 ? 700 : Number.POSITIVE_INFINITY));
    proxy.leadTo(server.origin);
    const api = server.clientOf(key, { url: proxy.origin, wait });
    const content = 'word '.repeat(1_000);
    const { data } = await api.POST(create, { body: { content } });
    expect(data.content).toBe(content);
    expect(cuts).toBe(3);
    await proxy.close();
  });
});

async function pageSizes(api: ReturnType<typeof server.clientOf>, since: string) {
  const sizes = [];
  for await (const { data } of pages(api, '/api/v1/changes', { params: { query: { since, limit: 3 } } }))
    sizes.push(data.length);
  return sizes;
}

describe('lists', () => {
  test('are read to their end, page by page, and no further than one looks', async () => {
    const { key } = await server.steno.person();
    let asked = 0;
    const api = server.clientOf(key, {
      around: (request, next) => {
        if (request.method === 'GET') asked += 1;
        return next(request);
      },
    });
    const since = (await api.GET('/api/v1/changes')).next_cursor;
    for (let at = 0; at < 7; at += 1) await api.POST(create, { body: { content: `${at}` } });
    asked = 0;
    const found: string[] = [];
    const query = { limit: 3, fields: 'id,preview' };
    for await (const { preview } of list(api, '/api/v1/notes/list', { params: { query } }))
      found.push(String(preview));
    expect([found, asked]).toEqual([['6', '5', '4', '3', '2', '1', '0'], 3]);
    for await (const _ of list(api, '/api/v1/notes/list', { params: { query } })) break;
    expect(asked).toBe(4);
    // On PostgreSQL a change is told when every older transaction of the cluster has ended.
    await expect.poll(() => pageSizes(api, since)).toEqual([3, 3, 1]);
  });
});

describe('a server that says nothing', () => {
  const note = '/api/v1/notes/list';
  /** Hangs for the first requests, before or within its answer. */
  async function hanging(times: number, begins: boolean) {
    const asked: string[] = [];
    const hanger = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const isHung = asked.length <= times;
      if (isHung && !begins) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"data":[],');
      if (!isHung) response.end('"has_more":false,"next_cursor":null}');
    });
    await new Promise<void>((resolve) => hanger.listen(0, '127.0.0.1', resolve));
    const { port } = hanger.address() as AddressInfo;
    const close = () => {
      hanger.closeAllConnections();
      hanger.close();
    };
    return { url: `http://127.0.0.1:${port}`, asked, close };
  }

  test('is asked again after timeoutSeconds', async () => {
    const { url, asked, close } = await hanging(2, false);
    // On a busy machine an answer may come late more than once.
    const api = createSteno({ url, key: 'k', retries: 50, wait, timeoutSeconds: 0.2 });
    expect((await api.GET(note)).data).toEqual([]);
    expect(asked.length).toBeGreaterThan(2);
    close();
  });

  test('is unreachable when it never answers, or stops within its answer; a call may have more patience', async () => {
    for (const begins of [false, true]) {
      const { url, close } = await hanging(1, begins);
      const api = createSteno({ url, key: 'k', retries: 0, wait, timeoutSeconds: 300 });
      expect(await failure(api.GET(note, { timeoutSeconds: 0.2 }))).toBeInstanceOf(UnreachableError);
      expect((await api.GET(note)).data).toEqual([]);
      close();
    }
  });

  test('does not keep a stream from being opened again', async () => {
    const { url, asked, close } = await hanging(Number.POSITIVE_INFINITY, false);
    const stop = new AbortController();
    const api = createSteno({ url, key: 'k', timeoutSeconds: 0.2, wait });
    const onLost = () => asked.length > 1 && stop.abort();
    for await (const _ of follow(api, '/api/v1/changes/events', { signal: stop.signal, onLost }));
    expect(asked).toHaveLength(2);
    close();
  });
});
