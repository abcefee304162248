import { isInWork } from '../../resources/recordings.ts';
import type { Entry } from './entries.ts';

const states = ['work', 'done', 'failed', 'text'] as const;
const periods = ['today', 'week', 'month'] as const;

export interface Filters {
  /** Words of the name, or what was said. */
  text: string;
  state: 'all' | (typeof states)[number];
  period: 'all' | (typeof periods)[number];
}

export const noFilters: Filters = { text: '', state: 'all', period: 'all' };

/** Filters are in the URL, so that reloading, bookmarks and the back button keep them. */
export const readFilters = (params: URLSearchParams): Filters => ({
  text: params.get('text') ?? '',
  state: states.find((state) => state === params.get('state')) ?? 'all',
  period: periods.find((period) => period === params.get('period')) ?? 'all',
});

export const writeFilters = (filters: Filters) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== '' && value !== 'all'));

const dayMs = 24 * 60 * 60_000;
const days = { today: 1, week: 7, month: 30 };

/** When the period starts; '' for "any time". */
export const startOf = (period: Filters['period'], now = Date.now()) =>
  period === 'all' ? '' : new Date(now - days[period] * dayMs).toISOString();

export const isFiltered = ({ text, state, period }: Filters) =>
  text.trim() !== '' || state !== 'all' || period !== 'all';

/** The server looks for the text. */
export function fits({ state, period }: Filters): (entry: Entry) => boolean {
  const start = startOf(period);
  return (entry) => entry.at >= start && (state === 'all' || stateOf(entry) === state);
}

function stateOf(entry: Entry): Filters['state'] {
  if (entry.kind === 'text') return 'text';
  const { state } = entry.recording;
  return isInWork(entry.recording) ? 'work' : state === 'failed' ? 'failed' : 'done';
}
