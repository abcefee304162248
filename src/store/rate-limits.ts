import { sql } from 'kysely';
import { dayMs, minuteMs, type RateUsage, takeFrom, unused } from '../domain/rate-limit.ts';
import { describeFault, type Log } from '../lib/log.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { Database } from './database.ts';

const flushEveryMs = 1_000;

export function createRateLimiter(database: Database, clock: Clock, log: Log): Promise<RateLimiter> {
  return database.singleProcess ? inMemory(database, clock, log) : inDatabase(database, clock);
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
  const unsaved = new Set<string>();
  const timer = setInterval(() => {
    flush().catch((cause: unknown) =>
      log.warn({ fault: describeFault(cause) }, 'Could not save the rate limit counters; will try again'),
    );
  }, flushEveryMs).unref();

  async function flush(): Promise<void> {
    if (unsaved.size === 0) return;
    const keyIds = [...unsaved];
    unsaved.clear();
    const values = keyIds.flatMap((keyId) => {
      const usage = usageOf.get(keyId);
      return usage ? [toRow(keyId, usage)] : [];
    });
    try {
      await database.write(async (trx) => {
        for (const row of values)
          await trx
            .insertInto('rate_usage')
            .values(row)
            .onConflict((conflict) => conflict.column('key_id').doUpdateSet(row))
            .execute();
      });
    } catch (cause) {
      for (const keyId of keyIds) unsaved.add(keyId);
      throw cause;
    }
  }

  return {
    async take(keyId, cost, plan) {
      const decision = takeFrom(usageOf.get(keyId) ?? unused, cost, plan, clock());
      usageOf.set(keyId, decision.usage);
      unsaved.add(keyId);
      return decision;
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** One statement per call charges both windows, or neither if there is no room. Exact across replicas. */
async function inDatabase(database: Database, clock: Clock): Promise<RateLimiter> {
  const { db } = database;
  return {
    async take(keyId, cost, plan) {
      const now = clock();
      const minuteStart = now - (now % minuteMs);
      const dayStart = now - (now % dayMs);
      // As `windowOf` in domain/rate-limit.ts.
      const sameMinute = sql`u.minute_start between ${minuteStart} and ${minuteStart + minuteMs}`;
      const sameDay = sql`u.day_start between ${dayStart} and ${dayStart + dayMs}`;
      const minuteUsed = sql`case when ${sameMinute} then u.minute_used else 0 end + ${cost}`;
      const dayUsed = sql`case when ${sameDay} then u.day_used else 0 end + ${cost}`;
      const fits = cost <= plan.requestsPerMinute && cost <= plan.requestsPerDay;
      const charged = await sql<Row>`
        insert into rate_usage as u (key_id, minute_start, minute_used, day_start, day_used)
        select ${keyId}, ${minuteStart}::bigint, ${cost}::int, ${dayStart}::bigint, ${cost}::int where ${fits}
        on conflict (key_id) do update set
          minute_start = case when ${sameMinute} then u.minute_start else ${minuteStart} end,
          minute_used = ${minuteUsed},
          day_start = case when ${sameDay} then u.day_start else ${dayStart} end,
          day_used = ${dayUsed}
        where ${minuteUsed} <= ${plan.requestsPerMinute} and ${dayUsed} <= ${plan.requestsPerDay}
        returning *`.execute(db);
      const row = charged.rows[0];
      if (row) return { allowed: true, plan, usage: fromRow(row) };
      const full = await db
        .selectFrom('rate_usage')
        .selectAll()
        .where('key_id', '=', keyId)
        .executeTakeFirst();
      const usage = takeFrom(full ? fromRow(full) : unused, 0, plan, now).usage;
      return { allowed: false, plan, usage };
    },
    async close() {},
  };
}

interface Row {
  key_id: string;
  minute_start: number;
  minute_used: number;
  day_start: number;
  day_used: number;
}

const fromRow = (row: Row): RateUsage => ({
  minuteStart: row.minute_start,
  minuteUsed: row.minute_used,
  dayStart: row.day_start,
  dayUsed: row.day_used,
});

const toRow = (keyId: string, usage: RateUsage): Row => ({
  key_id: keyId,
  minute_start: usage.minuteStart,
  minute_used: usage.minuteUsed,
  day_start: usage.dayStart,
  day_used: usage.dayUsed,
});
