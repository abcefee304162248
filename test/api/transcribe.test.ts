import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { maxUploadBytes } from '../../src/domain/audio.ts';
import { operator } from '../../src/domain/principal.ts';
import { maxPromptLength } from '../../src/domain/transcription.ts';
import { encodeForm } from '../support/form.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const hourMs = 3_600_000;
const tenHours = { ms: 10 * hourMs };

describe.each(anyDatabase)('POST /transcribe on %s', (databaseKind) => {
  let steno: TestSteno;
  let now: number;
  let address: string;
  const speech = createFakeSpeech();
  beforeAll(async () => {
    now = Date.parse('2026-10-15T12:00:00.000Z');
    steno = await startSteno({ databaseKind, clock: () => now, speech });
    address = await steno.app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => {
    speech.mend();
    // A new minute, so that no test meets the rate limit of another.
    now += 60_000;
  });
  afterAll(async () => {
    // One that sent too much is not idle before it ends, 70 seconds later.
    steno.app.server.closeAllConnections();
    await steno.close();
  });

  const usage = async (key: string) => (await steno.call('GET', '/usage', { key })).body.data;
  const secondKey = async (userId: string) =>
    (
      await steno.keys.issue(operator, personalKeysOf(userId), {
        name: 'second',
        scopes: ['transcriptions:write'],
      })
    ).key;

  test('a recording comes back as words, and the record says the same', async () => {
    const { key, user } = await steno.person();
    const answer = await steno.upload(key, { file: recording({ ms: 2_500, words: 3 }) });
    expect(answer.status).toBe(200);
    const { id } = answer.body.data;
    expect(answer.body.data).toEqual({
      id,
      text: 'word1 word2 word3',
      language: 'en',
      reason: null,
      duration_ms: 2_500,
      words: 3,
      provider: 'fake',
      model: 'fake',
      beta: true,
    });
    const record = (await steno.call('GET', `/transcriptions/${id}`, { key })).body.data;
    expect(record).toMatchObject({
      id,
      user_id: user.id,
      note_id: null,
      status: 'completed',
      source: 'cloud',
      text: 'word1 word2 word3',
      word_count: 3,
      audio_duration_ms: 2_500,
      language: 'en',
    });
    expect(record.segments).toHaveLength(1);
    expect(record.segments[0].words[0]).toEqual({ word: 'word1', start: 0, end: 0.4, score: null });
  });

  test('/readyz tells where the speech engine is', async () => {
    const { statusCode, body } = await steno.app.inject('/readyz');
    expect([statusCode, JSON.parse(body).speech]).toEqual([200, 'ready']);
  });

  test('silence is a success without words', async () => {
    const { key } = await steno.person();
    const { status, body } = await steno.upload(key, { file: recording({ ms: 4_000, words: 0 }) });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ text: '', words: 0, duration_ms: 4_000 });
  });

  test('fields may stand before or after the file, and what is unknown is ignored', async () => {
    const { key } = await steno.person();
    const file = recording();
    const forms = [
      { language: 'en-US', prompt: 'Ångström, ComfyUI', file },
      { file, language: 'en-US', prompt: 'Ångström, ComfyUI' },
      {
        temperature: '0',
        file,
        other: Buffer.alloc(100_000),
        language: 'en-US',
        prompt: 'Ångström, ComfyUI',
      },
    ];
    for (const form of forms) {
      expect((await steno.upload(key, form)).status).toBe(200);
      expect(speech.seen.at(-1)).toMatchObject({ language: 'en-US', prompt: 'Ångström, ComfyUI' });
    }
    expect((await steno.upload(key, { language: '', prompt: ' ', speakers: '', file })).status).toBe(200);
    expect((await steno.upload(key, { language: 'auto', file })).status).toBe(200);
    expect(speech.seen.at(-1)).toMatchObject({
      language: undefined,
      prompt: undefined,
      speakers: undefined,
    });
    expect((await steno.upload(key, { speakers: '2', file })).status).toBe(200);
    expect(speech.seen.at(-1)?.speakers).toBe(2);
    expect(speech.seen.every(({ language }) => language !== 'auto')).toBe(true);
  });

  test("the person's dictionary goes along, what was heard last first", async () => {
    const { key } = await steno.person();
    const add = (word: string) => steno.call('POST', '/dictionary/create', { key, body: { word } });
    for (const word of ['Wolfram', 'Ångström', 'Kysely']) {
      now += 1_000;
      await add(word);
    }
    await steno.upload(key);
    expect(speech.seen.at(-1)?.dictionary).toEqual(['Kysely', 'Ångström', 'Wolfram']);
    now += 1_000;
    speech.say('We asked wolfram, twice.');
    await steno.upload(key);
    speech.say();
    await steno.upload(key);
    expect(speech.seen.at(-1)?.dictionary).toEqual(['Wolfram', 'Kysely', 'Ångström']);
  });

  test.each(['x', '👋'])('a prompt of 2,000 characters %s reaches the engine whole', async (character) => {
    const { key } = await steno.person();
    const prompt = character.repeat(2_000);
    expect((await steno.upload(key, { file: recording(), prompt })).status).toBe(200);
    expect(speech.seen.at(-1)?.prompt).toBe(prompt);
  });

  test.each([
    ['no file', { language: 'en' }, 'file'],
    ['two files', { file: [recording(), recording()] }, 'file'],
    ['an empty file', { file: Buffer.alloc(0) }, 'not audio'],
    ['a file that is no audio', { file: Buffer.from('%PDF-1.7') }, 'not audio'],
    ['a language the engine cannot do', { file: recording(), language: 'tlh' }, 'tlh'],
    ['a language that is none', { file: recording(), language: 'en; drop' }, 'language'],
    ['two languages', { file: recording(), language: ['en', 'en'] }, 'language'],
    ['no speakers', { file: recording(), speakers: '0' }, 'speakers'],
    ['too many speakers', { file: recording(), speakers: '21' }, 'from 1 to 20'],
    ['speakers in words', { file: recording(), speakers: 'two' }, 'speakers'],
    ['a prompt too long', { file: recording(), prompt: 'x'.repeat(maxPromptLength + 1) }, 'prompt'],
    ['a prompt too long by one emoji', { file: recording(), prompt: '👋'.repeat(2_001) }, '2000 characters'],
    ['a prompt with U+0000', { prompt: 'a\0b', file: recording() }, 'prompt'],
  ])('%s is 400, costs nothing and leaves the key free', async (_, form, named) => {
    const { key } = await steno.person();
    const { status, body } = await steno.upload(key, form);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect(body.error.message).toContain(named);
    expect((await usage(key)).audio_ms_used).toBe(0);
    expect((await steno.upload(key)).status).toBe(200);
  });

  test.each([
    ['JSON', 'application/json', '{"file":"x"}'],
    ['no type', 'text/plain', 'x'],
    ['a form without a boundary', 'multipart/form-data', 'x'],
    [
      'a form cut short',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"',
    ],
    ['an empty form', 'multipart/form-data; boundary=b', ''],
  ])('%s instead of a form is 400', async (_, type, body) => {
    const { key } = await steno.person();
    const answer = await steno.call('POST', '/transcribe', { key, body, headers: { 'content-type': type } });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect((await steno.upload(key)).status).toBe(200);
  });

  test('a file of 4 MiB passes, one byte more is 413', async () => {
    const { key } = await steno.person();
    for (const bytes of [4_000_000, maxUploadBytes])
      expect((await steno.upload(key, { file: recording({ bytes }), prompt: 'a' })).status).toBe(200);
    const tooLarge = await steno.upload(key, { file: recording({ bytes: maxUploadBytes + 1 }) });
    expect([tooLarge.status, tooLarge.body.error.code]).toEqual([413, 'payload_too_large']);
    const padding = Buffer.alloc(6 * 1_048_576);
    expect((await steno.upload(key, { padding, file: recording() })).status).toBe(413);
    expect((await usage(key)).audio_ms_used).toBe(2_000);
    expect((await steno.upload(key)).status).toBe(200);
  });

  test('413 is answered before the rest has arrived, and a client that writes on still reads it', async () => {
    const { key } = await steno.person();
    const { payload, headers } = encodeForm({ file: recording({ bytes: maxUploadBytes + 1_000_000 }) });
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.write(
      `POST /api/v1/transcribe HTTP/1.1\r\nHost: steno\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: ${headers['content-type']}\r\nContent-Length: ${payload.length}\r\n\r\n`,
    );
    socket.write(payload.subarray(0, maxUploadBytes + 1_000));
    const [head] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    expect(String(head)).toContain('HTTP/1.1 413');
    socket.destroy();
    const answer = await fetch(`${address}/api/v1/transcribe`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: payload,
    });
    expect(answer.status).toBe(413);
  });

  test('a form of unknown length is read like any other, up to 4 MiB', async () => {
    const { key } = await steno.person();
    const send = async (bytes: number) => {
      const { payload, headers } = encodeForm({ file: recording({ bytes }), prompt: 'a' });
      const answer = await fetch(`${address}/api/v1/transcribe`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${key}` },
        // A stream is sent in chunks, without Content-Length.
        body: new Blob([payload]).stream(),
        duplex: 'half',
      });
      return answer.status;
    };
    expect(await send(100_000)).toBe(200);
    expect(await send(maxUploadBytes)).toBe(200);
    expect(await send(maxUploadBytes + 1)).toBe(413);
    expect((await usage(key)).audio_ms_used).toBe(2_000);
  });

  test('the first failure of the contract wins', async () => {
    const { key } = await steno.person();
    const release = speech.hold();
    const running = steno.upload(key);
    await speech.reached(speech.seen.length + 1);
    const tooLarge = { file: recording({ bytes: maxUploadBytes + 1 }) };
    expect((await steno.upload('owk_live_nobody', tooLarge)).body.error.code).toBe('invalid_api_key');
    const { key: workspaceKey } = await steno.team();
    expect((await steno.upload(workspaceKey, tooLarge)).body.error.code).toBe('forbidden');
    const { key: reader } = await steno.person({ scopes: ['transcriptions:read'] });
    const refused = (await steno.upload(reader, tooLarge)).body.error;
    expect([refused.code, refused.message]).toEqual([
      'forbidden',
      expect.stringContaining('transcriptions:write'),
    ]);
    const free = await steno.person({ plan: 'free' });
    expect((await steno.upload(free.key, tooLarge)).body.error.code).toBe('plan_required');
    const managed = await steno.person();
    const workspace = await steno.workspaces.create(
      { userId: managed.user.id },
      { name: 'Org', plan: 'business' },
    );
    await steno.members.update(operator, workspace.id, managed.user.id, { managed: true });
    await steno.policies.update(operator, workspace.id, { block_cloud_transcription: true });
    await steno.pause.begin(10);
    const blocked = (await steno.upload(managed.key, tooLarge)).body.error;
    expect([blocked.code, blocked.message]).toEqual([
      'forbidden',
      expect.stringContaining('cloud transcription'),
    ]);
    const paused = await steno.upload(key, tooLarge);
    expect([paused.status, paused.body.error.code]).toEqual([503, 'service_unavailable']);
    expect(Number(paused.headers['retry-after'])).toBe(600);
    await steno.pause.end();
    expect((await steno.upload(key, tooLarge)).body.error.code).toBe('concurrency_limit');
    release();
    expect((await running).status).toBe(200);
    expect((await steno.upload(key, tooLarge)).body.error.code).toBe('payload_too_large');
    // Ten hours are the whole month: a bad file is refused for itself, a good one for the quota.
    const full = await steno.person();
    expect((await steno.upload(full.key, { file: recording(tenHours) })).status).toBe(200);
    expect((await steno.upload(full.key, { file: Buffer.from('no') })).body.error.code).toBe(
      'validation_error',
    );
    expect((await steno.upload(full.key)).body.error.code).toBe('quota_exceeded');
  });

  test('each call counts as five requests, and the 25th of a minute is 429 before anything else', async () => {
    const { key } = await steno.person({ plan: 'pro' });
    for (let call = 0; call < 24; call += 1) await steno.upload(key, { file: Buffer.from('no') });
    const { status, body, headers } = await steno.upload(key);
    expect([status, body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  test('one transcription at a time per key; another key of the same person runs beside it', async () => {
    const { key, user } = await steno.person();
    const other = await secondKey(user.id);
    const asked = speech.seen.length;
    const release = speech.hold();
    const answers = [steno.upload(key), steno.upload(key), steno.upload(key), steno.upload(other)];
    await speech.reached(asked + 2);
    let ended = 0;
    for (const answer of answers) void answer.then(() => ended++);
    // A call that is still on its way would find the key free again.
    await expect.poll(() => ended).toBe(2);
    const refused = await steno.upload(key);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'concurrency_limit']);
    release();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 409, 409]);
    expect(speech.seen.length - asked).toBe(2);
    expect((await steno.upload(key)).status).toBe(200);
  });

  test('several keys of one person cannot overrun the quota together', async () => {
    const { key, user } = await steno.person();
    const other = await secondKey(user.id);
    const sixHours = { file: recording({ ms: 6 * hourMs }) };
    const asked = speech.seen.length;
    const release = speech.hold();
    const first = steno.upload(key, sixHours);
    await speech.reached(asked + 1);
    const second = await steno.upload(other, sixHours);
    expect([second.status, second.body.error.code]).toEqual([429, 'quota_exceeded']);
    expect((await usage(key)).audio_ms_used).toBe(0);
    release();
    expect((await first).status).toBe(200);
    expect((await usage(key)).audio_ms_used).toBe(6 * hourMs);
    expect((await steno.upload(other, { file: recording({ ms: 4 * hourMs }) })).status).toBe(200);
    expect((await steno.upload(other, { file: recording({ ms: 1 }) })).status).toBe(429);
  });

  test('the quota names its reset, and opens again at midnight of the first', async () => {
    const before = now;
    const { key } = await steno.person();
    now = Date.parse('2026-10-31T23:59:59.000Z');
    const asked = speech.seen.length;
    const release = speech.hold();
    const running = steno.upload(key, { file: recording(tenHours) });
    await speech.reached(asked + 1);
    now = Date.parse('2026-11-01T00:00:01.000Z');
    release();
    // Begun in October, it is October that pays.
    expect((await running).status).toBe(200);
    expect(await usage(key)).toMatchObject({ audio_ms_used: 0, audio_resets_at: '2026-12-01T00:00:00.000Z' });
    expect((await steno.upload(key, { file: recording(tenHours) })).status).toBe(200);
    now = Date.parse('2026-11-30T23:59:59.999Z');
    const { status, body } = await steno.upload(key);
    expect(status).toBe(429);
    expect(body.error.message).toContain('1 December 2026');
    expect(body.error.message).toContain('2026-12-01T00:00:00.000Z');
    now += 1;
    expect((await steno.upload(key)).status).toBe(200);
    now = before;
  });

  test('an engine that fails costs nothing and says when to come back', async () => {
    const { key } = await steno.person();
    speech.breakDown(7);
    const { status, body, headers } = await steno.upload(key);
    expect([status, body.error.code, headers['retry-after']]).toEqual([503, 'service_unavailable', '7']);
    speech.mend();
    expect((await usage(key)).audio_ms_used).toBe(0);
    expect((await steno.call('GET', '/transcriptions/list', { key })).body.data).toEqual([]);
    expect((await steno.upload(key)).status).toBe(200);
  });

  test('a client that goes away stops the work, pays nothing and frees its key', async () => {
    const { key } = await steno.person();
    const { payload, headers } = encodeForm({ file: recording() });
    const asked = speech.seen.length;
    const release = speech.hold();
    const client = new AbortController();
    const gone = fetch(`${address}/api/v1/transcribe`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: payload,
      signal: client.signal,
    });
    await speech.reached(asked + 1);
    client.abort();
    await expect(gone).rejects.toThrow();
    const signal = speech.seen.at(-1)?.signal;
    if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    await Promise.allSettled(steno.speech.underWay);
    release();
    expect((await steno.upload(key)).status).toBe(200);
    expect((await usage(key)).audio_ms_used).toBe(1_000);
  });

  test('a client that closes its side while it waits is gone', async () => {
    const { key } = await steno.person();
    const { payload, headers } = encodeForm({ file: recording() });
    const asked = speech.seen.length;
    const release = speech.hold();
    const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.write(
      `POST /api/v1/transcribe HTTP/1.1\r\nHost: steno\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: ${headers['content-type']}\r\nContent-Length: ${payload.length}\r\n\r\n`,
    );
    socket.write(payload);
    await speech.reached(asked + 1);
    socket.end();
    const signal = speech.seen.at(-1)?.signal;
    if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    release();
    await Promise.allSettled(steno.speech.underWay);
    socket.destroy();
    expect((await usage(key)).audio_ms_used).toBe(0);
    expect((await steno.upload(key)).status).toBe(200);
  });

  test('a client that goes away in the middle of its upload frees its key', async () => {
    const { key, user } = await steno.person();
    const { payload, headers } = encodeForm({ file: recording({ bytes: 100_000 }) });
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.write(
      `POST /api/v1/transcribe HTTP/1.1\r\nHost: steno\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: ${headers['content-type']}\r\nContent-Length: ${payload.length}\r\n\r\n`,
    );
    socket.write(payload.subarray(0, 50_000));
    const leases = () =>
      steno.database.db
        .selectFrom('transcription_leases')
        .where('user_id', '=', user.id)
        .select('id')
        .execute();
    while ((await leases()).length === 0) await nextTurn();
    expect((await steno.upload(key)).status).toBe(409);
    socket.destroy();
    while ((await leases()).length > 0) await nextTurn();
    expect((await steno.upload(key)).status).toBe(200);
  });

  test('a lease that was not renewed is taken over, and only one of the two is charged', async () => {
    // Nothing renews it.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { key } = await steno.person();
    const asked = speech.seen.length;
    const release = speech.hold();
    const stalled = steno.upload(key, { file: recording({ ms: 60_000 }) });
    await speech.reached(asked + 1);
    now += 19_999;
    expect((await steno.upload(key)).status).toBe(409);
    now += 1;
    const next = steno.upload(key, { file: recording({ ms: 5_000 }) });
    await speech.reached(asked + 2);
    release();
    const [lost, won] = await Promise.all([stalled, next]);
    expect([lost.status, lost.body.error.code]).toEqual([503, 'service_unavailable']);
    expect(won.status).toBe(200);
    expect((await usage(key)).audio_ms_used).toBe(5_000);
    expect((await steno.call('GET', '/transcriptions/list', { key })).body.data).toHaveLength(1);
  });
});

test('nothing of a recording is left in the data folder or the folder for temporary files', async () => {
  const marker = `recorded-${randomUUID()}`;
  const steno = await startSteno({ databaseKind: 'sqlite' });
  const { key } = await steno.person();
  const file = Buffer.concat([recording(), Buffer.from(marker.repeat(1_000))]);
  const before = new Set(readdirSync(tmpdir()));
  expect((await steno.upload(key, { file })).status).toBe(200);
  expect((await steno.upload(key, { file: Buffer.from(marker) })).status).toBe(400);
  const { dataDir } = steno.config;
  const kept = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.some((bytes) => bytes.includes(marker))).toBe(false);
  const files = readdirSync(tmpdir(), { withFileTypes: true }).filter((entry) => entry.isFile());
  const added = files.map(({ name }) => join(tmpdir(), name)).filter((path) => !before.has(basename(path)));
  const has = (path: string) => {
    try {
      return readFileSync(path).includes(marker);
    } catch {
      // Another test's, and gone by now.
      return false;
    }
  };
  expect(added.some(has)).toBe(false);
  await steno.close();
});
