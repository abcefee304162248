import type { ListedTranscription } from '../transcribe/queries.ts';

export interface Filters {
  text: string;
  /** '' is any; the server filters by it. */
  language: string;
  period: 'all' | 'today' | 'week' | 'month';
  saved: 'all' | 'yes' | 'no';
}

export const noFilters: Filters = { text: '', language: '', period: 'all', saved: 'all' };

const dayMs = 24 * 60 * 60_000;
const days = { today: 1, week: 7, month: 30 };

/** Before this moment the period has nothing; -Infinity without one. */
export const startOf = (period: Filters['period'], now = Date.now()) =>
  period === 'all' ? Number.NEGATIVE_INFINITY : now - days[period] * dayMs;

/** True when this page must look through the items itself. */
export const looksItself = ({ text, period, saved }: Filters) =>
  text.trim() !== '' || period !== 'all' || saved !== 'all';

export const isFiltered = (filters: Filters) => looksItself(filters) || filters.language !== '';

export function fits({ text, period, saved }: Filters): (item: ListedTranscription) => boolean {
  const wanted = text.trim().toLowerCase();
  const start = startOf(period);
  return (item) =>
    (wanted === '' || item.text.toLowerCase().includes(wanted)) &&
    new Date(item.created_at).getTime() >= start &&
    (saved === 'all' || (item.note_id !== null) === (saved === 'yes'));
}
