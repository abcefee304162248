/** The beginning of a day of this browser's clock, `2026-05-03`, or of one so many days later. */
function startOfDay(day: string, plus = 0): string {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + plus);
  return date.toISOString();
}

/** What is asked for with a first and a last day. The last one counts whole. */
export const between = (since: string, until: string) => ({
  ...(since && { since: startOfDay(since) }),
  ...(until && { until: startOfDay(until, 1) }),
});
