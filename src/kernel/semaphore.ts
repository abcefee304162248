import { AppError } from '../domain/errors.ts';

/** How many of something each person may have running at a time, on this server. `name` is what the refusal calls them. */
export interface Bound {
  readonly name: string;
  readonly most: number;
}

/** Keeps a bound. `run` gives the place back whatever way the work ends. */
export function perPerson({ name, most }: Bound) {
  const running = new Map<string, number>();
  return async <Result>(userId: string, work: () => Promise<Result>): Promise<Result> => {
    const mine = running.get(userId) ?? 0;
    if (mine >= most)
      throw new AppError(
        'concurrency_limit',
        `${most} ${name} of yours are running; wait until one is done.`,
      );
    running.set(userId, mine + 1);
    try {
      return await work();
    } finally {
      const left = (running.get(userId) ?? 1) - 1;
      if (left === 0) running.delete(userId);
      else running.set(userId, left);
    }
  };
}
