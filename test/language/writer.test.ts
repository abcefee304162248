import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { asData, isRefusal, WriterFailed } from '../../src/domain/language.ts';
import { createThoughtFilter } from '../../src/engines/language-model/answer.ts';
import { createWriter } from '../../src/engines/language-model/index.ts';
import { createHttpWriter } from '../../src/engines/language-model/openai-compatible.ts';
import type { LanguageWriter, WriteRequest } from '../../src/engines/ports/writer.ts';
import { startFakeModel } from '../support/fake-model.ts';

const settings = { url: '', key: '', model: '', window: 0 };
const request: WriteRequest = {
  userId: 'u',
  // The half minute of a short one may be over on a busy machine.
  purpose: 'long',
  system: 'Write a summary.',
  messages: [{ role: 'user', content: asData('Anna came late. Ben was early.', 'k1') }],
};

async function read(writer: LanguageWriter, asked = request) {
  let text = '';
  let end: unknown;
  for await (const part of writer.write(asked))
    if (part.kind === 'text') text += part.text;
    else end = part;
  return { text, end };
}

/** The fault, and what came before it. */
async function faultOf(writer: LanguageWriter, asked = request) {
  try {
    return await read(writer, asked);
  } catch (cause) {
    return cause instanceof WriterFailed
      ? { fault: cause.fault, retryAfter: cause.retryAfterSeconds }
      : { cause };
  }
}

describe('a chat server', () => {
  let model: Awaited<ReturnType<typeof startFakeModel>>;
  let writer: LanguageWriter;
  beforeAll(async () => {
    model = await startFakeModel();
    writer = createWriter({ ...settings, url: `${model.url}/v1/`, key: 'secret' });
  });
  afterAll(() => model.close());

  test('streams its text, says how it ended, and counts tokens', async () => {
    const { text, end } = await read(writer);
    expect(text).toBe('- Anna came late.\n- Ben was early.');
    expect(end).toEqual({
      kind: 'end',
      reason: 'complete',
      tokens: { prompt: expect.any(Number), answer: 9 },
    });
    expect(model.requests.at(-1)).toMatchObject({ model: 'fake', stream: true });
  });

  test('tells its window and its first model', async () => {
    expect(await writer.status()).toEqual({ address: model.url, model: 'fake', window: 8_192 });
  });

  test.each([
    ['cut off', { fault: 'cut off', retryAfter: 10 }],
    ['html', { fault: 'not understood', retryAfter: 10 }],
    ['busy', { fault: 'busy', retryAfter: 7 }],
    ['refuse', { fault: 'refused', retryAfter: undefined }],
    ['empty', { fault: 'empty', retryAfter: 10 }],
    ['away', { fault: 'away', retryAfter: 10 }],
    ['error', { fault: 'broken', retryAfter: 10 }],
  ] as const)('that is "%s" is never taken for an answer', async (mishap, fault) => {
    const before = model.requests.length;
    model.next(mishap);
    expect(await faultOf(writer)).toEqual(fault);
    // What was sent is not sent again.
    expect(model.requests.length).toBe(before + 1);
  });

  test('that ends at the limit of tokens says so', async () => {
    model.next('too short a limit');
    expect((await read(writer)).end).toMatchObject({ reason: 'length' });
  });

  test('that is slow meets the deadline, and a caller who leaves ends it', async () => {
    // Its own: the deadline may have passed before the model is asked, and then one "slow" is left.
    const slow = await startFakeModel();
    onTestFinished(() => slow.close());
    const there = { ...settings, url: slow.url };
    const hasty = createHttpWriter(there, { short: 600_000, long: 50 });
    slow.next('slow', 'slow');
    expect(await faultOf(hasty)).toEqual({ fault: 'late', retryAfter: 10 });
    const leaving = new AbortController();
    const parts: string[] = [];
    const reading = (async () => {
      for await (const part of createWriter(there).write({ ...request, signal: leaving.signal })) {
        parts.push(part.kind);
        leaving.abort(new Error('left'));
      }
    })();
    await expect(reading).rejects.toThrow('left');
    expect(parts).toEqual(['text']);
    slow.goOn();
  });
});

test('without an address there is no model', async () => {
  const writer = createWriter(settings);
  expect(writer.isOn).toBe(false);
  expect(await faultOf(writer)).toEqual({ fault: 'off', retryAfter: undefined });
});

test('a refused connection is tried once more, because nothing was sent', async () => {
  const taken = createServer();
  taken.listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  await new Promise((resolve) => taken.close(resolve));
  const tries: string[] = [];
  const real = globalThis.fetch;
  globalThis.fetch = (...call) => {
    tries.push(String(call[0]));
    return real(...call);
  };
  try {
    const writer = createWriter({ ...settings, url: `http://127.0.0.1:${port}`, model: 'm', window: 4_096 });
    expect(await faultOf(writer)).toEqual({ fault: 'away', retryAfter: 10 });
  } finally {
    globalThis.fetch = real;
  }
  expect(tries.length).toBe(2);
});

test('what a model thinks aloud is no part of its answer, however it is cut', () => {
  const whole = '<think>Well. <b>\n</think>\n\nThe <think> answer';
  for (let size = 1; size <= whole.length; size += 1) {
    const filter = createThoughtFilter();
    let text = '';
    for (let at = 0; at < whole.length; at += size) text += filter(whole.slice(at, at + size));
    expect(text.trimStart()).toBe('The <think> answer');
  }
  expect(createThoughtFilter()('<thin air>')).toBe('<thin air>');
});

test.each([
  ["I'm sorry, but I can't help with that.", true],
  ['Es tut mir leid, das kann ich nicht.', true],
  ['Sorry, I cannot do that.', true],
  ['Sorry state of the roof', false],
  ['Anna is sorry that she came late.', false],
  [`I'm sorry that I could not come. ${'We met on Monday. '.repeat(30)}`, false],
])('%j is a refusal: %s', (text, expected) => {
  expect(isRefusal(text)).toBe(expected);
});
