import { setTimeout as sleep } from 'node:timers/promises';
import { fetchOk } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { createDataDir, startServer } from '../lib/server.ts';

const goalMb = 120;

export const idleMemory: Measure = {
  name: 'memory of the idle server without a speech model',
  goal: `<= ${goalMb} MB`,
  async run() {
    const data = await createDataDir();
    const steno = await startServer(data);
    await fetchOk(`${steno.url}/api/v1/notes/list`, { headers: steno.headers });
    await sleep(5_000);
    const metrics = await steno.readMetrics();
    const bytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
    await steno.stop();
    data.remove();
    const megabytes = bytes / 1_048_576;
    return {
      value: megabytes,
      met: megabytes <= goalMb,
      detail: 'resident, after one request and five seconds',
    };
  },
};
