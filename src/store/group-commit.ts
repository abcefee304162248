import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from './engine.ts';

type Work<Result> = (db: Db) => Promise<Result>;

interface Job {
  run(): Promise<void>;
  resolve(): void;
  reject(cause: unknown): void;
}

/**
 * Writes that arrive together share one commit, so sixty-four clients wait for one disk flush and not for sixty-four.
 * Each has a savepoint of its own: one that fails takes only itself back. Nobody is answered before the commit.
 */
export function createGroupCommit(connection: DatabaseSync, db: Db) {
  let waiting: Job[] = [];
  let draining: Promise<void> | undefined;

  function write<Result>(work: Work<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let outcome: { value: Result } | { cause: unknown } | undefined;
      waiting.push({
        async run() {
          connection.exec('savepoint job');
          try {
            outcome = { value: await work(db) };
          } catch (cause) {
            outcome = { cause };
            // A full disk makes SQLite roll the whole transaction back by itself; then there is no savepoint left.
            if (!connection.isTransaction) throw cause;
            connection.exec('rollback to job');
          }
          connection.exec('release job');
        },
        resolve() {
          if (outcome && 'value' in outcome) resolve(outcome.value);
          else reject(outcome?.cause);
        },
        reject,
      });
      draining ??= drain();
    });
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      // One turn of the event loop: every request that has already arrived gets to queue its write.
      await nextTurn();
      const batch = waiting;
      waiting = [];
      await commit(batch);
    }
    draining = undefined;
  }

  async function commit(batch: Job[]): Promise<void> {
    try {
      connection.exec('begin immediate');
      for (const job of batch) await job.run();
      connection.exec('commit');
    } catch (cause) {
      if (connection.isTransaction) connection.exec('rollback');
      for (const job of batch) job.reject(cause);
      return;
    }
    for (const job of batch) job.resolve();
  }

  return {
    write,
    /** Resolves when nothing is waiting to be written. */
    async idle() {
      await draining;
    },
  };
}
