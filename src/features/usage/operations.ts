import { monthOf } from '../../domain/usage.ts';
import { query, wholeList } from '../../kernel/operation.ts';
import { tokensOf } from '../language/queries.ts';
import { storageUse } from '../recordings/storage.ts';
import * as queries from './queries.ts';
import { everyDayOf, shownPeriodOf, usageOf, wordPeriodOf } from './rules.ts';
import { usage, usageDay } from './schema.ts';

const read = { credential: 'key', personal: 'usage:read' } as const;

export const getUsage = query({
  http: 'GET /api/v1/usage',
  tool: 'get_usage',
  access: read,
  summary: 'Show how much of the plan is used',
  answer: usage,
  async run({ db, who: { userId, plan: name }, now, parts }) {
    const at = Date.parse(now);
    const month = monthOf(at);
    const plan = parts.plans[name];
    const [{ words }, { audioMs }, recordingMs, storage, llmTokens] = await Promise.all([
      queries.totalOf(db, userId, wordPeriodOf(plan, at)),
      queries.totalOf(db, userId, month),
      queries.recordedMs(db, userId, month),
      storageUse(db, userId),
      tokensOf(db, userId, month),
    ]);
    return usageOf(name, plan, at, { words, audioMs, recordingMs, storage, llmTokens });
  },
});

export const listUsageDays = wholeList({
  http: 'GET /api/v1/usage/days',
  access: read,
  summary: 'Show what was used on each of the last 30 days',
  description:
    'Oldest first. Counts the same as `GET /usage`, also what was deleted since. An extension of this server.',
  items: usageDay,
  async run({ db, who, now }) {
    const period = shownPeriodOf(Date.parse(now));
    return everyDayOf(period, await queries.byDay(db, who.userId, period));
  },
});
