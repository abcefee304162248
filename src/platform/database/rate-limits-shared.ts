import { CompiledQuery } from 'kysely';
import {
  dayMs,
  minuteMs,
  type RateDecision,
  type RateLimiter,
  type RateLimits,
  type RateUsage,
  takeFrom,
  unused,
} from '../../domain/rate-limit.ts';
import type { Clock } from '../../lib/clock.ts';
import { createGather } from '../../lib/gather.ts';
import type { Db } from './database.ts';
import { fromRow, type UsageRow } from './rate-usage.ts';
import { unavailable } from './unusable.ts';

const maxBatch = 500;
/** About 10 MB. */
const mostKnown = 50_000;

interface Call {
  readonly keyId: string;
  readonly cost: number;
  readonly limits: RateLimits;
}

/** The calls of one key that are charged together; `sum` is the cost of those that should fit. */
interface Group {
  readonly keyId: string;
  readonly limits: RateLimits;
  readonly calls: Call[];
  sum: number;
}

/**
 * Counts for several servers, exactly. Calls that arrive during a count are counted together in the next: one sum per key,
 * one statement for all keys. A sum that does not fit is not charged at all. Then the calls are judged one by one against
 * what the key has used, and those that fit are charged as a smaller sum.
 */
export function createSharedLimiter(db: Db, clock: Clock, maxKnown = mostKnown): RateLimiter {
  /** What this server last saw of each key. Within a window use only grows, so what did not fit then does not fit now. */
  const known = new Map<string, RateUsage>();

  async function takeAll(calls: Call[]): Promise<RateDecision[]> {
    const now = clock();
    const decisions = new Map<Call, RateDecision>();
    const settle = (group: Group, before: RateUsage) => {
      replay(group, before, now, (call, decision) => decisions.set(call, decision));
    };
    let groups = groupByKey(calls);
    while (groups.length > 0) {
      // A key whose limits change at this moment has two groups; they take turns.
      const ofKey = new Map(groups.map((group) => [group.keyId, group]));
      const others = groups.filter((group) => ofKey.get(group.keyId) !== group);
      const hopeful: Group[] = [];
      for (const group of ofKey.values()) {
        const before = known.get(group.keyId) ?? unused;
        group.sum = costThatFits(group, before, now);
        if (group.sum > 0) hopeful.push(group);
        else settle(group, before);
      }
      groups = [...(await chargeAll(hopeful, now, settle)), ...others];
    }
    return calls.flatMap((call) => decisions.get(call) ?? []);
  }

  /** Returns the groups whose sum did not fit, or of which another server stored the first use just now. */
  async function chargeAll(groups: Group[], now: number, settle: (group: Group, before: RateUsage) => void) {
    if (groups.length === 0) return [];
    const charged = await chargeSums(db, groups, now);
    const refused = groups.filter((group, index) => {
      const usage = charged.get(index);
      if (!usage) return true;
      remember(group.keyId, usage);
      const { minuteUsed, dayUsed } = usage;
      settle(group, { ...usage, minuteUsed: minuteUsed - group.sum, dayUsed: dayUsed - group.sum });
      return false;
    });
    if (refused.length === 0) return [];
    const keyIds = refused.map(({ keyId }) => keyId);
    const rows = await db.selectFrom('rate_usage').selectAll().where('key_id', 'in', keyIds).execute();
    for (const row of rows) remember(row.key_id, fromRow(row));
    return refused;
  }

  function remember(keyId: string, usage: RateUsage): void {
    if (known.size >= maxKnown) known.clear();
    known.set(keyId, usage);
  }

  const take = createGather(takeAll, {
    maxBatch,
    maxRunning: 1,
    mayRunAlone: (cause) => unavailable(cause) === undefined,
  });
  return { take: (keyId, cost, limits) => take({ keyId, cost, limits }), async close() {} };
}

function groupByKey(calls: Call[]): Group[] {
  const groups = new Map<string, Group>();
  for (const call of calls) {
    const { keyId, limits } = call;
    const name = `${limits.requestsPerMinute} ${limits.requestsPerDay} ${keyId}`;
    const group = groups.get(name) ?? { keyId, limits, calls: [], sum: 0 };
    group.calls.push(call);
    groups.set(name, group);
  }
  // In the same order on every server, which prevents deadlocks.
  return [...groups.values()].sort((one, other) => (one.keyId < other.keyId ? -1 : 1));
}

/** Judges the calls one after the other. Returns what the key has used then. */
function replay(
  { calls, limits }: Group,
  before: RateUsage,
  now: number,
  judged: (call: Call, decision: RateDecision) => void,
): void {
  let usage = before;
  for (const call of calls) {
    const decision = takeFrom(usage, call.cost, limits, now);
    judged(call, decision);
    usage = decision.usage;
  }
}

function costThatFits(group: Group, before: RateUsage, now: number): number {
  let sum = 0;
  replay(group, before, now, ({ cost }, { allowed }) => {
    if (allowed) sum += cost;
  });
  return sum;
}

// As `windowOf` in domain/rate-limit.ts.
const sameMinute = 'u.minute_start between $5::bigint and $6::bigint';
const sameDay = 'u.day_start between $7::bigint and $8::bigint';
const minuteUsed = `case when ${sameMinute} then u.minute_used else 0 end + cost`;
const dayUsed = `case when ${sameDay} then u.day_used else 0 end + cost`;
// Every call is counted by it, so it is built once.
const charge = `
  with unhurried as materialized (select set_config('synchronous_commit', 'off', true)),
  asked as materialized (
    select a.* from unhurried, unnest($1::text[], $2::integer[], $3::bigint[], $4::bigint[])
      with ordinality as a (key_id, cost, per_minute, per_day, place)
  ), changed as (
    update rate_usage as u set
      minute_start = case when ${sameMinute} then u.minute_start else $5::bigint end,
      minute_used = ${minuteUsed},
      day_start = case when ${sameDay} then u.day_start else $7::bigint end,
      day_used = ${dayUsed}
    from asked
    where u.key_id = asked.key_id and ${minuteUsed} <= per_minute and ${dayUsed} <= per_day
    returning place, u.*
  ), made as (
    insert into rate_usage (key_id, minute_start, minute_used, day_start, day_used)
    select key_id, $5::bigint, cost, $7::bigint, cost from asked
    where cost <= per_minute and cost <= per_day
      and not exists (select from rate_usage where rate_usage.key_id = asked.key_id)
    on conflict (key_id) do nothing
    returning *
  )
  select * from changed
  union all
  select place, made.* from made join asked on asked.key_id = made.key_id and asked.cost = made.minute_used`;

/**
 * One statement charges each sum to both windows of its key, or to neither. It does not wait for the disk: only a crash of
 * PostgreSQL forgets counts, of less than a second, and the caller gains by it. Returns what is used now, by group.
 */
async function chargeSums(db: Db, groups: Group[], now: number): Promise<Map<number, RateUsage>> {
  const minuteStart = now - (now % minuteMs);
  const dayStart = now - (now % dayMs);
  const { rows } = await db.executeQuery<UsageRow & { place: number }>(
    CompiledQuery.raw(charge, [
      groups.map(({ keyId }) => keyId),
      groups.map(({ sum }) => sum),
      groups.map(({ limits }) => limits.requestsPerMinute),
      groups.map(({ limits }) => limits.requestsPerDay),
      minuteStart,
      minuteStart + minuteMs,
      dayStart,
      dayStart + dayMs,
    ]),
  );
  return new Map(rows.map((row) => [row.place - 1, fromRow(row)]));
}
