import { AppError } from '../../domain/errors.ts';

interface Admitted {
  stop: AbortController;
  ended: Promise<unknown>;
}

/** For long work of people: one each, a bounded number in all, and only some of them at work at once, in the order they came. */
export function createPlaces({ name, atOnce, inAll }: { name: string; atOnce: number; inAll: number }) {
  const admitted = new Map<string, Admitted>();
  const line: (() => void)[] = [];
  let free = atOnce;
  let isClosed = false;

  /** Raises the signal's reason if that comes before its turn. */
  async function inPlace<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    if (free > 0) free -= 1;
    else await turn(signal);
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else free += 1;
    }
  }

  function turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        line.splice(line.indexOf(begin), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      line.push(begin);
    });
  }

  return {
    /** `work` gets a signal that also aborts at shutdown. Raises `concurrency_limit` and `service_unavailable`. */
    async admit<Result>(
      userId: string,
      client: AbortSignal,
      work: (
        signal: AbortSignal,
        inPlace: <Inner>(part: () => Promise<Inner>) => Promise<Inner>,
      ) => Promise<Result>,
    ): Promise<Result> {
      if (admitted.has(userId))
        throw new AppError(
          'concurrency_limit',
          `Another ${name} of yours is running. Wait until it is done.`,
        );
      if (isClosed || admitted.size >= inAll) throw busy(name);
      const stop = new AbortController();
      const signal = AbortSignal.any([client, stop.signal]);
      const result = work(signal, (part) => inPlace(signal, part));
      // The caller gets the fault.
      const ended = result.catch(() => {}).finally(() => admitted.delete(userId));
      admitted.set(userId, { stop, ended });
      await ended;
      return result;
    },

    /** Stops everybody's work, and takes no more. */
    async close(): Promise<void> {
      isClosed = true;
      for (const { stop } of admitted.values()) stop.abort(busy(name));
      await Promise.all([...admitted.values()].map(({ ended }) => ended));
    },
  };
}

const busy = (name: string) =>
  new AppError('service_unavailable', `The server cannot do your ${name} now. Try again in a minute.`, {
    retryAfterSeconds: 60,
  });
