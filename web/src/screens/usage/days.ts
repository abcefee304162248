import type { ListedTranscription } from '../../resources/transcriptions.ts';

const shownDays = 30;
const dayMs = 24 * 60 * 60_000;

export interface Day {
  /** `2026-05-03`, in UTC, as the server counts. */
  date: string;
  words: number;
  minutes: number;
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export const firstDay = (now = Date.now()) => dateOf(now - (shownDays - 1) * dayMs);

/** The last 30 days, oldest first, including days without transcriptions. */
export function countByDay(records: readonly ListedTranscription[], now = Date.now()): Day[] {
  const days = Array.from({ length: shownDays }, (_, at): Day => {
    return { date: dateOf(now - (shownDays - 1 - at) * dayMs), words: 0, minutes: 0 };
  });
  const byDate = new Map(days.map((day) => [day.date, day]));
  for (const { created_at, word_count, audio_duration_ms } of records) {
    const day = byDate.get(created_at.slice(0, 10));
    if (!day) continue;
    day.words += word_count;
    day.minutes += (audio_duration_ms ?? 0) / 60_000;
  }
  return days;
}
