import type { Plans } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { monthOf, type Usage, usageOf, wordPeriodOf } from '../domain/usage.ts';
import type { Clock } from '../ports/clock.ts';
import type { UsageStore } from '../ports/transcription-store.ts';

export type UsageReport = ReturnType<typeof createUsage>;

export function createUsage({
  store,
  plans,
  clock,
}: {
  store: { usage: UsageStore };
  plans: Plans;
  clock: Clock;
}) {
  return {
    /** What the user has used of their plan, with all their keys together. */
    async of({ userId, plan: name }: Principal): Promise<Usage> {
      const now = clock();
      const plan = plans[name];
      const [{ words }, { audioMs }] = await Promise.all([
        store.usage.total(userId, wordPeriodOf(plan, now)),
        store.usage.total(userId, monthOf(now)),
      ]);
      return usageOf(name, plan, now, { words, audioMs });
    },
  };
}
