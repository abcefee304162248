import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { Principal } from '../../src/domain/principal.ts';
import {
  createEventStreams,
  type EventStreams,
  mostStreamsPerPerson,
  type ServerSentEvent,
} from '../../src/platform/http/event-stream.ts';

type Follow = (signal: AbortSignal) => AsyncGenerator<ServerSentEvent>;

let app: FastifyInstance;
afterEach(() => stop());

/** As `steno serve` does: streams end by themselves, and idle connections are closed. */
async function stop(whenEnded: () => unknown = () => {}): Promise<void> {
  const closed = app.close();
  await whenEnded();
  app.server.closeAllConnections();
  await closed;
}

/** Each request names its person; `follow` makes the events. */
async function serve(
  follow: Follow,
  times: Parameters<typeof createEventStreams>[2] = {},
  isAllowed = async () => true,
  more: (streams: EventStreams) => void = () => {},
) {
  app = Fastify();
  app.decorateRequest('principal', null);
  app.addHook('onRequest', async (request) => {
    request.principal = { userId: request.headers['x-person'] } as unknown as Principal;
  });
  const streams = createEventStreams(app, isAllowed, times);
  app.get('/events', (request, reply) => streams.answer(request, reply, async (signal) => follow(signal)));
  more(streams);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return async (person: string, path = '/events') => {
    const { body } = await fetch(`${url}${path}`, { headers: { 'x-person': person } });
    if (!body) throw new Error('no body');
    return body.pipeThrough(new TextDecoderStream()).getReader();
  };
}

type Reader = ReadableStreamDefaultReader<string>;

/** Everything up to and with this text. */
async function readUntil(reader: Reader, wanted: string): Promise<string> {
  let text = '';
  while (!text.includes(wanted)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`ended after ${JSON.stringify(text)}`);
    text += value;
  }
  return text;
}

async function rest(reader: Reader): Promise<string> {
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text;
    text += value;
  }
}

/** One event, then silence until the signal. */
async function* oneEvent(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
  yield { event: 'hello', data: { text: 'a\nb' }, id: 7 };
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

const hello = 'id: 7\nevent: hello\ndata: {"text":"a\\nb"}\n\n';

test('one stream too many ends the oldest of the same person, which is told to come again later', async () => {
  const open = await serve(oneEvent);
  const eve = await open('eve');
  expect(await readUntil(eve, 'hello')).toContain('retry: 3000\n\n');
  const streams: Reader[] = [];
  for (let at = 0; at < mostStreamsPerPerson; at++) {
    const one = await open('ada');
    await readUntil(one, hello);
    streams.push(one);
  }
  for (let at = 0; at < mostStreamsPerPerson; at++) {
    const newer = await open('ada');
    await readUntil(newer, hello);
    expect(await rest(streams[at] as Reader)).toMatch(/retry: 30000\n\n$/);
    streams.push(newer);
  }
  await stop(async () => {
    // These were not told to stay away: the server stopped.
    expect(await rest(eve)).toBe('');
    expect(await rest(streams.at(-1) as Reader)).toBe('');
  });
});

test('a stream that its client closed takes no place', async () => {
  const ended: number[] = [];
  let begun = 0;
  const open = await serve(async function* (signal) {
    const mine = begun++;
    signal.addEventListener('abort', () => ended.push(mine));
    yield* oneEvent(signal);
  });
  const first = await open('ada');
  await readUntil(first, hello);
  for (let at = 1; at <= mostStreamsPerPerson; at++) {
    const one = await open('ada');
    await readUntil(one, hello);
    await one.cancel();
    await expect.poll(() => ended).toContain(at);
  }
  expect(ended).not.toContain(0);
});

test('a silent stream has a heart beat', async () => {
  const open = await serve(oneEvent, { heartBeatMs: 5 });
  const stream = await open('ada');
  expect(await readUntil(stream, ': alive\n\n: alive\n\n')).toContain(hello);
});

test('nothing is sent once the credential has ended, and a silent stream ends at its next heart beat', async () => {
  let [isAllowed, isEnded] = [true, false];
  const bell = Promise.withResolvers<void>();
  async function* twoEvents(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    yield { event: 'hello', data: 1 };
    await bell.promise;
    yield { event: 'secret', data: 2 };
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  const open = await serve(twoEvents, {}, async () => isAllowed);
  const stream = await open('ada');
  await readUntil(stream, 'hello');
  isAllowed = false;
  bell.resolve();
  expect(await rest(stream)).toBe('');
  await stop();

  isAllowed = true;
  const openSilent = await serve(oneEvent, { heartBeatMs: 5 }, async () => isAllowed);
  const silent = await openSilent('ada');
  await readUntil(silent, hello);
  isAllowed = false;
  await rest(silent).then(() => {
    isEnded = true;
  });
  expect(isEnded).toBe(true);
});

test('a stream ends after some minutes', async () => {
  const open = await serve(oneEvent, { longestMs: 20 });
  expect(await rest(await open('ada'))).toBe(`retry: 3000\n\n${hello}`);
});

test('an answer takes as long as it needs, and no stream of the same person ends it', async () => {
  const open = await serve(
    oneEvent,
    { longestMs: 20 },
    async () => true,
    (streams) => {
      app.get('/answer', (request, reply) =>
        streams.tell(
          request,
          reply,
          (cause) => new AppError('internal_error', String(cause)),
          async (tell) => {
            await tell({ event: 'delta', data: { text: 'It' } });
            await written.promise;
            await tell({ event: 'done', data: {} });
          },
        ),
      );
    },
  );
  const written = Promise.withResolvers<void>();
  const answer = await open('ada', '/answer');
  await readUntil(answer, 'delta');
  // Each of them lasts as long as a stream may.
  const streams = Array.from({ length: mostStreamsPerPerson + 1 }, async () => rest(await open('ada')));
  await Promise.all(streams);
  written.resolve();
  expect(await rest(answer)).toBe('event: done\ndata: {}\n\n');
});

test('nothing is made for a client that does not read, and it does not hold up the server', async () => {
  let made = 0;
  let isEnded = false;
  const open = await serve(
    async function* (signal) {
      signal.addEventListener('abort', () => {
        isEnded = true;
      });
      // Without back pressure this would never give way, and the test would hang.
      for (;;) {
        made += 1;
        yield { event: 'more', data: 'x'.repeat(10_000) };
      }
    },
    { lastWordMs: 1 },
  );
  const stream = await open('ada');
  await readUntil(stream, 'more');
  await app.close();
  expect(isEnded).toBe(true);
  // The buffers of both ends hold some megabytes at most.
  expect(made).toBeLessThan(2_000);
});

test('events that fail break off', async () => {
  const open = await serve(async function* () {
    yield { event: 'hello', data: 1 };
    throw new Error('the disk is on fire');
  });
  await expect(rest(await open('ada'))).rejects.toThrow();
});
