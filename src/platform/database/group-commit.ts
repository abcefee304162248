import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { Db } from './database.ts';
import { sqliteBusy, sqliteCode } from './unusable.ts';

const maxBatch = 256;
const lockWaitMs = 10_000;
const lockRetryMs = 5;

type Work<Result> = (db: Db) => Promise<Result>;

interface Job {
  run(): Promise<void>;
  resolve(): void;
  reject(cause: unknown): void;
}

/**
 * Writes that arrive together share one commit, so 64 clients wait for one disk flush instead of 64. No request is answered
 * before the commit. A write that is refused (`AppError`) before it has changed a row leaves the others as they are. If a write
 * fails otherwise, the transaction is rolled back and each write runs again in its own transaction. A savepoint for each
 * write would avoid that, at two more statements for every write (docs/decisions/0002-group-commit.md).
 */
export function createGroupCommit(connection: DatabaseSync, db: Db) {
  // SQLite would block the whole process while it waits for a lock; begin() below waits without blocking.
  connection.exec('pragma busy_timeout = 0');
  const totalChanges = connection.prepare('select total_changes() as rows');
  /** How many rows this connection has changed since it was opened. */
  const changedRows = () => totalChanges.get()?.rows;
  let waiting: Job[] = [];
  let draining: Promise<void> | undefined;

  function write<Result>(work: Work<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let outcome: { value: Result } | undefined;
      waiting.push({
        async run() {
          outcome = { value: await work(db) };
        },
        resolve() {
          if (outcome) resolve(outcome.value);
        },
        reject,
      });
      draining ??= drain();
    });
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      const batch = waiting;
      waiting = [];
      await commit(batch);
    }
    draining = undefined;
  }

  /** Waits as long as each turn of the event loop brings more writes. That costs microseconds, a commit costs a flush. */
  async function gather(): Promise<void> {
    let seen: number;
    do {
      seen = waiting.length;
      await nextTurn();
    } while (waiting.length > seen && waiting.length < maxBatch);
  }

  async function commit(batch: Job[]): Promise<void> {
    let running = false;
    const refusals = new Map<Job, AppError>();
    try {
      await begin();
      running = true;
      for (const job of batch) {
        const refusal = await refusalOf(job);
        if (refusal) refusals.set(job, refusal);
      }
      running = false;
      connection.exec('commit');
    } catch (cause) {
      rollBack();
      if (running && batch.length > 1) for (const job of batch) await commit([job]);
      else for (const job of batch) job.reject(cause);
      return;
    }
    // A refusal too is told after the commit: it may rest on what another write of the batch stored.
    for (const job of batch) {
      const refusal = refusals.get(job);
      if (refusal) job.reject(refusal);
      else job.resolve();
    }
  }

  /** Runs the write; returns why it was refused, if it has changed nothing. */
  async function refusalOf(job: Job): Promise<AppError | undefined> {
    const before = changedRows();
    try {
      await job.run();
      return undefined;
    } catch (cause) {
      if (cause instanceof AppError && changedRows() === before) return cause;
      throw cause;
    }
  }

  /** While another process holds the write lock, this one can still read and answer. */
  async function begin(): Promise<void> {
    const deadline = performance.now() + lockWaitMs;
    while (true) {
      try {
        connection.exec('begin immediate');
        return;
      } catch (cause) {
        if (sqliteCode(cause) !== sqliteBusy || performance.now() > deadline) throw cause;
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
