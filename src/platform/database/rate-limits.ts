import { dayMs, type RateLimiter, type RateUsage, takeFrom, unused } from '../../domain/rate-limit.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { saveLater } from '../../lib/saver.ts';
import type { Database } from './database.ts';
import { createSharedLimiter } from './rate-limits-shared.ts';
import { fromRow, toRow } from './rate-usage.ts';

const flushEveryMs = 1_000;
const maxForgetful = 100_000;
const failurePrefix = 'failures ';
const removeFailuresEveryMs = 600_000;

export async function createRateLimiter(database: Database, clock: Clock, log: Log): Promise<RateLimiter> {
  return database.singleProcess ? inMemory(database, clock, log) : createSharedLimiter(database.quick, clock);
}

/** Counts failed sign-ins per network, for the whole installation. */
export function createFailureCounter(database: Database, limiter: RateLimiter, clock: Clock): RateLimiter {
  if (database.singleProcess) return createForgetfulLimiter(clock);
  const timer = setInterval(() => {
    // Old rows do no harm, and the next round removes them.
    removeOldFailures(database, clock()).catch(() => {});
  }, removeFailuresEveryMs).unref();
  return {
    take: (network, cost, limits) => limiter.take(failurePrefix + network, cost, limits),
    async close() {
      clearInterval(timer);
    },
  };
}

const removeOldFailures = ({ db }: Database, now: number) =>
  db
    .deleteFrom('rate_usage')
    .where('key_id', 'like', `${failurePrefix}%`)
    .where('minute_start', '<', now - removeFailuresEveryMs)
    .execute();

/** Counts that need not outlive the process, in bounded memory. */
export function createForgetfulLimiter(clock: Clock): RateLimiter {
  const usageOf = new Map<string, RateUsage>();
  return {
    async take(name, cost, limits) {
      if (usageOf.size >= maxForgetful) usageOf.clear();
      const decision = takeFrom(usageOf.get(name) ?? unused, cost, limits, clock());
      usageOf.set(name, decision.usage);
      return decision;
    },
    async close() {},
  };
}

/**
 * Counts in memory and saves later, so that a read costs no disk write. A clean stop keeps every count; a crash loses at
 * most the last second.
 */
async function inMemory(database: Database, clock: Clock, log: Log): Promise<RateLimiter> {
  const today = clock() - (clock() % dayMs);
  const rows = await database.db
    .selectFrom('rate_usage')
    .selectAll()
    .where('day_start', '>=', today)
    .execute();
  const usageOf = new Map<string, RateUsage>(rows.map((row) => [row.key_id, fromRow(row)]));
  const unsaved = new Map<string, RateUsage>();
  const saver = saveLater(unsaved, {
    everyMs: flushEveryMs,
    log,
    what: 'the rate limit counters',
    save: (batch) =>
      database.write(async (trx) => {
        for (const [keyId, usage] of batch) {
          const row = toRow(keyId, usage);
          await trx
            .insertInto('rate_usage')
            .values(row)
            .onConflict((conflict) => conflict.column('key_id').doUpdateSet(row))
            .execute();
        }
      }),
    putBack(keyId, usage) {
      if (!unsaved.has(keyId)) unsaved.set(keyId, usage);
    },
  });

  return {
    async take(keyId, cost, plan) {
      const decision = takeFrom(usageOf.get(keyId) ?? unused, cost, plan, clock());
      usageOf.set(keyId, decision.usage);
      unsaved.set(keyId, decision.usage);
      return decision;
    },
    close: saver.close,
  };
}
