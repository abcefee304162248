/** Too many wait already, or this one waited too long. */
export class GateClosed extends Error {}

interface Options {
  /** How much runs at once. */
  most: number;
  maxWaiting: number;
  maxWaitMs: number;
}

export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Lets a few pieces of work run at once and the others wait their turn, so that a crowd does not hold up everybody else. */
export function createGate({ most, maxWaiting, maxWaitMs }: Options): Gate {
  let running = 0;
  const waiting = new Set<() => void>();

  function turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      clearTimeout(timer);
      waiting.delete(enter);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(enter);
      reject(new GateClosed('waited too long'));
    }, maxWaitMs);
    waiting.add(enter);
    return promise;
  }

  return async (work) => {
    if (running >= most) {
      if (waiting.size >= maxWaiting) throw new GateClosed('too many wait');
      await turn();
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
