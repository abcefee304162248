import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Db } from './engine.ts';

const lockWaitMs = 10_000;
const lockRetryMs = 5;
const sqliteBusy = 5;

type Work<Result> = (db: Db) => Promise<Result>;

interface Job {
  /** Rejects only when the whole transaction is gone. */
  run(): Promise<void>;
  resolve(): void;
  reject(cause: unknown): void;
}

/**
 * Writes that arrive together share one commit, so sixty-four clients wait for one disk flush and not for sixty-four.
 * Each has a savepoint of its own: one that fails takes only itself back. Nobody is answered before the commit.
 */
export function createGroupCommit(connection: DatabaseSync, db: Db, onCommit: () => void = () => {}) {
  // SQLite would wait for a lock by stopping the whole process; begin() below waits without.
  connection.exec('pragma busy_timeout = 0');
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
    let running = false;
    try {
      await begin();
      running = true;
      for (const job of batch) await job.run();
      running = false;
      connection.exec('commit');
      onCommit();
    } catch (cause) {
      rollBack();
      // One job took the transaction of all with it: the others get one without it.
      if (running && batch.length > 1) for (const job of batch) await commit([job]);
      else for (const job of batch) job.reject(cause);
      return;
    }
    for (const job of batch) job.resolve();
  }

  /** While another process holds the write lock this one goes on reading and answering. */
  async function begin(): Promise<void> {
    const deadline = performance.now() + lockWaitMs;
    while (true) {
      try {
        connection.exec('begin immediate');
        return;
      } catch (cause) {
        if (!isBusy(cause) || performance.now() > deadline) throw cause;
      }
      await sleep(lockRetryMs);
    }
  }

  function rollBack(): void {
    if (connection.isOpen && connection.isTransaction) connection.exec('rollback');
  }

  return {
    write,
    /** Resolves when nothing is waiting to be written. */
    async idle() {
      await draining;
    },
  };
}

/** The low byte is the kind of the error, those above it the detail. */
const isBusy = (cause: unknown) =>
  cause instanceof Error &&
  'errcode' in cause &&
  typeof cause.errcode === 'number' &&
  (cause.errcode & 0xff) === sqliteBusy;
