/** Too many wait already, or this one waited too long. */
export class GateClosed extends Error {}

interface Options {
  /** How much runs at once. */
  most: number;
  maxWaiting?: number;
  maxWaitMs?: number;
}

/** Raises the signal's reason if that comes before its turn. */
export type Gate = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

/** Lets a few pieces of work run at once and the others wait their turn, so that many callers at once do not hold up other requests. */
export function createGate({ most, maxWaiting = Number.POSITIVE_INFINITY, maxWaitMs }: Options): Gate {
  let running = 0;
  const waiting = new Set<() => void>();

  function turn(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leaveBy = (settle: () => void) => () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      waiting.delete(enter);
      settle();
    };
    const enter = leaveBy(resolve);
    const leave = leaveBy(() => reject(signal?.reason));
    const late = leaveBy(() => reject(new GateClosed('waited too long')));
    const timer = maxWaitMs === undefined ? undefined : setTimeout(late, maxWaitMs);
    signal?.addEventListener('abort', leave);
    waiting.add(enter);
    return promise;
  }

  return async (work, signal) => {
    signal?.throwIfAborted();
    if (running >= most) {
      if (waiting.size >= maxWaiting) throw new GateClosed('too many wait');
      await turn(signal);
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next, or is free.
      const [next] = waiting;
      if (next) next();
      else running -= 1;
    }
  };
}
