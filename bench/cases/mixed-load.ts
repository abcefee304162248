import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../test/support/postgres.ts';
import { createCorpus } from '../lib/corpus.ts';
import { describeFailures, fetchOk, tryLoad } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import type { Call } from '../lib/repeat.ts';
import { type BenchServer, createDataDir, startServer } from '../lib/server.ts';

const connections = 1_000;
const seconds = 600;
const samples = 120;
/** Of what the second minute took, the last two may take this much. */
const flatWithin = 1.15;

export const mixedLoad = measureOn('SQLite');
export const mixedLoadPostgres = measureOn('PostgreSQL');

function measureOn(database: 'SQLite' | 'PostgreSQL'): Measure {
  return {
    name: `${database}: errors in 10 minutes of mixed load at 1,000 connections`,
    goal: '0, and memory flat after the first minute',
    async run({ scale }) {
      const postgres = database === 'PostgreSQL' ? await startPostgres({ durable: true }) : undefined;
      const data = await createDataDir(postgres?.url);
      const steno = await startServer(data);
      const duration = Math.max(10, seconds * scale);
      const watching = watch(steno, duration);
      const mix = await mixOf(steno);
      const result = await tryLoad({
        url: steno.url,
        connections,
        seconds: duration,
        timeoutMs: 60_000,
        callsOf: () => mix,
      });
      const { memory, delays } = await watching;
      await steno.stop();
      data.remove();
      await postgres?.stop();
      const errors = [...result.failures.values()].reduce((sum, count) => sum + count, 0);
      const perTenth = tenthsOf(memory);
      const settled = perTenth[1] ?? 0;
      const isFlat = Math.max(...perTenth.slice(-2)) <= flatWithin * settled;
      const detail = [
        `${result.answers} answers in ${Math.round(duration)} s`,
        ...(errors > 0 ? [describeFailures(result)] : []),
        `p50 ${result.p50} ms, p99 ${result.p99} ms`,
        `memory in each tenth of the time at most ${perTenth.join(', ')} MB`,
        `delay of the event loop p99 ${Math.max(...delays).toFixed(0)} ms`,
      ].join('; ');
      return { value: errors, met: errors === 0 && isFlat, detail };
    },
  };
}

/** What people and their programs do: read a note five times for each time that they list, write, search or change one. */
async function mixOf(steno: BenchServer): Promise<Call[]> {
  const corpus = createCorpus(3);
  const request = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) => ({
    method,
    url: `${steno.url}/api/v1${path}`,
    headers: steno.headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const first = request('POST', '/notes/create', { content: 'first' });
  const { data: note } = JSON.parse(await fetchOk(first.url, first));
  return [
    ...Array.from({ length: 5 }, () => request('GET', `/notes/${note.id}`)),
    request('GET', '/notes/list?limit=20'),
    request('POST', '/notes/create', { title: 'mixed', content: corpus.sentence(60) }),
    request('GET', '/folders/list'),
    request('POST', '/notes/search', { query: corpus.query() }),
    request('PATCH', `/notes/${note.id}`, { content: corpus.sentence(40) }),
    request('GET', '/me'),
  ];
}

/** The largest of each tenth of the values. */
const tenthsOf = (values: readonly number[]) =>
  Array.from({ length: 10 }, (_, tenth) => {
    const [from, to] = [tenth, tenth + 1].map((end) => Math.floor((end * values.length) / 10));
    return Math.max(...values.slice(from, to));
  });

/** Resident memory in MB and the 99th percentile of the delay of the event loop in ms, 120 times. */
async function watch(
  { readMetrics }: BenchServer,
  duration: number,
): Promise<{ memory: number[]; delays: number[] }> {
  const memory: number[] = [];
  const delays: number[] = [];
  const start = performance.now();
  for (let sample = 1; sample < samples; sample += 1) {
    const at = start + (duration * 1000 * sample) / samples;
    await sleep(Math.max(0, at - performance.now()));
    const metrics = await readMetrics();
    const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
    memory.push(Math.round(read('process_resident_memory_bytes') / 1_048_576));
    delays.push(read('nodejs_eventloop_lag_p99_seconds') * 1000);
  }
  return { memory, delays };
}
