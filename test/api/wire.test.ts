import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { capturedLog } from '../support/log.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';
import { head, listen, statuses, type Wire, wire } from '../support/wire.ts';

const oneMiB = 1_048_576;

// Only who tests the time for a request has a short one, which would let a busy machine decide about the others.
describe.each([
  { patience: 'short', config: { headersTimeoutMs: 400, requestTimeoutMs: 800 } },
  { patience: 'usual', config: {} },
])('whatever arrives on the wire, with the $patience time for it', ({ patience, config }) => {
  let steno: TestSteno;
  let port: number;
  let key: string;
  let auth: Record<string, string>;
  const open: Wire[] = [];
  const captured = capturedLog();

  beforeAll(async () => {
    steno = await startSteno({ config, log: captured.log });
    port = await listen(steno);
  });
  beforeEach(async () => {
    ({ key } = await steno.person());
    auth = { Authorization: `Bearer ${key}` };
  });
  afterEach(async () => {
    for (const { socket } of open.splice(0)) socket.destroy();
    // Others are served as before, and nothing of it was a fault of the server.
    const me = () => fetch(`http://127.0.0.1:${port}/api/v1/me`, { headers: auth });
    // A machine that stands still for 400 ms uses up the short time.
    await expect.poll(async () => (await me()).status).toBe(200);
    expect(captured.lines().filter(({ msg }) => msg === 'fault')).toEqual([]);
  });
  afterAll(() => steno.close());

  function send(...chunks: string[]): Wire {
    const connection = wire(port, ...chunks);
    open.push(connection);
    return connection;
  }
  const create = (content: string, more = {}) => {
    const body = JSON.stringify({ content });
    return (
      head('POST', '/notes/create', {
        ...auth,
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        ...more,
      }) + body
    );
  };
  const contents = async () =>
    (await steno.call('GET', '/notes/list', { key })).body.data.map(
      (note: { content: string }) => note.content,
    );

  /** One answer in the envelope, an id in its head, and the end. */
  function expectRefused(text: string, status = 400, code = 'validation_error'): void {
    expect(statuses(text)).toEqual([status]);
    const [header = '', body = ''] = text.split('\r\n\r\n');
    expect(JSON.parse(body)).toEqual({ error: { code, message: expect.any(String) } });
    expect(header.toLowerCase()).toContain('content-type: application/json');
    expect(header.toLowerCase()).toContain('x-request-id: ');
    expect(header.toLowerCase()).toContain('connection: close');
  }

  if (patience === 'short') {
    test('a head that never ends is refused in time', async () => {
      const slow = send('GET /api/v1/me HTTP/1.1\r\nHost: steno\r\nX-Slow: ');
      expectRefused(await slow.closed);
      expect(slow.text()).toContain('in time');
    });

    test('a client that never says a word is let go', async () => {
      await send().closed;
    });

    test('a body that never ends is refused in time and makes nothing', async () => {
      const slow = send(create('whole').slice(0, -4));
      expectRefused(await slow.closed);
      expect(await contents()).toEqual([]);
    });

    test('an upload whose bytes stop coming is refused in time', async () => {
      const slow = send(head('POST', '/recordings', { ...auth, 'Content-Length': 100_000 }), 'RIFF');
      expectRefused(await slow.closed);
      expect(slow.text()).toContain('in time');
    });

    test('a client that never closes its side is cut off', async () => {
      const connections = () =>
        new Promise<number>((resolve) => steno.app.server.getConnections((_error, count) => resolve(count)));
      const before = await connections();
      for (let index = 0; index < 5; index += 1) send('nonsense\r\n\r\n');
      await Promise.all(open.map(({ closed }) => closed));
      const wait = { timeout: 60_000, interval: 50 };
      await vi.waitFor(async () => expect(await connections()).toBeLessThanOrEqual(before), wait);
    });
    return;
  }

  test('an upload that says it is larger than anything is refused before its bytes, and leaves nothing', async () => {
    const large = { ...auth, 'Content-Length': 99_999_999_999_999 };
    const tus = { ...large, 'Tus-Resumable': '1.0.0', 'Content-Type': 'application/offset+octet-stream' };
    const whole = send(head('POST', '/recordings', { ...large, 'Content-Type': 'audio/wav' }));
    expectRefused(await whole.closed, 413, 'payload_too_large');
    const form = send(
      head('POST', '/recordings', { ...large, 'Content-Type': 'multipart/form-data; boundary=x' }),
    );
    expectRefused(await form.closed, 413, 'payload_too_large');
    for (const length of [{ 'Upload-Length': 100 }, { 'Upload-Defer-Length': 1 }]) {
      const made = send(head('POST', '/recordings/uploads', { ...tus, ...length }));
      expectRefused(await made.closed, 413, 'payload_too_large');
    }
    expect((await steno.call('GET', '/recordings', { key })).body.data).toEqual([]);
    const { headers } = await fetch(`http://127.0.0.1:${port}/api/v1/recordings/uploads`, {
      method: 'POST',
      headers: { ...auth, 'Tus-Resumable': '1.0.0', 'Upload-Length': '100' },
    });
    const path = String(headers.get('location')).replace('/api/v1', '');
    const more = send(head('PATCH', path, { ...tus, 'Upload-Offset': 0 }));
    expectRefused(await more.closed, 413, 'payload_too_large');
  });

  test('a client that has closed its side still gets its answer', async () => {
    const half = send(create('half'));
    half.socket.end();
    expect(statuses(await half.closed)).toEqual([201]);
  });

  test('requests sent at once are answered in their order', async () => {
    const burst = send(create('one') + head('GET', '/nope', auth) + head('GET', '/me', auth) + create('two'));
    expect(statuses(await burst.answers(4))).toEqual([201, 404, 200, 201]);
    expect(await contents()).toEqual(['two', 'one']);
  });

  test('garbage behind a good request does not cost it its answer', async () => {
    const burst = send(`${create('good')}\u0001\u0002 garbage\r\n\r\n`);
    expect(statuses(await burst.closed)).toEqual([201, 400]);
    expect(await contents()).toEqual(['good']);
  });

  test.each([
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001'],
    ['a method that is none', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
    ['a head of 20 kB', head('GET', '/me', { 'X-Long': 'x'.repeat(20_000) })],
    ['an address of 20 kB', head('GET', `/notes/${'x'.repeat(20_000)}`)],
    ['a length that is no number', head('POST', '/notes/create', { 'Content-Length': 'ten' })],
    [
      'two lengths',
      'POST /api/v1/me HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'length and chunks together',
      head('POST', '/me', { 'Content-Length': 5, 'Transfer-Encoding': 'chunked' }),
    ],
  ])('%s is refused', async (_name, bytes) => {
    expectRefused(await send(bytes).closed);
  });

  test('a chunk whose size is no number is refused', async () => {
    const headers = { ...auth, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    expectRefused(await send(`${head('POST', '/notes/create', headers)}zz\r\n{}\r\n0\r\n\r\n`).closed);
  });

  test('HTTP/1.1 without a host is refused in the envelope, HTTP/1.0 is served', async () => {
    const bare = send(`GET /api/v1/me HTTP/1.1\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`);
    expectRefused(await bare.closed);
    const old = send(`GET /api/v1/me HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    expect(statuses(await old.closed)).toEqual([200]);
  });

  test.each(['100-continue', 'a-miracle'])('Expect: %s is served', async (expectation) => {
    const waiting = send(create('x', { Expect: expectation, Connection: 'close' }));
    expect(statuses(await waiting.closed).at(-1)).toBe(201);
  });

  test('a body over 1 MiB is 413, with its length told and without', async () => {
    const json = { ...auth, 'Content-Type': 'application/json' };
    expectRefused(
      await send(head('POST', '/notes/create', { ...json, 'Content-Length': oneMiB + 1 })).closed,
      413,
      'payload_too_large',
    );
    const chunked = head('POST', '/notes/create', { ...json, 'Transfer-Encoding': 'chunked' });
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    expectRefused(await send(chunked, ...Array(17).fill(chunk)).closed, 413, 'payload_too_large');
    expect(await contents()).toEqual([]);
  });

  test('a body longer than its length makes nothing of the rest', async () => {
    const lying = send(create('x', { 'Content-Length': 5 }));
    expect(statuses(await lying.closed)).toEqual([400]);
    expect(await contents()).toEqual([]);
  });

  test('clients that hang up in the middle hurt nobody', async () => {
    const whole = create('left');
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const { socket } = send(index % 2 === 0 ? whole : whole.slice(0, -index));
        await new Promise((resolve) => socket.once('connect', resolve));
        await new Promise((resolve) => socket.write('', resolve));
        socket.destroy();
      }),
    );
  });

  test('two hundred connections at once are all served', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, async () => (await steno.person()).key));
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const headers = { Authorization: `Bearer ${keys[index % 10]}` };
        const burst = send(head('GET', '/notes/list', headers).repeat(5));
        return statuses(await burst.answers(5));
      }),
    );
    expect(answers.flat()).toEqual(Array(1_000).fill(200));
  });
});
