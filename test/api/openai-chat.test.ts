import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personalScopes } from '../../src/domain/scopes.ts';
import { tokensOf } from '../../src/features/language/queries.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describe('the official client of OpenAI, for text', () => {
  let fake: Awaited<ReturnType<typeof startFakeModel>>;
  let steno: TestSteno;
  let address: string;
  const language = () => ({ url: fake.url, key: '', model: 'small', window: 0 });

  beforeAll(async () => {
    fake = await startFakeModel();
    fake.answerWith(({ messages }) => `You said: ${messages.at(-1)?.content}`);
    steno = await startSteno({ config: { language: language() } });
    address = await steno.app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await steno.close();
    await fake.close();
  });

  const clientOf = (apiKey: string, at = address) =>
    new OpenAI({ apiKey, baseURL: `${at}/v1`, maxRetries: 0 });
  const chosen = async () => (await steno.person({ scopes: ['llm:use'] })).key;
  const asked = {
    model: 'gpt-5',
    messages: [
      { role: 'system' as const, content: 'Be kind.' },
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'hello there' }] },
    ],
  };
  const faultOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (fault: unknown) => (fault instanceof APIError ? { status: fault.status, type: fault.type } : fault),
    );

  test('gets an answer with tokens, and the model sees the messages', async () => {
    const { user, key } = await steno.person({ scopes: ['llm:use'] });
    const answer = await clientOf(key).chat.completions.create(asked);
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'small',
      choices: [{ message: { role: 'assistant', content: 'You said: hello there' }, finish_reason: 'stop' }],
      usage: { completion_tokens: expect.any(Number) },
    });
    expect(fake.requests.at(-1)?.messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'hello there' },
    ]);
    const period = { from: '2000-01-01T00:00:00.000Z', until: '2999-01-01T00:00:00.000Z' };
    expect(await tokensOf(steno.database.db, user.id, period)).toBe(answer.usage?.total_tokens);
  });

  test('gets the answer in parts, with its tokens at the end', async () => {
    const stream = await clientOf(await chosen()).chat.completions.create({
      ...asked,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let last: unknown;
    let parts = 0;
    for await (const { choices, usage } of stream) {
      text += choices[0]?.delta.content ?? '';
      parts += 1;
      last = usage;
    }
    expect(text).toBe('You said: hello there');
    expect(parts).toBeGreaterThan(4);
    expect(last).toMatchObject({ total_tokens: expect.any(Number) });
  });

  test('gives the rules of both kinds to the model first, wherever they stand', async () => {
    await clientOf(await chosen()).chat.completions.create({
      model: 'gpt-5',
      messages: [
        { role: 'user', content: 'one' },
        { role: 'developer', content: 'Be short.' },
        { role: 'assistant', content: 'two' },
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'three' },
      ],
    });
    expect(fake.requests.at(-1)?.messages).toEqual([
      { role: 'system', content: 'Be short.\n\nBe kind.' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ]);
  });

  test('gets no tokens in parts unless it asks, and is told why an answer ends early', async () => {
    const openai = clientOf(await chosen());
    const stream = await openai.chat.completions.create({ ...asked, stream: true });
    for await (const { usage } of stream) expect(usage ?? null).toBeNull();
    fake.next('too short a limit');
    const { choices } = await openai.chat.completions.create(asked);
    expect(choices[0]?.finish_reason).toBe('length');
  });

  test('has four at a time, and then a place again', async () => {
    const openai = clientOf(await chosen());
    fake.next('slow', 'slow', 'slow', 'slow');
    const begin = () => openai.chat.completions.create({ ...asked, stream: true });
    const streams = [await begin(), await begin(), await begin(), await begin()];
    expect(await faultOf(begin())).toMatchObject({ status: 409 });
    fake.goOn();
    for (const stream of streams) for await (const _ of stream);
    expect((await openai.chat.completions.create(asked)).object).toBe('chat.completion');
  });

  test('a key has the scope only if it was chosen, and then the list has the model', async () => {
    const { key } = await steno.person({ scopes: [...personalScopes] });
    expect(await faultOf(clientOf(key).chat.completions.create(asked))).toMatchObject({ status: 403 });
    const names = async (of: string) => (await clientOf(of).models.list()).data.map(({ id }) => id);
    expect(await names(key)).not.toContain('small');
    expect(await names(await chosen())).toContain('small');
    const byDefault = await steno.call('POST', '/keys/create', {
      key: (await steno.signIn((await steno.person()).user)).token,
      body: { name: 'plain' },
    });
    expect(byDefault.body.data.scopes).not.toContain('llm:use');
  });

  test('errors have the shape of OpenAI’s, before and in the stream', async () => {
    const openai = clientOf(await chosen());
    fake.next('busy');
    expect(await faultOf(openai.chat.completions.create(asked))).toEqual({
      status: 503,
      type: 'server_error',
    });
    expect(await faultOf(openai.chat.completions.create({ ...asked, messages: [] }))).toEqual({
      status: 400,
      type: 'invalid_request_error',
    });
    fake.next('cut off');
    const stream = await openai.chat.completions.create({ ...asked, stream: true });
    await expect(
      (async () => {
        for await (const _ of stream);
      })(),
    ).rejects.toThrow();
  });

  test('a client that leaves ends the request to the model', async () => {
    const left = Promise.withResolvers<void>();
    const upstream = createServer((incoming, response) => {
      if (incoming.url !== '/v1/chat/completions') return void response.writeHead(404).end();
      response.once('close', left.resolve);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"first "}}]}\n\n');
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const other = await startSteno({ config: { language: { url, key: '', model: 'm', window: 4_096 } } });
    const at = await other.app.listen({ host: '127.0.0.1', port: 0 });
    const { key } = await other.person({ scopes: ['llm:use'] });
    const stream = await clientOf(key, at).chat.completions.create({ ...asked, stream: true });
    for await (const { choices } of stream) if (choices[0]?.delta.content) break;
    stream.controller.abort();
    await left.promise;
    await other.close();
    upstream.closeAllConnections();
    upstream.close();
  });

  test('without a model it says so', async () => {
    const other = await startSteno();
    const at = await other.app.listen({ host: '127.0.0.1', port: 0 });
    const { key } = await other.person({ scopes: ['llm:use'] });
    expect(await faultOf(clientOf(key, at).chat.completions.create(asked))).toMatchObject({ status: 503 });
    await other.close();
  });
});
