import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, newTally, repeat } from './repeat.ts';

interface LoadOptions extends Call {
  connections: number;
  seconds: number;
  /** What each connection sends, if they do not all repeat the one call. */
  callsOf?: (connection: number) => Call[];
  timeoutMs?: number;
}

export interface LoadResult {
  /** Answers with a 2xx, a second. */
  rate: number;
  answers: number;
  p50: number;
  p99: number;
  failures: ReadonlyMap<string, number>;
}

/** Requests a second over `seconds`, as seen by the clients; anything but a 2xx ends the measurement. */
export const throughput = async (options: LoadOptions) => (await load(options)).rate;

/** The same with the middle and the 99th percentile of the milliseconds. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const result = await tryLoad(options);
  if (result.failures.size > 0) throw new Error(`Not only 2xx: ${describeFailures(result)}`);
  return result;
}

export const describeFailures = ({ failures }: LoadResult) =>
  [...failures].map(([name, count]) => `${count} × ${name}`).join(', ');

/** The same, whatever comes back. */
export async function tryLoad(options: LoadOptions): Promise<LoadResult> {
  const { connections, seconds, callsOf = () => [options], timeoutMs = 10_000 } = options;
  const tally = newTally();
  const all = Array.from({ length: connections }, (_, place) => repeat(callsOf(place), tally, timeoutMs));
  await Promise.all(all.map(({ taken }) => taken));
  const start = performance.now();
  for (const one of all) one.begin();
  const checking = setInterval(() => {
    for (const one of all) one.check(performance.now());
  }, 1_000);
  await sleep(seconds * 1_000);
  clearInterval(checking);
  for (const one of all) one.stop();
  const duration = performance.now() - start;
  const times = tally.times.sort((one, other) => one - other);
  return {
    rate: (times.length / duration) * 1_000,
    answers: times.length,
    p50: Math.round(percentile(times, 0.5)),
    p99: Math.round(percentile(times, 0.99)),
    failures: tally.failures,
  };
}

/** Milliseconds of `count` calls, one after the other, sorted. */
export async function latencies(count: number, call: (index: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    await call(index);
    times.push(performance.now() - start);
  }
  return times.sort((one, other) => one - other);
}

export const percentile = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

export const median = (values: number[]) =>
  percentile(
    [...values].sort((one, other) => one - other),
    0.5,
  );

/** Two things measured in turn, several times, so that a noisy moment hits both; the median of the ratios. */
export async function ratioInTurns(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ ratio: number; ours: number; theirs: number }> {
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push([await ours(), await theirs()]);
  return {
    ratio: median(pairs.map(([one, other]) => one / other)),
    ours: median(pairs.map(([one]) => one)),
    theirs: median(pairs.map(([, other]) => other)),
  };
}

/** Reads the body to its end and fails on anything but a 2xx. */
export async function fetchOk(url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text;
}
