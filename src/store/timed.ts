import type { Database } from './database.ts';

/** The same database, which also tells how long each write took, failed ones included. */
export const timed = (database: Database, onWrite: (seconds: number) => void): Database => ({
  ...database,
  async write(work) {
    const startedAt = performance.now();
    try {
      return await database.write(work);
    } finally {
      onWrite((performance.now() - startedAt) / 1000);
    }
  },
});
