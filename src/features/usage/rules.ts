import type { Plan, PlanName } from '../../domain/plans.ts';
import type { StorageUse } from '../../domain/storage.ts';
import { audioLimitMs, monthOf, type Period } from '../../domain/usage.ts';
import type { Usage, UsageDay } from './schema.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const shownDays = 30;
const unlimited = -1;
const iso = (ms: number) => new Date(ms).toISOString();

/** A plan with a limit counts words over the last seven days, other plans over the calendar month. */
export function wordPeriodOf(plan: Plan, now: number): Period {
  if (plan.wordsPerWeek === null) return monthOf(now);
  // Includes words counted in this millisecond, and excludes those counted exactly a week ago.
  return { from: iso(now - weekMs + 1), until: iso(now + 1) };
}

const dateOf = (ms: number) => iso(ms).slice(0, 10);

/** The last 30 days (UTC), today included. */
export function shownPeriodOf(now: number): Period {
  const today = Date.parse(dateOf(now));
  return { from: iso(today - (shownDays - 1) * dayMs), until: iso(today + dayMs) };
}

/** Every day of the period, oldest first, also those on which nothing was counted. */
export function everyDayOf({ from, until }: Period, counted: readonly UsageDay[]): UsageDay[] {
  const byDate = new Map(counted.map((day) => [day.date, day]));
  const days: UsageDay[] = [];
  for (let ms = Date.parse(from); ms < Date.parse(until); ms += dayMs)
    days.push(byDate.get(dateOf(ms)) ?? { date: dateOf(ms), words: 0, audio_ms: 0 });
  return days;
}

const recordingMsLimit = ({ transcription, recordingMinutesPerMonth }: Plan) => {
  if (!transcription) return 0;
  return recordingMinutesPerMonth === null ? unlimited : recordingMinutesPerMonth * 60_000;
};

/** There are no bills, so the period of a subscription is the calendar month. A rolling week has no end. */
export function usageOf(
  name: PlanName,
  plan: Plan,
  now: number,
  used: { words: number; audioMs: number; recordingMs: number; storage: StorageUse; llmTokens: number },
): Usage {
  const isSubscribed = name !== 'free';
  const { until } = monthOf(now);
  return {
    words_used: used.words,
    words_remaining: plan.wordsPerWeek === null ? unlimited : Math.max(0, plan.wordsPerWeek - used.words),
    limit: plan.wordsPerWeek ?? unlimited,
    plan: name,
    is_subscribed: isSubscribed,
    current_period_end: isSubscribed ? until : null,
    billing_interval: isSubscribed ? 'monthly' : null,
    audio_ms_used: used.audioMs,
    audio_ms_limit: audioLimitMs(plan),
    audio_resets_at: until,
    recording_ms_used: used.recordingMs,
    recording_ms_limit: recordingMsLimit(plan),
    storage_bytes_used: used.storage.bytes,
    storage_bytes_limit: plan.storageBytes ?? unlimited,
    open_uploads: used.storage.openUploads,
    open_uploads_limit: plan.openUploads,
    llm_tokens_used: used.llmTokens,
    llm_tokens_limit: plan.llmTokensPerMonth ?? unlimited,
  };
}
