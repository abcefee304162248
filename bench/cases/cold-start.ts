import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fetchOk, median } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { createDataDir, startServer } from '../lib/server.ts';

const goalMs = 1_000;
const starts = 5;

export const coldStart: Measure = {
  name: 'first start on an empty folder to the first answer, without a speech model',
  goal: `< ${goalMs} ms`,
  async run() {
    const times: number[] = [];
    for (let start = 0; start < starts; start += 1) {
      const data = await createDataDir();
      for (const file of readdirSync(data.dataDir).filter((name) => name.startsWith('steno.db')))
        rmSync(join(data.dataDir, file));
      const startedAt = performance.now();
      const steno = await startServer(data);
      await fetchOk(`${steno.url}/healthz`);
      times.push(performance.now() - startedAt);
      await steno.stop();
      data.remove();
    }
    const value = median(times);
    return {
      value,
      met: value < goalMs,
      detail: `middle of ${starts}; the slowest ${Math.round(Math.max(...times))} ms`,
    };
  },
};
