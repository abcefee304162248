import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHousekeeping } from '../../src/platform/housekeeping.ts';
import { silentLog } from '../support/steno.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});
const soon = () => new Promise((resolve) => setImmediate(resolve));

test('tasks run at the start and every hour, in their order; one that fails holds up none and is tried again', async () => {
  const ran: string[] = [];
  const warned: unknown[] = [];
  const tasks = {
    first: async () => ran.push('first'),
    async broken() {
      ran.push('broken');
      throw new Error('disk full');
    },
    last: async () => ran.push('last'),
  };
  const log = { ...silentLog, warn: (fields: object) => warned.push(fields) };
  const housekeeping = createHousekeeping(tasks, log);
  await soon();
  const round = ['first', 'broken', 'last'];
  expect(ran).toEqual(round);
  vi.advanceTimersByTime(3_600_000);
  await soon();
  expect(ran).toEqual([...round, ...round]);
  expect(warned).toMatchObject([{ task: 'broken' }, { task: 'broken' }]);
  await housekeeping.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('a round waits for the one before, and the end for the round that runs', async () => {
  const ended = Promise.withResolvers<void>();
  let rounds = 0;
  const work = () => {
    rounds += 1;
    return ended.promise;
  };
  const housekeeping = createHousekeeping({ work }, silentLog, 1_000);
  await soon();
  vi.advanceTimersByTime(1_000);
  await soon();
  expect(rounds).toBe(1);
  let isClosed = false;
  const closed = housekeeping.close().then(() => {
    isClosed = true;
  });
  await soon();
  expect(isClosed).toBe(false);
  ended.resolve();
  await closed;
  expect(rounds).toBe(2);
});
