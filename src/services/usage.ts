import type { Plans } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import {
  everyDayOf,
  monthOf,
  type Period,
  shownPeriodOf,
  type Usage,
  type UsageDay,
  usageOf,
  wordPeriodOf,
} from '../domain/usage.ts';
import type { Clock } from '../ports/clock.ts';
import type { RecordingStore } from '../ports/recording-store.ts';
import type { UsageStore } from '../ports/transcription-store.ts';

export type UsageReport = ReturnType<typeof createUsage>;

export function createUsage({
  store,
  tokens,
  plans,
  clock,
}: {
  store: { usage: UsageStore; recordings: RecordingStore };
  tokens(userId: string, period: Period): Promise<number>;
  plans: Plans;
  clock: Clock;
}) {
  return {
    /** What the user has used of their plan, with all their keys together. */
    async of({ userId, plan: name }: Principal): Promise<Usage> {
      const now = clock();
      const plan = plans[name];
      const [{ words }, { audioMs }, recordingMs, storage, llmTokens] = await Promise.all([
        store.usage.total(userId, wordPeriodOf(plan, now)),
        store.usage.total(userId, monthOf(now)),
        store.recordings.usedMs(userId, monthOf(now)),
        store.recordings.storageUse(userId),
        tokens(userId, monthOf(now)),
      ]);
      return usageOf(name, plan, now, { words, audioMs, recordingMs, storage, llmTokens });
    },

    async byDay({ userId }: Principal): Promise<UsageDay[]> {
      const period = shownPeriodOf(clock());
      return everyDayOf(period, await store.usage.byDay(userId, period));
    },
  };
}
