import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Recording } from '../../src/domain/recording.ts';
import { capturedLog } from '../support/log.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';
import { listen, wire } from '../support/wire.ts';

/** Every way in which an answer can fail outside its handler. The server listens: `inject` has no connection to break. */
describe('an answer that cannot be finished', () => {
  const { log, lines } = capturedLog();
  let steno: TestSteno;
  let key: string;
  let url: string;
  let port: number;
  let sound: Recording;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { headers: { authorization: `Bearer ${key}`, ...headers } });
  const faults = () => lines().filter(({ msg }) => msg === 'fault' || msg === 'unavailable');
  const fileOf = ({ id }: Recording) => join(steno.config.dataDir, 'recordings', `${id}.sound`);

  beforeAll(async () => {
    steno = await startSteno({ log });
    ({ key } = await steno.person());
    port = await listen(steno);
    url = `http://127.0.0.1:${port}`;
  });
  beforeEach(async () => {
    sound = await settled(steno, key, (await uploadTo(steno, key, recording())).body.data.id);
  });
  afterAll(() => steno.close());

  async function expectEnvelope(answer: Response, status: number, code: string): Promise<void> {
    expect([answer.status, await answer.json()]).toEqual([
      status,
      { error: { code, message: expect.stringMatching(/\S/) } },
    ]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    for (const name of ['content-range', 'accept-ranges', 'content-disposition', 'x-accel-buffering'])
      expect([name, answer.headers.get(name)]).toEqual([name, null]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toMatch(/\S/);
  }

  test.each([{}, { range: 'bytes=0-9' }])(
    'a sound whose file is gone is 404, with the headers %j',
    async (headers) => {
      rmSync(fileOf(sound));
      await expectEnvelope(await get(`/api/v1/recordings/${sound.id}/audio`, headers), 404, 'not_found');
      const { id } = sound;
      const head = await fetch(`${url}/api/v1/recordings/${id}/audio`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${key}`, ...headers },
      });
      expect(head.status).toBe(404);
    },
  );

  test('a sound whose file lost its end is 503 before the first byte, and breaks off after it', async () => {
    const path = `/api/v1/recordings/${sound.id}/audio`;
    truncateSync(fileOf(sound), 1);
    await expectEnvelope(await get(path, { range: 'bytes=-1' }), 503, 'service_unavailable');
    const before = faults().length;
    const cut = await get(path);
    expect(cut.status).toBe(200);
    await expect(cut.arrayBuffer()).rejects.toThrow();
    expect(faults().length).toBe(before + 1);
    truncateSync(fileOf(sound), 0);
    await expectEnvelope(await get(path), 503, 'service_unavailable');
  });

  test('an export that fails before its first byte is an error, and later breaks off with a line in the log', async () => {
    const without = async <Result>(table: string, work: () => Promise<Result>) => {
      const rename = (from: string, to: string) =>
        steno.database.write((tx) => sql`alter table ${sql.ref(from)} rename to ${sql.ref(to)}`.execute(tx));
      await rename(table, 'away');
      return work().finally(() => rename('away', table));
    };
    await without('folders', async () => {
      await expectEnvelope(await get('/api/v1/export'), 500, 'internal_error');
    });
    const before = faults().length;
    await without('dictionary_words', async () => {
      const cut = await get('/api/v1/export');
      expect(cut.status).toBe(200);
      await expect(cut.arrayBuffer()).rejects.toThrow();
    });
    expect(faults().length).toBe(before + 1);
  });

  test('events that fail before the first one are an error, and later break off with a line in the log', async () => {
    const { recorder } = steno.recordings;
    const path = `/api/v1/recordings/${sound.id}/events`;
    const early = vi.spyOn(recorder, 'follow').mockRejectedValueOnce(new Error('the disk is on fire'));
    await expectEnvelope(await get(path), 500, 'internal_error');
    early.mockRestore();
    async function* broken() {
      yield { event: 'state', data: { ...sound, state: 'queued' } };
      throw new Error('the disk is on fire');
    }
    const late = vi.spyOn(recorder, 'follow').mockResolvedValueOnce(broken());
    const before = faults().length;
    const cut = await get(path);
    expect(cut.status).toBe(200);
    await expect(cut.text()).rejects.toThrow();
    late.mockRestore();
    expect(faults().length).toBe(before + 1);
  });

  test('something odd that is thrown is an internal error', async () => {
    for (const odd of [undefined, null, 'a text', 5, {}]) {
      const { read } = steno.database;
      const reads = vi
        .spyOn(steno.database, 'read')
        .mockImplementation((text, parameters) =>
          text.includes('from "notes"') ? Promise.reject(odd) : read(text, parameters),
        );
      await expectEnvelope(await get('/api/v1/notes/list'), 500, 'internal_error');
      reads.mockRestore();
    }
  });

  test.each([
    ['a range behind its end', { range: 'bytes=999999999-' }],
    ['a version that it is not', { 'if-match': '"other"' }],
    ['a range of another version', { 'if-range': '"other"', range: 'bytes=0-1' }],
  ])('a file of the console, asked for %s, is no fault of the server', async (_what, headers) => {
    const before = faults().length;
    const answer = await get('/icon.svg', headers);
    const text = await answer.text();
    if (answer.status >= 400) expect(JSON.parse(text)).toHaveProperty('error.code', 'validation_error');
    expect(answer.status).toBeLessThan(500);
    expect(faults().length).toBe(before);
  });

  test.each([
    ['CONNECT', 'CONNECT steno:443 HTTP/1.1\r\nHost: steno\r\n\r\n'],
    ['a version of HTTP that nobody has', 'GET / HTTP/9.9\r\nHost: steno\r\n\r\n'],
    ['a head that is too long', `GET / HTTP/1.1\r\nHost: steno\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: steno\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    ['a preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s is answered in the envelope', async (_what, bytes) => {
    const { socket, closed } = wire(port, bytes);
    const text = await closed;
    socket.destroy();
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toHaveProperty('error.code', expect.any(String));
  });

  test('a request for another protocol is answered like any other', async () => {
    const { socket, answers } = wire(
      port,
      'GET /healthz HTTP/1.1\r\nHost: steno\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    expect(await answers(1)).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test('a sound is whole, in a range and as a head, while its file is there', async () => {
    const path = `/api/v1/recordings/${sound.id}/audio`;
    writeFileSync(fileOf(sound), 'x'.repeat(sound.bytes));
    expect((await (await get(path)).text()).length).toBe(sound.bytes);
    const part = await get(path, { range: 'bytes=-5' });
    expect([part.status, await part.text()]).toEqual([206, 'xxxxx']);
    const head = await fetch(url + path, { method: 'HEAD', headers: { authorization: `Bearer ${key}` } });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(sound.bytes)]);
  });
});
