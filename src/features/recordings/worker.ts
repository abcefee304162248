import { AppError } from '../../domain/errors.ts';
import { DecoderUnavailable, SpeechOutOfOrder } from '../../domain/speech-errors.ts';
import { ageOf, type QueueAge } from '../../kernel/job.ts';
import { describeFault } from '../../lib/log.ts';
import { createRunner, JobLost, TurnOver } from '../../lib/runner.ts';
import { transcribeRecording } from './job.ts';
import * as queue from './queue.ts';
import type { Engine } from './recorder.ts';
import * as results from './results.ts';
import type { Within } from './storage.ts';

/** Each has a decoding process. The engine shares its workers between them, and POST /transcribe goes first. */
const mostJobs = 4;
/** People who speak now do not wait for one of these. A person has two of them (queue.ts). */
const mostLiveJobs = 8;
/** Longer jobs make room when others wait. The next turn decodes from the beginning, 5 ms for a second of audio. */
const turnMs = 300_000;
/** For what other servers queued, and what waits after a fault. */
const lookEveryMs = 5_000;
const mostFaults = 20;
const longestPauseMs = 60_000;
/** A chunk takes seconds, and the speakers of eight hours some minutes. After this long, something is wrong. */
const stillMs = 900_000;

/** The queue as operators see it. */
export interface QueueState extends Record<'queued' | 'transcribing', QueueAge> {
  /** Why nothing happens, though it should. */
  problem: string | null;
}

export interface WorkerOptions {
  pause: { state(): Promise<{ paused: boolean }> };
  /** Gets how each try ended. */
  onEnd?(outcome: 'done' | 'failed' | 'retried'): void;
}

/** Works on the queue of recordings, beside other servers that do the same. */
export function createRecordingWorker(engine: Engine, { pause, onEnd }: WorkerOptions) {
  const { database, clock, signals, parts } = engine;
  const { log } = parts;
  const runner = createRunner<{ isLive: boolean }>({
    look,
    lookEveryMs,
    onFault: (cause) =>
      log.warn({ fault: describeFault(cause) }, 'The queue of recordings does not answer; will look again'),
  });
  const { running, wake } = runner;
  const count = (isLive: boolean) => [...running.values()].filter((job) => job.isLive === isLive).length;
  const at = (ms: number) => new Date(ms).toISOString();
  const write = (work: (within: Within) => Promise<void>) => database.write((tx) => work({ database, tx }));

  async function look(): Promise<void> {
    const left = (await queue.held(database)).filter((id) => !running.has(id));
    for (const id of left)
      await write((within) => results.release(within, id, { notBefore: at(clock()) }, at(clock())));
    if (left.length > 0)
      log.warn({ recordings: left.length }, 'Recordings that the database kept for this server wait again');
    await fill(true, mostLiveJobs);
    await makeRoom();
    await fill(false, mostJobs);
  }

  async function fill(isLive: boolean, most: number): Promise<void> {
    while (!runner.isClosed() && count(isLive) < most && !(await pause.state()).paused) {
      const job = await queue.claim(database, at(clock()), { isLive, running: [...running.keys()] });
      if (!job) return;
      begin(job);
      signals.notify(job.id);
    }
  }

  /** Silent uploads give way to people who speak. Their place is filled when the job has ended. */
  async function makeRoom(): Promise<void> {
    const staying = [...running.values()].filter(({ isLive, stop }) => isLive && !stop.signal.aborted);
    if (staying.length < mostLiveJobs) return;
    const id = await queue.silentJob(database, at(clock()));
    if (id !== undefined) runner.stop(id, new TurnOver());
  }

  function begin(job: queue.RecordingJob): void {
    const turnEnd = performance.now() + turnMs;
    const checkTurn = async () => {
      if (job.isLive || count(false) < mostJobs || performance.now() < turnEnd) return;
      if (await queue.othersWait(database.db, job.user_id, at(clock()))) throw new TurnOver();
    };
    runner.begin(job.id, { isLive: job.isLive }, (signal) =>
      transcribeRecording(engine, job, signal, checkTurn)
        .then(
          () => onEnd?.('done'),
          (cause: unknown) => putAway(job, cause, signal.aborted),
        )
        // The next look gives it back.
        .catch((cause: unknown) =>
          log.warn({ recording: job.id, fault: describeFault(cause) }, 'A recording could not be put back'),
        )
        .finally(() => {
          signals.notify(job.id);
          // Not awaited: a store that hangs must not keep the server from stopping. Silent: housekeeping sweeps again.
          void parts.sweepAudio().catch(() => {});
        }),
    );
  }

  async function putAway(job: queue.RecordingJob, cause: unknown, isStopped: boolean): Promise<void> {
    const now = clock();
    if (cause instanceof JobLost) return;
    const release = (pauseMs: number, faults: number) =>
      write((within) => results.release(within, job.id, { notBefore: at(now + pauseMs), faults }, at(now)));
    if (isStopped || cause instanceof TurnOver) return release(0, job.faults);
    const isOurs = !(cause instanceof AppError) || cause.status >= 500;
    // A decoder or model that cannot be loaded comes back (after an `npm ci`, a restart), so no recording fails for it.
    const isMissing = cause instanceof DecoderUnavailable || cause instanceof SpeechOutOfOrder;
    const faults = job.faults + (isMissing ? 0 : 1);
    if (isOurs)
      log.warn({ recording: job.id, fault: describeFault(cause) }, 'A recording could not be transcribed');
    if (isOurs && faults <= mostFaults) {
      const pauseMs = isMissing ? longestPauseMs : Math.min(longestPauseMs, 1_000 * 2 ** faults);
      onEnd?.('retried');
      return release(pauseMs, faults);
    }
    onEnd?.('failed');
    const error =
      cause instanceof AppError
        ? cause
        : new AppError('internal_error', 'The server failed on this recording. Try again.');
    return write((within) => results.fail(within, job.id, error, at(now)));
  }

  wake();

  /** For operators. Rejects if the database does not answer. */
  async function state(): Promise<QueueState> {
    const found = await queue.lengths(database);
    const [queued, transcribing] = [ageOf(found.queued, clock()), ageOf(found.transcribing, clock())];
    const isStill = ({ oldestSeconds }: typeof queued) => oldestSeconds * 1_000 > stillMs;
    const minutes = (job: typeof queued) => `${Math.floor(job.oldestSeconds / 60)} minutes`;
    let problem: string | null = null;
    if (isStill(transcribing)) problem = `A recording has made no progress for ${minutes(transcribing)}.`;
    else if (isStill(queued) && transcribing.count === 0 && !(await pause.state()).paused)
      problem = `Recordings have waited for ${minutes(queued)}, and none is transcribed.`;
    return { queued, transcribing, problem };
  }

  return {
    state,
    wake,
    /** Stops working on a recording that was deleted. */
    cancel: (id: string) => runner.stop(id, new JobLost()),
    close: runner.close,
  };
}
