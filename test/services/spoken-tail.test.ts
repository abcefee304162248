import { expect, test } from 'vitest';
import type { SpokenTail } from '../../src/services/news.ts';
import { createTailHearing } from '../../src/services/spoken-tail.ts';

const frameSeconds = 0.03;

/** Somebody speaks for so many seconds, and then pauses. */
function stretch(spoken: number, paused = 0) {
  const frames = new Uint8Array(Math.round((spoken + paused) / frameSeconds)).fill(
    1,
    0,
    Math.round(spoken / frameSeconds),
  );
  return { start: 10, pcm: new Float32Array(frames.length * 480), voice: { frames, frameSeconds } };
}

function hearing(isWanted = true) {
  const heard: number[] = [];
  const told: SpokenTail[] = [];
  const offer = createTailHearing({
    isWanted: () => isWanted,
    async hear({ start, pcm }) {
      heard.push(pcm.length / 16_000);
      return { text: `from ${start.toFixed(0)}` };
    },
    tell: (tail) => told.push(tail),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    heard,
    told,
    settled,
    offer: (...of: Parameters<typeof stretch>) => offer(stretch(...of), () => false),
  };
}

test('what is spoken is heard again when there is more of it, not while the speaker pauses', async () => {
  const { heard, told, offer, settled } = hearing();
  for (const [spoken, paused] of [
    [2, 0],
    [2, 1],
    [2, 2],
    [5, 0],
  ] as const) {
    offer(spoken, paused);
    await settled();
  }
  expect(heard).toHaveLength(2);
  expect(told.at(-1)).toEqual({ start_ms: 10_000, text: 'from 10' });
});

test('of a long one the beginning is heard once, and stays before the rest', async () => {
  const { heard, told, offer, settled } = hearing();
  for (const spoken of [6, 10, 12, 14]) {
    offer(spoken);
    await settled();
  }
  expect(Math.max(...heard)).toBeLessThan(9);
  expect(heard).toHaveLength(5);
  expect(told.at(-1)?.text).toBe('from 10 from 18');
});

test('nothing is heard for nobody', async () => {
  const { heard, offer, settled } = hearing(false);
  offer(3);
  await settled();
  expect(heard).toEqual([]);
});
