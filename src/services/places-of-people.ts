import { AppError } from '../domain/errors.ts';

/** How many of something each person may have running at a time, on this server. */
export function createPlacesOfPeople({ name, most }: { name: string; most: number }) {
  const taken = new Map<string, number>();
  return {
    /** Returns what gives the place back. Raises `concurrency_limit`. */
    enter(userId: string): () => void {
      const mine = taken.get(userId) ?? 0;
      if (mine >= most)
        throw new AppError(
          'concurrency_limit',
          `${most} ${name} of yours are running; wait until one is done.`,
        );
      taken.set(userId, mine + 1);
      return () => {
        const left = (taken.get(userId) ?? 1) - 1;
        if (left === 0) taken.delete(userId);
        else taken.set(userId, left);
      };
    },
  };
}
