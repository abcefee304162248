import { expect, test } from 'vitest';
import { createGate, GateClosed } from '../../src/lib/gate.ts';

/** Work that ends when it is told. */
function held() {
  const ends: (() => void)[] = [];
  let most = 0;
  let running = 0;
  return {
    ends,
    most: () => most,
    async work() {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    },
  };
}

test('a few run at once, the others one after the other, and all end', async () => {
  const gate = createGate({ most: 2, maxWaiting: 100, maxWaitMs: 60_000 });
  const { ends, most, work } = held();
  const all = Array.from({ length: 10 }, () => gate(work));
  for (let ended = 0; ended < 10; ended += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(ended);
    ends[ended]?.();
  }
  await Promise.all(all);
  expect(most()).toBe(2);
});

test('whoever finds too many waiting, or waits too long, is told; work that fails frees its place', async () => {
  const gate = createGate({ most: 1, maxWaiting: 1, maxWaitMs: 20 });
  const { ends, work } = held();
  const first = gate(work);
  const second = gate(work);
  await expect(gate(work)).rejects.toThrow(GateClosed);
  await expect(second).rejects.toThrow(GateClosed);
  ends[0]?.();
  await first;
  await expect(gate(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await gate(async () => 'free')).toBe('free');
});
