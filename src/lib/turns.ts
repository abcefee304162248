/** Runs work with the same name one after the other, in the order of the calls. */
export function createTurns() {
  const lastOf = new Map<string, Promise<void>>();

  return async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const before = lastOf.get(name);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    lastOf.set(name, over);
    try {
      await before;
      return await work();
    } finally {
      if (lastOf.get(name) === over) lastOf.delete(name);
      end();
    }
  };
}
