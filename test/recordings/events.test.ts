import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ChunkText, PartialTranscript, Recording } from '../../src/domain/recording.ts';
import { createFollow } from '../../src/features/recordings/events.ts';
import type { Authorized } from '../../src/kernel/authorized.ts';
import { createSignals } from '../../src/lib/signals.ts';
import type { ServerSentEvent } from '../../src/platform/http/event-stream.ts';

const stop = new AbortController();

function setUp() {
  let recording: Recording | undefined = { id: 'one', user_id: 'ada', state: 'queued' } as Recording;
  const texts: ChunkText[] = [];
  const recordings = {
    get: vi.fn(async () => recording && { ...recording }),
    texts: vi.fn(async (_id: string, from: number) => texts.slice(from)),
  };
  const signals = createSignals<PartialTranscript>();
  const follow = createFollow({ recording: recordings.get, texts: recordings.texts, signals });
  return {
    recordings,
    signals,
    // As the operation does it.
    follow: async (from = 0, signal = stop.signal) =>
      follow((await recordings.get()) as Authorized<Recording>, from, signal),
    say(text: string): void {
      texts.push({ position: texts.length, start_ms: 0, end_ms: 0, text });
      signals.notify('one');
    },
    become(state: Recording['state'] | 'deleted'): void {
      recording = state === 'deleted' ? undefined : ({ ...recording, state } as Recording);
      signals.notify('one');
    },
  };
}

const next = async (events: AsyncGenerator<ServerSentEvent>) => {
  const { value, done } = await events.next();
  if (done) return 'end';
  return value.event === 'state' ? (value.data as Recording).state : (value.data as ChunkText).text;
};

// So that nothing is looked at but after a call.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('fifty who follow a recording cost one look at each change', async () => {
  const { follow, say, become, recordings } = setUp();
  const followers = await Promise.all(Array.from({ length: 50 }, () => follow()));
  for (const one of followers) expect(await next(one)).toBe('queued');
  const asked = recordings.get.mock.calls.length;
  expect(recordings.texts).toHaveBeenCalledTimes(1);
  const words = followers.map(next);
  say('one');
  expect(new Set(await Promise.all(words))).toEqual(new Set(['one']));
  const ends = followers.map(next);
  become('done');
  expect(new Set(await Promise.all(ends))).toEqual(new Set(['done']));
  for (const one of followers) expect(await next(one)).toBe('end');
  expect(recordings.get.mock.calls.length - asked).toBe(2);
  expect(recordings.texts).toHaveBeenCalledTimes(3);
});

test('a slow reader gets every word, and of the states the last', async () => {
  const { follow, say, become } = setUp();
  const [quick, slow] = [await follow(), await follow()];
  expect(await next(quick)).toBe('queued');
  expect(await next(slow)).toBe('queued');
  for (const word of ['one', 'two', 'three']) {
    const told = next(quick);
    say(word);
    expect(await told).toBe(word);
  }
  const told = next(quick);
  become('done');
  expect(await told).toBe('done');
  const late = [];
  for (let at = 0; at < 5; at++) late.push(await next(slow));
  expect(late).toEqual(['one', 'two', 'three', 'done', 'end']);
});

test('who comes later gets the words that they miss, and no other', async () => {
  const { follow, say } = setUp();
  const first = await follow();
  expect(await next(first)).toBe('queued');
  for (const word of ['one', 'two']) {
    const told = next(first);
    say(word);
    expect(await told).toBe(word);
  }
  const second = await follow(1);
  expect(await next(second)).toBe('two');
  expect(await next(second)).toBe('queued');
});

test('a change during a look is not missed', async () => {
  const { follow, become, recordings } = setUp();
  const one = await follow();
  expect(await next(one)).toBe('queued');
  // The second change comes when the first one was read, before anybody is told.
  recordings.texts.mockImplementationOnce(async () => {
    become('done');
    return [];
  });
  const told = next(one);
  become('transcribing');
  expect(await told).toBe('transcribing');
  expect(await next(one)).toBe('done');
});

test('when the last one leaves, nobody is counted and nothing is read', async () => {
  const { follow, become, recordings, signals } = setUp();
  const [first, second] = [new AbortController(), new AbortController()];
  const streams = [await follow(0, first.signal), await follow(0, second.signal)];
  for (const one of streams) expect(await next(one)).toBe('queued');
  const waiting = streams.map(next);
  first.abort();
  expect(await waiting[0]).toBe('end');
  expect(signals.isFollowed('one')).toBe(true);
  second.abort();
  expect(await waiting[1]).toBe('end');
  expect(signals.isFollowed('one')).toBe(false);
  const { length } = recordings.get.mock.calls;
  become('done');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(recordings.get.mock.calls).toHaveLength(length);
  expect(await next(await follow())).toBe('done');
});

test('a recording that is deleted ends its streams', async () => {
  const { follow, become } = setUp();
  const one = await follow();
  expect(await next(one)).toBe('queued');
  const told = next(one);
  become('deleted');
  expect(await told).toBe('end');
});

test('a database that fails ends every stream with its fault, and the next one begins anew', async () => {
  const { follow, recordings, signals } = setUp();
  const streams = [await follow(), await follow()];
  for (const one of streams) expect(await next(one)).toBe('queued');
  const told = Promise.allSettled(streams.map(next));
  recordings.get.mockRejectedValueOnce(new Error('the disk is on fire'));
  signals.notify('one');
  for (const { status } of await told) expect(status).toBe('rejected');
  expect(await next(await follow())).toBe('queued');
});
