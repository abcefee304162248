import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxOpenAiUploadBytes } from '../../src/domain/audio.ts';
import { stoppedClock } from '../support/clock.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const sentences = ['Ask not what your country can do.', 'Ask what you can do.'];
const text = sentences.join(' ');

async function all<Item>(events: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const event of events) items.push(event);
  return items;
}

// Lease, minutes and limits are those of POST /transcribe, whose test runs on both databases.
describe('the official client of OpenAI', () => {
  const speech = createFakeSpeech();
  let steno: TestSteno;
  let address: string;
  /** Holds the engine after the first chunk. */
  let afterFirstWords = async (_signal?: AbortSignal) => {};
  const start = () =>
    startSteno({
      // Requests are counted by the minute, which must not end between two of them.
      clock: stoppedClock(Date.now()),
      speech: {
        ...speech,
        transcriber: {
          ...speech.transcriber,
          async transcribeChunk(request) {
            if (request.chunk.start > 0) await afterFirstWords(request.signal);
            return speech.transcriber.transcribeChunk(request);
          },
        },
      },
    });

  beforeAll(async () => {
    steno = await start();
    address = await steno.app.listen({ host: '127.0.0.1', port: 0 });
    speech.say(...sentences);
  });
  afterAll(() => steno.close());

  const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${address}/v1`, maxRetries: 0 });
  async function client() {
    const { key, user } = await steno.person();
    return { key, user, openai: clientOf(key) };
  }
  const file = (bytes: Uint8Array = recording({ ms: 15_500 })) => new File([new Uint8Array(bytes)], 'a.wav');
  const model = 'whisper-1';
  const history = async (key: string) =>
    (await steno.call('GET', '/transcriptions/list?include=segments', { key })).body.data;
  const minutes = async (key: string) => (await steno.call('GET', '/usage', { key })).body.data.audio_ms_used;

  test('gets JSON, which is also in the history and counts', async () => {
    const { openai, key } = await client();
    const answer = await openai.audio.transcriptions.create({ model, file: file() });
    expect(answer).toEqual({ text, usage: { type: 'duration', seconds: 16 } });
    expect(await history(key)).toMatchObject([{ text, audio_duration_ms: 15_500, model: 'fake' }]);
    expect(await minutes(key)).toBe(15_500);
  });

  test('that sends an Idempotency-Key twice is answered once more, in every form, and pays once', async () => {
    const { openai, key } = await client();
    const forms = [{}, { response_format: 'text' }, { response_format: 'srt' }, { stream: true }] as const;
    for (const [at, wanted] of forms.entries()) {
      const send = (bytes?: Uint8Array) =>
        openai.audio.transcriptions
          .create({ model, file: file(bytes), ...wanted }, { headers: { 'Idempotency-Key': `one ${at}` } })
          .asResponse();
      const [first, second] = [await send(), await send()];
      expect(await second.text()).toBe(await first.text());
      expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect(first.headers.get('idempotency-replayed')).toBe(null);
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      await expect(send(recording({ ms: 2_000 }))).rejects.toThrow('another request');
    }
    expect(await history(key)).toHaveLength(4);
    expect(await minutes(key)).toBe(4 * 15_500);
    const events = await openai.audio.transcriptions.create(
      { model, file: file(), stream: true },
      { headers: { 'Idempotency-Key': 'one 3' } },
    );
    expect((await all(events)).at(-1)).toMatchObject({ type: 'transcript.text.done', text });
  });

  test('gets text and subtitles as the history has them', async () => {
    const { openai, key } = await client();
    const create = (response_format: 'text' | 'srt' | 'vtt') =>
      openai.audio.transcriptions.create({ model, file: file(), response_format });
    expect(await create('text')).toBe(`${text}\n`);
    const [srt, vtt] = [await create('srt'), await create('vtt')];
    const [{ id }] = await history(key);
    for (const [got, format] of [
      [srt, 'srt'],
      [vtt, 'vtt'],
    ])
      expect(got).toBe((await steno.call('GET', `/transcriptions/${id}?format=${format}`, { key })).text);
    expect(srt).toMatch(/^1\n00:00:00,000 --> /);
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.000 --> /);
  });

  test('gets segments, words or both with their times', async () => {
    const { openai } = await client();
    const verbose = { model, file: file(), response_format: 'verbose_json' } as const;
    const plain = await openai.audio.transcriptions.create(verbose);
    expect(plain).toMatchObject({ task: 'transcribe', language: 'english', duration: 15.5, text });
    expect(plain.segments).toMatchObject([
      { id: 0, start: 0, text: ` ${sentences[0]}`, tokens: [], avg_logprob: 0 },
      { id: 1, start: 10, text: ` ${sentences[1]}` },
    ]);
    expect(plain).not.toHaveProperty('words');
    const words = await openai.audio.transcriptions.create({ ...verbose, timestamp_granularities: ['word'] });
    expect(words.words?.map(({ word }) => word).join(' ')).toBe(text);
    expect(words.words?.[7]).toMatchObject({ word: 'Ask', start: 10, end: 10.4 });
    expect(words).not.toHaveProperty('segments');
    const both = await openai.audio.transcriptions.create({
      ...verbose,
      timestamp_granularities: ['word', 'segment'],
    });
    expect([both.words?.length, both.segments?.length]).toEqual([12, 2]);
  });

  test('says the language, names and a temperature; of a long prompt the end counts', async () => {
    const { openai } = await client();
    const given = { model: 'any-name', file: file(), language: 'en', temperature: 0.2 };
    await openai.audio.transcriptions.create({ ...given, prompt: `${'x'.repeat(5_000)}, ComfyUI` });
    const { language, prompt = '' } = speech.seen.at(-1) ?? {};
    expect([language, prompt.length, prompt.slice(-9)]).toEqual(['en', 2_000, ', ComfyUI']);
  });

  test('gets the text while it is recognised, and all of it at the end', async () => {
    const { openai, key } = await client();
    const { promise, resolve } = Promise.withResolvers<void>();
    afterFirstWords = () => promise;
    const events = await openai.audio.transcriptions.create({ model, file: file(), stream: true });
    const seen: object[] = [];
    for await (const event of events) {
      seen.push(event);
      // The engine goes on only when the first words are here.
      if (event.type === 'transcript.text.delta') resolve();
    }
    afterFirstWords = async () => {};
    expect(seen).toEqual([
      { type: 'transcript.text.delta', delta: sentences[0] },
      { type: 'transcript.text.delta', delta: ` ${sentences[1]}` },
      { type: 'transcript.text.done', text },
    ]);
    expect(await history(key)).toMatchObject([{ text }]);
  });

  test('that leaves in the middle of a stream finds the whole text in the history, and pays for it', async () => {
    const { openai, key } = await client();
    const { promise, resolve } = Promise.withResolvers<void>();
    afterFirstWords = () => promise;
    const noticed = new Promise((notice) =>
      steno.app.server.once('request', ({ socket }) => socket.once('end', notice).once('close', notice)),
    );
    const events = await openai.audio.transcriptions.create({ model, file: file(), stream: true });
    for await (const _ of events) break;
    events.controller.abort();
    const asked = speech.seen.at(-1);
    await noticed;
    resolve();
    await Promise.allSettled(steno.speech.underWay);
    afterFirstWords = async () => {};
    expect(asked?.signal?.aborted).toBe(false);
    expect(await history(key)).toMatchObject([{ text }]);
    expect(await minutes(key)).toBe(15_500);
  });

  test('that has left does not keep the server from stopping', async () => {
    const other = await start();
    const baseURL = `${await other.app.listen({ host: '127.0.0.1', port: 0 })}/v1`;
    const openai = new OpenAI({ apiKey: (await other.person()).key, baseURL });
    afterFirstWords = (signal) => new Promise((_, reject) => signal?.addEventListener('abort', reject));
    const events = await openai.audio.transcriptions.create({ model, file: file(), stream: true });
    for await (const _ of events) break;
    events.controller.abort();
    await other.close();
    afterFirstWords = async () => {};
  });

  test('reads of an engine that fails in the middle of a stream', async () => {
    const { openai, key } = await client();
    afterFirstWords = async () => {
      throw new Error('secret inside');
    };
    const events = await openai.audio.transcriptions.create({ model, file: file(), stream: true });
    const failed = await all(events).catch((error: unknown) => error);
    afterFirstWords = async () => {};
    expect(failed).toBeInstanceOf(APIError);
    expect(failed).toMatchObject({ code: 'internal_error', type: 'server_error' });
    expect(String(failed)).not.toContain('secret');
    expect(await minutes(key)).toBe(0);
    expect((await openai.audio.transcriptions.create({ model, file: file() })).text).toBe(text);
  });

  test('hears nothing in a recording in which nobody speaks', async () => {
    const { openai } = await client();
    speech.say('');
    const create = (response_format: 'json' | 'text' | 'srt' | 'vtt' | 'verbose_json') =>
      openai.audio.transcriptions.create({ model, file: file(), response_format });
    expect(await create('json')).toMatchObject({ text: '' });
    expect(await create('text')).toBe('\n');
    expect(await create('srt')).toBe('');
    expect(await create('vtt')).toBe('WEBVTT\n');
    expect(await create('verbose_json')).toMatchObject({ text: '', segments: [] });
    const events = await openai.audio.transcriptions.create({ model, file: file(), stream: true });
    expect(await all(events)).toEqual([{ type: 'transcript.text.done', text: '' }]);
    speech.say(...sentences);
  });

  test('lists the model and gets it', async () => {
    const { openai } = await client();
    const fake = { id: 'fake', object: 'model', created: 0, owned_by: 'steno' };
    expect((await openai.models.list()).data).toEqual([fake]);
    expect(await openai.models.retrieve('fake')).toEqual(fake);
    expect(await openai.models.retrieve('Systran/whisper').catch(shown)).toEqual({
      status: 404,
      code: 'not_found',
      type: 'invalid_request_error',
      param: null,
    });
  });

  const shown = (error: unknown) => {
    if (!(error instanceof APIError)) throw error;
    const { status, code, type, param } = error;
    return { status, code, type, param };
  };
  /** What the client tells of the first error. */
  const failureOf = (openai: OpenAI, given: object) =>
    openai.audio.transcriptions.create({ model, file: file(), ...given }).then(() => 'no error', shown);
  const refused = (
    status: number,
    code: string,
    type = 'invalid_request_error',
    param: string | null = null,
  ) => ({
    status,
    code,
    type,
    param,
  });

  test('is told what is wrong with its key', async () => {
    const badKey = refused(401, 'invalid_api_key');
    expect(await failureOf(clientOf('owk_live_nobody'), {})).toEqual(badKey);
    expect(await clientOf('sk-proj-1').models.list().catch(shown)).toEqual(badKey);
    const reader = await steno.person({ scopes: ['transcriptions:read'] });
    expect(await failureOf(clientOf(reader.key), {})).toEqual(refused(403, 'forbidden'));
    const free = await steno.person({ plan: 'free' });
    expect(await failureOf(clientOf(free.key), {})).toEqual(refused(403, 'plan_required'));
  });

  test('is told what is wrong with its form, and pays nothing', async () => {
    const { openai, key } = await client();
    const wrong = (param: string) => refused(400, 'validation_error', 'invalid_request_error', param);
    const cases: [object, string][] = [
      [{ file: file(Buffer.from('%PDF-1.7')) }, 'file'],
      [{ file: file(Buffer.from('%PDF-1.7')), stream: true }, 'file'],
      [{ file: file(Buffer.alloc(0)) }, 'file'],
      [{ file: undefined }, 'file'],
      [{ language: 'tlh' }, 'language'],
      [{ language: 'en; drop' }, 'language'],
      [{ response_format: 'diarized_json' }, 'response_format'],
      [{ timestamp_granularities: ['word'] }, 'timestamp_granularities'],
      [{ response_format: 'srt', stream: true }, 'stream'],
      [{ temperature: 2 }, 'temperature'],
      [{ prompt: 'a\0b' }, 'prompt'],
    ];
    for (const [given, param] of cases)
      expect([given, await failureOf(openai, given)]).toEqual([given, wrong(param)]);
    expect(await minutes(key)).toBe(0);
  });

  test('may send 25 MiB and not a byte more', async () => {
    const { openai } = await client();
    const sized = (bytes: number) => file(recording({ bytes }));
    const { text: heard } = await openai.audio.transcriptions.create({
      model,
      file: sized(maxOpenAiUploadBytes),
    });
    expect(heard).toBe(text);
    expect(await failureOf(openai, { file: sized(maxOpenAiUploadBytes + 1) })).toEqual(
      refused(413, 'payload_too_large', 'invalid_request_error'),
    );
  });

  test('shares its minutes, its one recording at a time and its limits with POST /transcribe', async () => {
    const { openai, key } = await client();
    const asked = speech.seen.length;
    const release = speech.hold();
    const running = steno.upload(key);
    await speech.reached(asked + 1);
    expect(await failureOf(openai, {})).toEqual(refused(409, 'concurrency_limit'));
    release();
    const { headers } = await running;
    const { response } = await openai.audio.transcriptions.create({ model, file: file() }).withResponse();
    const left = (value: unknown) => Number(value);
    expect(left(response.headers.get('x-ratelimit-remaining'))).toBe(
      left(headers['x-ratelimit-remaining']) - 10,
    );
    await steno.upload(key, { file: recording({ ms: 10 * 3_600_000 - 16_500 }) });
    const full = await failureOf(openai, {});
    expect(full).toEqual(refused(429, 'quota_exceeded', 'insufficient_quota'));
  });

  test('does not try again next month', async () => {
    const { key } = await client();
    const eager = new OpenAI({ apiKey: key, baseURL: `${address}/v1`, maxRetries: 5 });
    await steno.upload(key, { file: recording({ ms: 10 * 3_600_000 }) });
    const before = speech.seen.length;
    expect(await failureOf(eager, {})).toMatchObject({ code: 'quota_exceeded' });
    expect(speech.seen.length).toBe(before);
  });

  test('is told in its own way what is not there', async () => {
    const { openai } = await client();
    const embedding = openai.embeddings.create({ model, input: 'Hi' });
    expect(await embedding.then(() => 'no error', shown)).toEqual(refused(404, 'not_found'));
    const { status, body } = await steno.call('DELETE', '/v1/models');
    expect([status, body.error]).toEqual([
      405,
      { message: expect.any(String), type: 'invalid_request_error', param: null, code: 'method_not_allowed' },
    ]);
  });
});
