export interface GatherOptions {
  /** The most calls that one run answers. */
  maxBatch: number;
  /** The most runs at the same time; meanwhile, calls gather. */
  maxRunning: number;
  /** Whether each call of a failed run may run again by itself, so that one bad call does not fail the others. */
  mayRunAlone(cause: unknown): boolean;
}

interface Waiting<Call, Result> {
  call: Call;
  resolve(result: Result): void;
  reject(cause: unknown): void;
}

/**
 * Answers calls that arrive in one turn of the event loop, or while earlier ones run, with one run: one statement for many
 * requests. `run` returns one result per call, in the order of the calls.
 */
export function createGather<Call, Result>(
  run: (calls: Call[]) => Promise<Result[]>,
  { maxBatch, maxRunning, mayRunAlone }: GatherOptions,
) {
  const waiting: Waiting<Call, Result>[] = [];
  let running = 0;
  let isPlanned = false;

  function plan(): void {
    if (isPlanned || running >= maxRunning || waiting.length === 0) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      start();
    });
  }

  function start(): void {
    const batch = waiting.splice(0, maxBatch);
    running += 1;
    answer(batch).finally(() => {
      running -= 1;
      plan();
    });
    plan();
  }

  async function answer(batch: Waiting<Call, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ call }) => call));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result === undefined) reject(new Error('A run left a call without a result.'));
        else resolve(result);
      }
    } catch (cause) {
      if (batch.length === 1 || !mayRunAlone(cause)) for (const { reject } of batch) reject(cause);
      else await Promise.all(batch.map((one) => answer([one])));
    }
  }

  return (call: Call): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject });
      plan();
    });
}
