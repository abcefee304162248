import autocannon, { type Options, type Result } from 'autocannon';

type LoadOptions = Options & { url: string; seconds: number };

/** Requests a second over `seconds`, as seen by the clients; anything but a 2xx ends the measurement. */
export const throughput = async (options: LoadOptions) => (await load(options)).rate;

/** The same with the 99th percentile of the milliseconds. */
export async function load({ seconds, ...rest }: LoadOptions): Promise<{ rate: number; p99: number }> {
  const result: Result = await autocannon({ ...rest, duration: seconds });
  if (result.errors + result.timeouts + result.non2xx > 0)
    throw new Error(
      `${result.errors} errors, ${result.timeouts} time-outs, ${result.non2xx} answers that were not 2xx`,
    );
  return { rate: result.requests.total / result.duration, p99: result.latency.p99 };
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
