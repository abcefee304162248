import { createCorpus } from '../lib/corpus.ts';
import { fetchOk, latencies, percentile } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { seedNotes } from '../lib/seed.ts';
import { createDataDir, startServer } from '../lib/server.ts';

const goalMs = 50;
const notes = 100_000;
const queries = 500;

export const search: Measure = {
  name: 'search, two words, p95 at 100,000 notes of one user',
  goal: `<= ${goalMs} ms`,
  async run({ scale }) {
    const data = await createDataDir();
    await seedNotes(data.dataDir, data.userId, Math.round(notes * scale));
    const steno = await startServer(data);
    const corpus = createCorpus(7);
    let found = 0;
    const times = await latencies(queries, async () => {
      const body = JSON.stringify({ query: corpus.query() });
      const text = await fetchOk(`${steno.url}/api/v1/notes/search`, {
        method: 'POST',
        headers: steno.headers,
        body,
      });
      if (JSON.parse(text).data.length > 0) found += 1;
    });
    await steno.stop();
    data.remove();
    const p95 = percentile(times, 0.95);
    const detail = `p50 ${percentile(times, 0.5).toFixed(1)} ms; ${found} of ${queries} queries found something`;
    return { value: p95, met: p95 <= goalMs, detail };
  },
};
