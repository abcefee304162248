import { fetchPage, type ListedTranscription } from '../transcribe/queries.ts';

export const shownDays = 30;
/** Of 100 each: a limit for the one who transcribes day and night. */
const maxPages = 20;
const dayMs = 24 * 60 * 60_000;

export interface Day {
  /** `2026-05-03`, in UTC like every count of the server. */
  date: string;
  words: number;
  minutes: number;
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The last 30 days, oldest first, also those on which nothing was said. */
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

/** Newest first, until one is older than the chart; `capped` when there would be more. */
export async function fetchRecent(signal: AbortSignal) {
  const records: ListedTranscription[] = [];
  const since = dateOf(Date.now() - (shownDays - 1) * dayMs);
  let cursor: string | null | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const page: Awaited<ReturnType<typeof fetchPage>> = await fetchPage(cursor ? { cursor } : {}, signal);
    records.push(...page.data);
    cursor = page.next_cursor;
    const oldest = records.at(-1);
    if (cursor === null || (oldest && oldest.created_at < since)) return { records, capped: false };
  }
  return { records, capped: true };
}
