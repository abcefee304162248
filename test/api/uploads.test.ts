import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { databaseKinds, startSteno, type TestSteno, testPlans } from '../support/steno.ts';

const bodyType = 'application/offset+octet-stream';

describe.each(databaseKinds)('uploads that can be resumed on %s', (databaseKind) => {
  let steno: TestSteno;
  let now = Date.parse('2026-10-15T12:00:00.000Z');
  const speech = createFakeSpeech();
  const plans = { ...testPlans, pro: { ...testPlans.pro, recordingMaxBytes: 1_000 } };
  beforeAll(async () => {
    steno = await startSteno({
      databaseKind,
      clock: () => now,
      speech,
      config: { plans },
    });
  });
  afterAll(() => steno.close());

  const file = recording({ ms: 30_000, bytes: 600 });
  const call = (
    key: string,
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: Uint8Array,
  ) =>
    steno.call(method, path.startsWith('/api') ? path : `/recordings/uploads${path}`, {
      key,
      body,
      headers: { 'tus-resumable': '1.0.0', ...headers },
    });
  async function create(key: string, headers: Record<string, string> = { 'upload-length': '600' }) {
    const answer = await call(key, 'POST', '', headers);
    expect(answer.status).toBe(201);
    return String(answer.headers.location);
  }
  const append = (key: string, url: string, offset: number, bytes: Uint8Array, more = {}) =>
    call(key, 'PATCH', url, { 'content-type': bodyType, 'upload-offset': String(offset), ...more }, bytes);
  const idOf = (url: string) => url.split('/').at(-1) ?? '';

  test('are created, filled piece by piece, and become a recording', async () => {
    const { key } = await steno.person();
    const metadata = `name ${Buffer.from('Größe').toString('base64')},filetype YXVkaW8,keep_audio ${Buffer.from('false').toString('base64')}`;
    const url = await create(key, { 'upload-length': '600', 'upload-metadata': metadata });
    expect(url).toMatch(/^\/api\/v1\/recordings\/uploads\/[0-9a-f-]{36}$/);
    const first = await append(key, url, 0, file.subarray(0, 250));
    expect(first.status).toBe(204);
    expect(first.headers).toMatchObject({ 'upload-offset': '250', 'tus-resumable': '1.0.0' });
    const head = await call(key, 'HEAD', url);
    expect(head.status).toBe(200);
    expect(head.headers).toMatchObject({
      'upload-offset': '250',
      'upload-length': '600',
      'cache-control': 'no-store',
      'upload-expires': expect.stringMatching(/GMT$/),
    });
    const { body } = await steno.call('GET', `/recordings/${idOf(url)}`, { key });
    expect(body.data).toMatchObject({ state: 'uploading', bytes: 250, name: 'Größe', keep_audio: false });
    expect((await append(key, url, 250, file.subarray(250))).headers['upload-offset']).toBe('600');
    expect(await settled(steno, key, idOf(url))).toMatchObject({
      state: 'done',
      bytes: 600,
      media_type: 'audio/wav',
    });
    expect((await call(key, 'HEAD', url)).headers['upload-offset']).toBe('600');
  });

  test('may bring their first bytes, and tell their length later', async () => {
    const { key } = await steno.person();
    const headers = { 'upload-defer-length': '1', 'content-type': bodyType };
    const made = await call(key, 'POST', '', headers, file.subarray(0, 100));
    expect(made.status).toBe(201);
    expect(made.headers).toMatchObject({ 'upload-offset': '100', 'upload-defer-length': '1' });
    const url = String(made.headers.location);
    await append(key, url, 100, file.subarray(100, 300));
    expect((await append(key, url, 300, file.subarray(300), { 'upload-length': '600' })).status).toBe(204);
    expect((await settled(steno, key, idOf(url))).state).toBe('done');
  });

  test('of unknown length are heard while they grow, and end when nothing comes for five minutes', async () => {
    const { key, user } = await steno.person();
    const live = Buffer.from('audio 30000 2 live'.padEnd(600, '.'));
    const headers = { 'upload-defer-length': '1', 'content-type': bodyType };
    const made = await call(key, 'POST', '', headers, live.subarray(0, 100));
    const url = String(made.headers.location);
    const id = idOf(url);
    const words = async () => (await steno.store.recordings.texts(id, 0)).map(({ text }) => text);
    await expect.poll(words).toEqual(['word1 word2', 'word1 word2']);
    expect((await steno.call('GET', `/recordings/${id}`, { key })).body.data.state).toBe('uploading');
    await append(key, url, 100, live.subarray(100, 400));
    const spoken = () =>
      speech.heard.filter(({ userId, start }) => userId === user.id && start === 40).length;
    // The tail is only heard when somebody follows.
    expect(spoken()).toBe(0);
    const following = steno.call('GET', `/recordings/${id}/events`, { key });
    await expect.poll(spoken).toBeGreaterThan(2);
    await steno.uploads.tidy();
    expect((await call(key, 'HEAD', url)).headers['upload-defer-length']).toBe('1');
    now += 300_001;
    await steno.uploads.tidy();
    const done = await settled(steno, key, id);
    expect(done).toMatchObject({ state: 'done', bytes: 400, media_type: 'audio/webm' });
    const { body } = await steno.call('GET', `/transcriptions/${done.transcription_id}`, { key });
    expect(body.data.text).toBe('word1 word2 word1 word2');
    const final = speech.heard.filter(({ userId, start }) => userId === user.id && start < 40);
    expect(final).toHaveLength(2);
    expect((await following).text).toContain('event: tail\ndata: {"start_ms":40000,"text":"word1"}');
  });

  describe('that grow', () => {
    const live = Buffer.from('audio 30000 2 live'.padEnd(600, '.'));
    const speak = async (key: string) => {
      const headers = { 'upload-defer-length': '1', 'content-type': bodyType };
      return String((await call(key, 'POST', '', headers, live.subarray(0, 100))).headers.location);
    };
    const words = async (url: string) =>
      (await steno.store.recordings.texts(idOf(url), 0)).map(({ text }) => text);
    const isHeard = (url: string) => expect.poll(() => words(url)).toEqual(['word1 word2', 'word1 word2']);
    const isWorkedOn = async (url: string) => {
      const { db } = steno.database;
      const row = db.selectFrom('recordings').select('worker').where('id', '=', idOf(url));
      return (await row.executeTakeFirstOrThrow()).worker !== '';
    };
    const end = async (key: string, url: string) =>
      expect((await append(key, url, 100, Buffer.alloc(0), { 'upload-length': '100' })).status).toBe(204);

    test('have two places of each person: nobody who speaks waits for eight of another', async () => {
      const [ada, eve] = [await steno.person(), await steno.person()];
      const hers = [];
      for (let count = 0; count < 8; count += 1) hers.push(await speak(ada.key));
      const [first = '', second = '', third = ''] = hers;
      await isHeard(first);
      await isHeard(second);
      const spoken = await speak(eve.key);
      await isHeard(spoken);
      await call(eve.key, 'DELETE', spoken);
      expect(await words(third)).toEqual([]);
      // The next one has its turn when a place is free.
      await end(ada.key, first);
      await isHeard(third);
      for (const url of hers.slice(1)) await call(ada.key, 'DELETE', url);
    });

    test('give way when nothing comes for half a minute and somebody speaks, and go on with the next byte', async () => {
      const silent: { key: string; url: string }[] = [];
      for (let person = 0; person < 4; person += 1) {
        const { key } = await steno.person();
        for (let count = 0; count < 2; count += 1) silent.push({ key, url: await speak(key) });
      }
      for (const { url } of silent) await isHeard(url);
      now += 30_001;
      const eve = await steno.person();
      const hers = await speak(eve.key);
      await isHeard(hers);
      // One place was needed.
      const gaveWay = [];
      for (const one of silent) if (!(await isWorkedOn(one.url))) gaveWay.push(one);
      expect(gaveWay).toHaveLength(1);
      const [{ key, url } = { key: '', url: '' }] = gaveWay;
      await append(key, url, 100, live.subarray(100, 400));
      await expect.poll(() => isWorkedOn(url)).toBe(true);
      for (const one of [...silent, { key: eve.key, url: hers }]) await call(one.key, 'DELETE', one.url);
    });
  });

  test('say where to go on when the offset is wrong', async () => {
    const { key } = await steno.person();
    const url = await create(key);
    await append(key, url, 0, file.subarray(0, 250));
    for (const offset of [0, 249, 251]) {
      const { status, body } = await append(key, url, offset, file.subarray(offset));
      expect([status, body.error.code]).toEqual([409, 'conflict']);
      expect(body.error.message).toContain('250');
    }
    expect((await call(key, 'HEAD', url)).headers['upload-offset']).toBe('250');
  });

  test('have one writer: the request that comes later goes on, the other is told', async () => {
    const { key } = await steno.person();
    const address = await steno.app.listen({ port: 0, host: '127.0.0.1' });
    const url = await create(key);
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    let answered = '';
    socket.on('data', (bytes) => {
      answered += bytes;
    });
    socket.write(
      `PATCH ${url} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: ${bodyType}\r\nContent-Length: 600\r\n\r\n`,
    );
    socket.write(file.subarray(0, 200));
    let offset = 0;
    // Until the first request has begun, there is nobody to stop.
    await expect
      .poll(async () => {
        offset = Number((await call(key, 'HEAD', url)).headers['upload-offset']);
        return answered;
      })
      .toMatch(/^HTTP\/1\.1 409 /);
    expect((await append(key, url, offset, file.subarray(offset))).headers['upload-offset']).toBe('600');
    const audio = await steno.call('GET', `/recordings/${idOf(url)}/audio`, { key });
    expect(audio.text).toBe(file.toString());
    socket.destroy();
  });

  test('refuse what is too large, and more than they said', async () => {
    const { key } = await steno.person({ plan: 'pro' });
    expect((await call(key, 'POST', '', { 'upload-length': '1001' })).status).toBe(413);
    const url = await create(key, { 'upload-length': '300' });
    expect((await append(key, url, 0, file)).status).toBe(413);
    expect((await call(key, 'HEAD', url)).status).toBe(200);
    const open = await create(key, { 'upload-defer-length': '1' });
    expect((await append(key, open, 0, Buffer.alloc(1_001))).status).toBe(413);
  });

  test('keep nothing of what is no audio', async () => {
    const { key } = await steno.person();
    const url = await create(key, { 'upload-length': '5' });
    expect((await append(key, url, 0, Buffer.from('hello'))).status).toBe(400);
    expect((await call(key, 'HEAD', url)).status).toBe(404);
    const sounds = () =>
      readdirSync(join(steno.config.dataDir, 'recordings')).filter((name) => name.includes(idOf(url)));
    await expect.poll(sounds).toEqual([]);
  });

  test('whose last bytes are being looked at are not finished by the tidying beside them', async () => {
    const { key } = await steno.person();
    const url = await create(key);
    const { identify } = speech.decoder;
    const looking = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    speech.decoder.identify = async (...given) => {
      speech.decoder.identify = identify;
      looking.resolve();
      await goOn.promise;
      return identify(...given);
    };
    const last = append(key, url, 0, file);
    await looking.promise;
    await steno.uploads.tidy();
    goOn.resolve();
    expect((await last).status).toBe(204);
    expect((await settled(steno, key, idOf(url))).state).toBe('done');
  });

  test('are given up by their owner, and expire after a week', async () => {
    const { key } = await steno.person();
    const eve = await steno.person();
    const url = await create(key);
    await append(key, url, 0, file.subarray(0, 250));
    for (const method of ['HEAD', 'DELETE']) expect((await call(eve.key, method, url)).status).toBe(404);
    expect((await append(eve.key, url, 250, file.subarray(250))).status).toBe(404);
    expect((await call(key, 'DELETE', url)).status).toBe(204);
    expect((await call(key, 'HEAD', url)).status).toBe(404);
    const old = await create(key);
    now += 7 * 86_400_000 + 1;
    const young = await create(key);
    await steno.uploads.tidy();
    expect((await call(key, 'HEAD', old)).status).toBe(404);
    expect((await call(key, 'HEAD', young)).status).toBe(200);
  });

  test.each([
    ['no length', {}],
    ['two lengths', { 'upload-length': '5', 'upload-defer-length': '1' }],
    ['a length that is none', { 'upload-length': '-5' }],
    ['metadata that is not Base64', { 'upload-length': '5', 'upload-metadata': 'name !' }],
    ['a language that nobody knows', { 'upload-length': '5', 'upload-metadata': 'language dGxo' }],
  ])('refuse %s', async (_, headers) => {
    const { key } = await steno.person();
    expect((await call(key, 'POST', '', headers)).status).toBe(400);
    expect((await steno.call('GET', '/recordings', { key })).body.data).toEqual([]);
  });

  test('answer another version with 412 and the one that they speak, and another type with 415', async () => {
    const { key } = await steno.person();
    const other = await call(key, 'POST', '', { 'tus-resumable': '0.2.2', 'upload-length': '5' });
    expect([other.status, other.headers['tus-version']]).toEqual([412, '1.0.0']);
    const { headers } = await call(key, 'POST', '', { 'upload-length': '5' });
    const path = `/${String(headers.location).split('/').at(-1)}`;
    const type = { 'upload-offset': '0', 'content-type': 'application/octet-stream' };
    expect((await call(key, 'PATCH', path, type)).status).toBe(415);
    expect((await call(key, 'HEAD', path)).headers['upload-offset']).toBe('0');
  });

  test('announce the protocol to browsers', async () => {
    const { status, headers } = await call('', 'OPTIONS', '', { origin: 'https://example.org' });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': expect.stringContaining('creation-defer-length'),
      'access-control-expose-headers': expect.stringContaining('Upload-Offset'),
    });
  });
});
