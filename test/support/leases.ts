import type { Authority } from '../../src/domain/principal.ts';
import type { Transcription } from '../../src/domain/transcription.ts';
import type { Period } from '../../src/domain/usage.ts';
import { beginPause, endPause, pauseState, refuseWhilePaused } from '../../src/features/transcribe/pause.ts';
import * as queries from '../../src/features/transcribe/queries.ts';
import type { CommandContext, Context } from '../../src/kernel/context.ts';
import type { Database } from '../../src/platform/database/database.ts';

type Quota = { limitMs: number; month: Period };

/** Leases of transcriptions, at the times that a test names; each act in a transaction of its own. */
export function leaseRows(database: Database) {
  return {
    leases: {
      acquire: async (lease: Parameters<typeof queries.acquire>[2], now: string) => {
        const runningUntil = await database.write((tx) => queries.acquire(database, tx, lease, now));
        return runningUntil === undefined ? 'taken' : { runningUntil };
      },
      renew: (id: string, expiresAt: string, now: string) =>
        database.write((tx) => queries.renew(tx, id, expiresAt, now)),
      left: async (id: string, quota: Quota, now: string) =>
        (await queries.left(database.db, id, quota, now)) ?? 0,
      reserve: (id: string, { audioMs, ...quota }: Quota & { audioMs: number }, now: string) =>
        database.write(async (tx) => {
          const leftMs = await queries.left(tx, id, quota, now);
          if (leftMs === undefined) return { outcome: 'lost' };
          if (audioMs > leftMs) return { outcome: 'quota exceeded', leftMs };
          await queries.reserve(tx, id, audioMs, now);
          return { outcome: 'ok' };
        }),
      settle: (id: string, record: Transcription, now: string) =>
        database.write((tx) => queries.settle(tx, id, record, now)),
      release: (id: string) => database.write((tx) => queries.release(tx, id)),
    },
  };
}

interface Services {
  act<Result>(work: (context: CommandContext<Authority>) => Promise<Result>): Promise<Result>;
  look(): Pick<Context, 'db' | 'now' | 'parts'>;
}

/** The pause of transcription, as the operator and each call see it. */
export const pauseOf = ({ act, look }: Services) => ({
  state: () => pauseState(look()),
  check: () => refuseWhilePaused(look()),
  async begin(minutes?: number) {
    await act((context) => beginPause(context, minutes));
    return pauseState(look());
  },
  async end() {
    await act(endPause);
    return pauseState(look());
  },
});
