import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { zipOf } from '../../src/lib/zip.ts';

test('an archive of many files holds none that was written', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // Buffers are freed by a thread of their own, some time after a collection.
  const held = async () => {
    let least = Number.POSITIVE_INFINITY;
    for (let times = 0; times < 10; times += 1) {
      collect();
      await sleep(20);
      const { arrayBuffers, heapUsed } = process.memoryUsage();
      least = Math.min(least, arrayBuffers + heapUsed);
    }
    return least;
  };
  let grownBy = 0;
  async function* files() {
    let before = 0;
    for (let count = 0; count <= 1_200; count += 1) {
      if (count === 200) before = await held();
      if (count === 1_200) grownBy = (await held()) - before;
      yield { path: `notes/${count}.md`, chunks: [`${count} `.repeat(5_000)] };
    }
  }
  for await (const _ of zipOf(files()));
  // A thousand texts of 20 kB and their compressors would be 60 MB; names and sizes are less than one. Other files of the
  // same process leave some MB.
  expect(grownBy).toBeLessThan(30_000_000);
});
