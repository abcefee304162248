import { createDatabase, startPostgres } from '../../test/support/postgres.ts';
import { type Corpus, createCorpus } from '../lib/corpus.ts';
import { fetchOk, latencies, percentile } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { seedNotes } from '../lib/seed.ts';
import { createDataDir, startServer } from '../lib/server.ts';

const notes = 100_000;
const queries = 300;

const kinds = [
  { what: 'three words', goalMs: 50, query: threeWords },
  { what: 'a sentence of ten words', goalMs: 100, query: sentence },
];

/** Two words that people would search for and a third one. */
function threeWords(corpus: Corpus): string {
  return `${corpus.query()} ${corpus.query().split(' ')[0]}`;
}

function sentence(corpus: Corpus): string {
  return `${corpus.sentence(8)} ${corpus.query()}`;
}

/** One connection that sends the next query when it has the answer to the last one. */
const searchOn = (
  name: string,
  openDatabase: () => Promise<{ url: string; stop(): Promise<void> }>,
): Measure => ({
  name: `search on ${name}, p95 over HTTP at 100,000 notes of one user, against the goals of 50 ms for three words and 100 ms for a sentence`,
  goal: '<= 1',
  async run({ scale }) {
    const database = await openDatabase();
    const data = await createDataDir(database.url);
    await seedNotes(data, Math.round(notes * scale));
    const steno = await startServer(data);
    const corpus = createCorpus(7);
    const ask = (query: string) =>
      fetchOk(`${steno.url}/api/v1/notes/search`, {
        method: 'POST',
        headers: steno.headers,
        body: JSON.stringify({ query }),
      });
    const [first = 0] = await latencies(1, () => ask(threeWords(corpus)));
    const shares: number[] = [];
    const details: string[] = [];
    for (const { what, goalMs, query } of kinds) {
      const times = await latencies(queries, () => ask(query(corpus)));
      const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
      shares.push(p95 / goalMs);
      details.push(`${what}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`);
    }
    await steno.stop();
    data.remove();
    await database.stop();
    const value = Math.max(...shares);
    const detail = `${details.join('; ')}; the first after the start ${first.toFixed(0)} ms`;
    return { value, met: value <= 1, detail };
  },
});

export const search = searchOn('SQLite', async () => ({ url: '', stop: async () => {} }));
export const searchOnPostgres = searchOn('PostgreSQL', async () => {
  const server = await startPostgres();
  const { url } = await createDatabase(server.url);
  return { url, stop: server.stop };
});
