import { AppError, serviceUnavailable } from '../domain/errors.ts';

/** How many of something may run at a time, on this server. `name` is what a refusal calls them. */
export interface Bound {
  readonly name: string;
  /** Of each person. */
  readonly most: number;
  /** Of all people together. */
  readonly inAll?: number;
}

/** Keeps a bound. `run` gives the place back whatever way the work ends. */
export function bounded({ name, most, inAll = Number.POSITIVE_INFINITY }: Bound) {
  const running = new Map<string, number>();
  let all = 0;
  return async <Result>(userId: string, work: () => Promise<Result>): Promise<Result> => {
    const mine = running.get(userId) ?? 0;
    if (mine >= most)
      throw new AppError(
        'concurrency_limit',
        most === 1
          ? `Another ${name} of yours is running; wait until it is done.`
          : `${most} ${name} of yours are running; wait until one is done.`,
      );
    if (all >= inAll)
      throw serviceUnavailable(`Many people have an ${name} running. Try again in a minute.`, {
        retryAfterSeconds: 60,
      });
    running.set(userId, mine + 1);
    all += 1;
    try {
      return await work();
    } finally {
      all -= 1;
      const left = (running.get(userId) ?? 1) - 1;
      if (left === 0) running.delete(userId);
      else running.set(userId, left);
    }
  };
}
