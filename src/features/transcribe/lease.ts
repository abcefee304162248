import { AppError } from '../../domain/errors.ts';
import type { Plan } from '../../domain/plans.ts';
import { TranscriberUnavailable } from '../../domain/speech-errors.ts';
import type { Transcription } from '../../domain/transcription.ts';
import { audioLimitMs, dayInWords, monthOf } from '../../domain/usage.ts';
import type { StreamContext } from '../../kernel/context.ts';
import * as queries from './queries.ts';

/** If the server hangs for this long, the key is free. After a crash it is free at once. */
const leaseMs = 20_000;
const renewEveryMs = 5_000;

/** The right to transcribe on one key, until `settle` or `end`. */
export interface Lease {
  /** Aborts with the caller's signal, or when the lease is lost. */
  readonly signal: AbortSignal;
  /** What is left of the month's minutes now. A recording that is longer need not be decoded to its end. */
  leftMs(): Promise<number>;
  /** Reserves the minutes. Raises `quota_exceeded`, and `service_unavailable` if the lease was lost. */
  reserve(audioMs: number): Promise<void>;
  /** Stores and counts the record and ends the lease. Raises `service_unavailable` if the lease was lost. */
  settle(record: Transcription): Promise<void>;
  /** Frees the key and the minutes unless they are settled. Never raises: a lease that cannot be freed expires. */
  end(): Promise<void>;
}

/** What transcribing uses of its context. */
export type Acting = Pick<StreamContext, 'db' | 'database' | 'who' | 'now' | 'newId' | 'parts' | 'complete'>;

/** Raises `concurrency_limit` if a transcription is already running on the key. */
export async function takeLease(
  { database, who, newId, parts: { clock, plans }, complete }: Acting,
  signal: AbortSignal,
): Promise<Lease> {
  const id = newId();
  const at = (ms: number) => new Date(ms).toISOString();
  const wanted = { id, keyId: who.limitKey, userId: who.userId, expiresAt: at(clock() + leaseMs) };
  const runningUntil = await database.write((tx) => queries.acquire(database, tx, wanted, at(clock())));
  if (runningUntil !== undefined)
    throw new AppError(
      'concurrency_limit',
      'A transcription is already running on this key; wait for it to end.',
      { retryAfterSeconds: Math.max(1, Math.ceil((Date.parse(runningUntil) - clock()) / 1000)) },
    );

  const lost = new AbortController();
  const renewal = setInterval(renew, renewEveryMs).unref();
  const plan = plans[who.plan];
  const limitMs = audioLimitMs(plan);
  let leftMs = Number.POSITIVE_INFINITY;
  let settled = false;

  async function renew(): Promise<void> {
    try {
      const now = clock();
      const isHeld = await database.write((tx) => queries.renew(tx, id, at(now + leaseMs), at(now)));
      if (!isHeld) lost.abort(leaseLost());
    } catch {
      // The database may be away for a moment. If it was away for too long, `settle` will notice.
    }
  }

  return {
    signal: AbortSignal.any([signal, lost.signal]),

    async leftMs() {
      const now = clock();
      leftMs = (await queries.left(database.db, id, { limitMs, month: monthOf(now) }, at(now))) ?? 0;
      return leftMs;
    },

    reserve(audioMs) {
      const now = clock();
      const month = monthOf(now);
      return database.write(async (tx) => {
        const stillLeftMs = await queries.left(tx, id, { limitMs, month }, at(now));
        if (stillLeftMs === undefined) throw leaseLost();
        // Decoding stopped at what was left, so the rest is missing even if another recording has freed minutes meanwhile.
        if (audioMs > Math.min(leftMs, stillLeftMs))
          throw quotaExceeded(plan, audioMs > leftMs ? leftMs : stillLeftMs, month.until);
        await queries.reserve(tx, id, audioMs, at(now));
      });
    },

    async settle(record) {
      await database.write(async (tx) => {
        if (!(await queries.settle(tx, id, record, at(clock())))) throw leaseLost();
        await complete?.(tx, { id: record.id, kept: record });
      });
      settled = true;
    },

    async end() {
      clearInterval(renewal);
      if (!settled) await database.write((tx) => queries.release(tx, id)).catch(() => {});
    },
  };
}

const leaseLost = () =>
  new TranscriberUnavailable('The server was too slow; send the recording again.', {
    retryAfterSeconds: 1,
  });

function quotaExceeded(plan: Plan, leftMs: number, resetsAt: string): AppError {
  const quota = `${plan.audioMinutesPerMonth} audio minutes of this month`;
  const state =
    leftMs === 0
      ? `The ${quota} are used up`
      : `This recording is longer than the ${(leftMs / 1000).toFixed(1)} s left of the ${quota}`;
  return new AppError(
    'quota_exceeded',
    `${state}; the quota resets on ${dayInWords(resetsAt)} (${resetsAt}).`,
  );
}
