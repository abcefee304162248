import { AppError } from '../domain/errors.ts';
import { describeFault, type Log } from '../lib/log.ts';
import { createRunner, JobLost, TurnOver } from '../lib/runner.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import type { Authorized, Reach } from './authorized.ts';
import type { Actor, CommandContext, Context } from './context.ts';
import type { Parts } from './parts.ts';
import { act, contextFor } from './run.ts';

const lookEveryMs = 5_000;
const firstPauseMs = 5_000;

/** A row that this server works on. `faults`: how many tries failed. */
export interface Claimed {
  readonly id: string;
  readonly faults: number;
}

export interface Again {
  readonly notBefore: string;
  readonly faults?: number;
  readonly error?: Pick<AppError, 'code' | 'message'>;
}

/**
 * The queries of a queue that several servers share; the rows in work are the queue. A row belongs to its server until it ends,
 * that server gives it back or is gone, and no other server can write to it.
 */
export interface Queue<Row extends Claimed> {
  /** What the database keeps for this server. */
  held(database: Database): Promise<string[]>;
  claim(database: Database, now: string, running: readonly string[]): Promise<Row | undefined>;
  /** False if the row is lost to this server, or its account is suspended. Otherwise it stays this server's until the transaction ends. */
  holds(tx: Tx, server: string, id: string, now: string): Promise<boolean>;
  end(tx: Tx, id: string): Promise<void>;
  fail(
    tx: Tx,
    server: string,
    id: string,
    error: Pick<AppError, 'code' | 'message'>,
    now: string,
  ): Promise<void>;
  release(tx: Tx, server: string, id: string, again: Again, now: string): Promise<void>;
  /** How many wait and how many are in work, and since when. */
  lengths(database: Database): Promise<Record<'queued' | 'writing', QueueLength>>;
}

interface QueueLength {
  readonly count: number;
  readonly since: string | null;
}

/** For work that may take minutes: no transaction, and no rights. */
export interface WorkContext extends Pick<Context, 'db' | 'newId' | 'signal' | 'parts'> {
  /** Stores what is done so far, while the row is still this server's. Raises JobLost. */
  keep(write: (tx: Tx, now: string) => Promise<void>): Promise<void>;
}

/** What runs in the background for a person: with their rights, and after their request. */
export interface Job<Row extends Claimed, Who, Found extends object, Made> {
  readonly queue: Queue<Row>;
  /** What a row asks for, in messages. */
  readonly noun: string;
  /** How many at a time on one server. */
  readonly most: number;
  /** How many tries may fail for reasons of the server. */
  readonly mostFaults: number;
  /** False: the rows wait. */
  isOn(parts: Parts): boolean;
  whoOf(row: Row): Who;
  /** The record that the job is about, if this person may still act on it: asked before the work, and again where it is stored. */
  may(context: Reach<Who>, row: Row): Promise<Authorized<Found>>;
  work(context: WorkContext, row: Row, found: Found): Promise<Made>;
  /** In the transaction that ends the job: both are on disk, or neither. It locks what it builds on. */
  store(context: CommandContext<Who>, row: Row, found: Authorized<Found>, made: Made): Promise<void>;
  /** The id of the row that `store` locks. */
  locks(row: Row): string;
  /** Whether another try may go well. */
  isPassing(error: AppError): boolean;
  /** The row has another state now. */
  changed(parts: Parts, id: string): void;
}

/** Checks the types of a job. */
export const job = <Row extends Claimed, Who, Found extends object, Made>(
  given: Job<Row, Who, Found, Made>,
) => given;

/** Does the work for a row and stores it. Raises JobLost, and what the parts of the job raise; then nothing is stored. */
export async function carryOutJob<Row extends Claimed, Who, Found extends object, Made>(
  job: Job<Row, Who, Found, Made>,
  actor: Actor,
  row: Row,
  signal: AbortSignal,
): Promise<void> {
  const { db, newId, parts, who } = contextFor(actor, job.whoOf(row));
  const keep: WorkContext['keep'] = (write) =>
    actor.database.write(async (tx) => {
      const now = new Date(actor.clock()).toISOString();
      if (!(await job.queue.holds(tx, actor.database.processId, row.id, now))) throw new JobLost();
      await write(tx, now);
    });
  const made = await job.work({ db, newId, parts, signal, keep }, row, await job.may({ db, who }, row));
  await storeJob(job, actor, row, made);
}

/** What was allowed when the work began is asked again here. */
export const storeJob = <Row extends Claimed, Who, Found extends object, Made>(
  job: Job<Row, Who, Found, Made>,
  actor: Actor,
  row: Row,
  made: Made,
): Promise<void> =>
  act(contextFor(actor, job.whoOf(row)), { locks: true, rowId: job.locks(row) }, async (context) => {
    if (!(await job.queue.holds(context.tx, actor.database.processId, row.id, context.now)))
      throw new JobLost();
    await job.store(context, row, await job.may(context, row), made);
    await job.queue.end(context.tx, row.id);
  });

interface Options {
  readonly log: Log;
  /** Gets how each try ended. */
  onEnd?(outcome: 'done' | 'failed' | 'retried'): void;
}

/** Works on the queue of a job, beside other servers that do the same. */
export function runJobs<Row extends Claimed, Who, Found extends object, Made>(
  job: Job<Row, Who, Found, Made>,
  actor: Actor,
  { log, onEnd }: Options,
) {
  const { database, clock, parts } = actor;
  const { queue, noun } = job;
  const at = (ms: number) => new Date(ms).toISOString();
  const release = (id: string, again: Again) =>
    database.write((tx) => queue.release(tx, database.processId, id, again, at(clock())));
  const runner = createRunner<object>({
    look,
    lookEveryMs,
    onFault: (cause) =>
      log.warn({ fault: describeFault(cause) }, `The queue of ${noun}s does not answer; will look again`),
  });
  const { running } = runner;

  async function look(): Promise<void> {
    if (!job.isOn(parts)) return;
    const left = (await queue.held(database)).filter((id) => !running.has(id));
    for (const id of left) await release(id, { notBefore: at(clock()) });
    if (left.length > 0)
      log.warn({ jobs: left.length }, `Jobs that the database kept for this server wait again`);
    while (!runner.isClosed() && running.size < job.most) {
      const row = await queue.claim(database, at(clock()), [...running.keys()]);
      if (!row) return;
      begin(row);
      job.changed(parts, row.id);
    }
  }

  function begin(row: Row): void {
    runner.begin(row.id, {}, (signal) =>
      carryOutJob(job, actor, row, signal)
        .then(
          () => onEnd?.('done'),
          (cause: unknown) => putAway(row, cause, signal.aborted),
        )
        // The next look gives it back.
        .catch((cause: unknown) =>
          log.warn({ job: row.id, fault: describeFault(cause) }, `A ${noun} could not be put back`),
        )
        .finally(() => job.changed(parts, row.id)),
    );
  }

  async function putAway({ id, faults: before }: Row, cause: unknown, isStopped: boolean): Promise<void> {
    // A job that is lost belongs to another server, and is not released; the job of a suspended account waits.
    if (isStopped || cause instanceof JobLost || cause instanceof TurnOver)
      return release(id, { notBefore: at(clock()) });
    const error =
      cause instanceof AppError
        ? cause
        : new AppError('internal_error', `The server failed on this ${noun}.`);
    const isOurs = job.isPassing(error);
    const faults = before + 1;
    if (isOurs) log.warn({ job: id, fault: describeFault(cause) }, `A ${noun} could not be written`);
    if (!isOurs || faults > job.mostFaults) {
      onEnd?.('failed');
      return database.write((tx) => queue.fail(tx, database.processId, id, error, at(clock())));
    }
    onEnd?.('retried');
    const pauseMs = Math.max((error.retryAfterSeconds ?? 0) * 1_000, firstPauseMs * 2 ** (faults - 1));
    return release(id, { notBefore: at(clock() + pauseMs), faults, error });
  }

  runner.wake();

  return {
    wake: runner.wake,
    /** Stops the work on a row that was cancelled. */
    cancel: (id: string) => runner.stop(id, new JobLost()),
    close: runner.close,
    /** For operators. Rejects if the database does not answer. */
    async state() {
      const { queued, writing } = await queue.lengths(database);
      return { queued: ageOf(queued, clock()), writing: ageOf(writing, clock()) };
    },
  };
}

/** Seconds since the first was queued; of those in work, since the one that is stuck longest made progress. */
export interface QueueAge {
  readonly count: number;
  readonly oldestSeconds: number;
}

export const ageOf = ({ count, since }: QueueLength, now: number): QueueAge => ({
  count,
  oldestSeconds: since === null ? 0 : Math.max(0, Math.round((now - Date.parse(since)) / 1_000)),
});
