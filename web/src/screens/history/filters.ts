import type { ListedTranscription } from '../../resources/transcriptions.ts';

export interface Filters {
  text: string;
  /** '' means any. The server applies this filter; the others are applied here. */
  language: string;
  period: 'all' | 'today' | 'week' | 'month';
  saved: 'all' | 'yes' | 'no';
}

export const noFilters: Filters = { text: '', language: '', period: 'all', saved: 'all' };

/** Filters are in the URL, so that reloading, bookmarks and the back button keep them. */
export function readFilters(params: URLSearchParams): Filters {
  return {
    text: params.get('text') ?? '',
    language: params.get('language') ?? '',
    period: oneOf(['today', 'week', 'month'], params.get('period')) ?? 'all',
    saved: oneOf(['yes', 'no'], params.get('saved')) ?? 'all',
  };
}

export const writeFilters = (filters: Filters) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== '' && value !== 'all'));

const oneOf = <Value extends string>(values: Value[], given: string | null) =>
  values.find((value) => value === given);

const dayMs = 24 * 60 * 60_000;
const days = { today: 1, week: 7, month: 30 };

/** When the period starts, in milliseconds; -Infinity for "any time". */
export const startOf = (period: Filters['period'], now = Date.now()) =>
  period === 'all' ? Number.NEGATIVE_INFINITY : now - days[period] * dayMs;

/** True when a filter is set that the server does not know. */
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
