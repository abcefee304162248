import { commonStrings } from '../strings/common.ts';
import { locale } from './locale.ts';

const texts = commonStrings.dayGroups;
const month = new Intl.DateTimeFormat(locale, { month: 'long' });
const monthOfYear = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' });

/** The heading for an item of that time, by the calendar of the person who looks. */
export function dayGroup(iso: string, now = new Date()): string {
  const date = new Date(iso);
  const days = daysBetween(date, now);
  if (days <= 0) return texts.today;
  if (days === 1) return texts.yesterday;
  if (days <= 7) return texts.week;
  if (days <= 30) return texts.month;
  return (date.getFullYear() === now.getFullYear() ? month : monthOfYear).format(date);
}

/** For each item of a sorted list, the heading above it; most have none. */
export function dayHeadings(times: readonly string[], now = new Date()): (string | undefined)[] {
  const groups = times.map((time) => dayGroup(time, now));
  return groups.map((group, at) => (group === groups[at - 1] ? undefined : group));
}

/** Counts calendar days, so that daylight saving time makes no difference. */
function daysBetween(from: Date, to: Date): number {
  const [start, end] = [from, to].map((date) =>
    Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()),
  );
  return ((end ?? 0) - (start ?? 0)) / 86_400_000;
}
