import { expect, test } from 'vitest';
import { startImports } from '../../src/features/import/start.ts';
import { bounded } from '../../src/kernel/semaphore.ts';

/** As the kernel and the operation do: a place for each person, and one import at work. */
function open() {
  const inPlace = bounded({ name: 'import', most: 1, inAll: 3 });
  const imports = startImports(async () => null, 1);
  return {
    admit: <Result>(
      userId: string,
      client: AbortSignal,
      work: (
        signal: AbortSignal,
        inTurn: (part: () => Promise<Result>) => Promise<Result>,
      ) => Promise<Result>,
    ) =>
      inPlace(userId, () =>
        imports.run(client, (signal) => work(signal, (part) => imports.inTurn(part, signal))),
      ),
    close: imports.close,
  };
}
const nobodyLeaves = new AbortController().signal;

/** Work that ends when the test says so. */
function held(places: ReturnType<typeof open>, userId: string, client = nobodyLeaves) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let began = false;
  const result = places.admit(userId, client, (_signal, inTurn) =>
    inTurn(() => {
      began = true;
      return promise;
    }),
  );
  // Looked at later.
  result.catch(() => {});
  return { result, end: resolve, fail: reject, hasBegun: () => began };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

test('one works at a time, the others in the order they came, and each gets its own result', async () => {
  const places = open();
  const [ada, ben, eve] = ['ada', 'ben', 'eve'].map((user) => held(places, user));
  await soon();
  expect([ada, ben, eve].map((one) => one?.hasBegun())).toEqual([true, false, false]);
  ada?.end('of ada');
  expect(await ada?.result).toBe('of ada');
  await soon();
  expect([ben, eve].map((one) => one?.hasBegun())).toEqual([true, false]);
  ben?.fail(new Error('broken'));
  await expect(ben?.result).rejects.toThrow('broken');
  await soon();
  expect(eve?.hasBegun()).toBe(true);
  eve?.end('of eve');
  expect(await eve?.result).toBe('of eve');
  // Its place was given back once.
  const [next, last] = [held(places, 'ada'), held(places, 'ben')];
  await soon();
  expect([next.hasBegun(), last.hasBegun()]).toEqual([true, false]);
  for (const one of [next, last]) one.end('');
  await Promise.all([next.result, last.result]);
});

test('whoever leaves the line does not work, and the next one does', async () => {
  const places = open();
  const leaving = new AbortController();
  const first = held(places, 'ada');
  const gone = held(places, 'ben', leaving.signal);
  const next = held(places, 'eve');
  leaving.abort(new Error('left'));
  await expect(gone.result).rejects.toThrow('left');
  first.end('');
  await first.result;
  await soon();
  expect([gone.hasBegun(), next.hasBegun()]).toEqual([false, true]);
  next.end('');
  await next.result;
});

test('each person has one, and all together so many', async () => {
  const places = open();
  const running = ['ada', 'ben', 'eve'].map((user) => held(places, user));
  await expect(held(places, 'ada').result).rejects.toMatchObject({ code: 'concurrency_limit' });
  await expect(held(places, 'zoe').result).rejects.toMatchObject({
    code: 'service_unavailable',
    retryAfterSeconds: 60,
  });
  for (const one of running) one.end('');
  await Promise.all(running.map(({ result }) => result));
  const again = held(places, 'ada');
  again.end('again');
  expect(await again.result).toBe('again');
});

test('a server that stops tells those who work, lets nobody else in, and waits for their end', async () => {
  const places = open();
  const told = Promise.withResolvers<unknown>();
  const result = places.admit('ada', nobodyLeaves, async (signal) => {
    signal.addEventListener('abort', () => told.resolve(signal.reason));
    throw await told.promise;
  });
  result.catch(() => {});
  await places.close();
  await expect(result).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(held(places, 'ben').result).rejects.toMatchObject({ code: 'service_unavailable' });
});

test('a person has so many of a kind at a time; others do not count, and a place is given back', async () => {
  const inPlace = bounded({ name: 'questions', most: 2 });
  const enter = (userId: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const result = inPlace(userId, () => promise);
    return {
      result,
      leave() {
        resolve();
        return result;
      },
    };
  };
  const [first] = [enter('ada'), enter('ada')];
  await expect(enter('ada').result).rejects.toThrow('2 questions of yours are running');
  enter('ben');
  await first?.leave();
  const again = enter('ada');
  await expect(enter('ada').result).rejects.toThrow('are running');
  await again.leave();
  enter('ada');
});
