import type { SqlEngine } from './engine.ts';

/** The same engine, which also tells how long each write took, failed ones included. */
export const timed = (engine: SqlEngine, onWrite: (seconds: number) => void): SqlEngine => ({
  ...engine,
  async write(work, options) {
    const startedAt = performance.now();
    try {
      return await engine.write(work, options);
    } finally {
      onWrite((performance.now() - startedAt) / 1000);
    }
  },
});
