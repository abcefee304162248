import { AppError } from '../domain/errors.ts';
import { WriterFailed } from '../domain/language.ts';
import { describeFault, type Log } from '../lib/log.ts';
import { createRunner, JobLost, TurnOver } from '../lib/runner.ts';
import type { ClaimedJob } from '../ports/language-store.ts';
import { type JobDependencies, writeForNote } from './job.ts';

/** A model on the same machine writes one or two texts at a time. */
const mostJobs = 2;
const lookEveryMs = 5_000;
/** With the pauses below, about five minutes. */
const mostFaults = 6;
const firstPauseMs = 5_000;

interface Dependencies extends JobDependencies {
  log: Log;
  /** Gets how each try ended. */
  onEnd?(outcome: 'done' | 'failed' | 'retried'): void;
}

/** Works on the queue of texts to write, beside other servers that do the same. */
export function createLanguageWorker(dependencies: Dependencies) {
  const { store, writer, log, clock, signals, onEnd } = dependencies;
  const queue = store.languageQueue;
  const at = (ms: number) => new Date(ms).toISOString();
  const runner = createRunner<object>({
    look,
    lookEveryMs,
    onFault: (cause) =>
      log.warn({ fault: describeFault(cause) }, 'The queue of texts does not answer; will look again'),
  });
  const { running } = runner;

  async function look(): Promise<void> {
    // Without a model, jobs from before wait for one.
    if (!writer.isOn) return;
    const left = await queue.giveBack([...running.keys()], at(clock()));
    if (left > 0) log.warn({ jobs: left }, 'Texts that the database kept for this server wait again');
    while (!runner.isClosed() && running.size < mostJobs) {
      const job = await queue.claim(at(clock()), [...running.keys()]);
      if (!job) return;
      begin(job);
      signals.notify(job.id);
    }
  }

  function begin(job: ClaimedJob): void {
    runner.begin(job.id, {}, (signal) =>
      writeForNote(dependencies, job, signal)
        .then(
          () => onEnd?.('done'),
          (cause: unknown) => putAway(job, cause, signal.aborted),
        )
        // The next look gives it back.
        .catch((cause: unknown) =>
          log.warn({ job: job.id, fault: describeFault(cause) }, 'A text could not be put back'),
        )
        .finally(() => signals.notify(job.id)),
    );
  }

  async function putAway(job: ClaimedJob, cause: unknown, isStopped: boolean): Promise<void> {
    const now = clock();
    // Of a job that is lost to this server, nothing is released; that of a suspended account waits.
    if (isStopped || cause instanceof JobLost || cause instanceof TurnOver) {
      await queue.release(job.id, { notBefore: at(now) }, at(now));
      return;
    }
    const error =
      cause instanceof AppError ? cause : new AppError('internal_error', 'The server failed on this text.');
    const isOurs = cause instanceof WriterFailed ? !cause.isLasting : error.status >= 500;
    const faults = job.faults + 1;
    if (isOurs) log.warn({ job: job.id, fault: describeFault(cause) }, 'A text could not be written');
    if (!isOurs || faults > mostFaults) {
      onEnd?.('failed');
      await queue.fail(job.id, error, at(now));
      return;
    }
    onEnd?.('retried');
    const pauseMs = Math.max((error.retryAfterSeconds ?? 0) * 1_000, firstPauseMs * 2 ** (faults - 1));
    await queue.release(job.id, { notBefore: at(now + pauseMs), faults, error }, at(now));
  }

  runner.wake();

  return {
    wake: runner.wake,
    /** Stops writing what was cancelled. */
    cancel: (id: string) => runner.stop(id, new JobLost()),
    close: runner.close,
    /** For operators. Rejects if the database does not answer. */
    async state() {
      const found = await queue.inQueue();
      const ageOf = ({ count, since }: typeof found.queued) => ({
        count: Number(count),
        oldestSeconds: since === null ? 0 : Math.max(0, Math.round((clock() - Date.parse(since)) / 1_000)),
      });
      return { queued: ageOf(found.queued), writing: ageOf(found.writing) };
    },
  };
}

export type LanguageWorker = ReturnType<typeof createLanguageWorker>;
