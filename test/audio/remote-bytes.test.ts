import { expect, test } from 'vitest';
import { createRemoteBytes } from '../../src/engines/audio/file-bytes.ts';

const blockBytes = 262_144;

test('every reader gets its bytes, also one whose block is asked for again while many others are', async () => {
  const size = 20 * blockBytes;
  const asked: { start: number; end: number }[] = [];
  const file = createRemoteBytes(size, (block) => asked.push(block));
  const numbers = [...Array.from({ length: 20 }, (_, number) => number), 0];
  let unanswered = numbers.length;
  const read = numbers.map(async (number) => {
    const bytes = await file.read(number * blockBytes, number * blockBytes + 1);
    unanswered -= 1;
    return bytes[0];
  });
  for (const { start, end } of asked) file.give(start, new Uint8Array(end - start).fill(start / blockBytes));
  // Each reader has two promises before its bytes, so this many turns are enough.
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  expect(unanswered).toBe(0);
  expect(await Promise.all(read)).toEqual(numbers);
  expect(asked.length).toBe(20);
});
