import { type Corpus, createCorpus } from '../lib/corpus.ts';
import { fetchOk, latencies, percentile } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { seedNotes } from '../lib/seed.ts';
import { createDataDir, startServer } from '../lib/server.ts';

const notes = 100_000;
const queries = 500;

const searchFor = (what: string, goalMs: number, query: (corpus: Corpus) => string): Measure => ({
  name: `search, ${what}, p95 at 100,000 notes of one user`,
  goal: `<= ${goalMs} ms`,
  async run({ scale }) {
    const data = await createDataDir();
    await seedNotes(data, Math.round(notes * scale));
    const steno = await startServer(data);
    const corpus = createCorpus(7);
    let found = 0;
    const ask = async () => {
      const text = await fetchOk(`${steno.url}/api/v1/notes/search`, {
        method: 'POST',
        headers: steno.headers,
        body: JSON.stringify({ query: query(corpus) }),
      });
      if (JSON.parse(text).data.length > 0) found += 1;
    };
    const [first = 0] = await latencies(1, ask);
    const times = await latencies(queries, ask);
    await steno.stop();
    data.remove();
    const p95 = percentile(times, 0.95);
    const detail = `p50 ${percentile(times, 0.5).toFixed(1)} ms; the first after the start ${first.toFixed(0)} ms; ${found - 1} of ${queries} queries found something`;
    return { value: p95, met: p95 <= goalMs, detail };
  },
});

/** Two words that people would search for and a third one. */
const threeWords = (corpus: Corpus) => `${corpus.query()} ${corpus.query().split(' ')[0]}`;

export const search = searchFor('three words', 50, threeWords);
export const searchSentence = searchFor(
  'a sentence of ten words',
  100,
  (corpus) => `${corpus.sentence(8)} ${corpus.query()}`,
);
