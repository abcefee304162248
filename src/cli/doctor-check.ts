import { AppError } from '../domain/errors.ts';

export interface Check {
  check: string;
  state: 'ok' | 'warning' | 'broken';
  found: string;
  /** Null when there is nothing to do. */
  fix: string | null;
}

export const ok = (check: string, found: string): Check => ({ check, state: 'ok', found, fix: null });
export const warning = (check: string, found: string, fix: string): Check => ({
  check,
  state: 'warning',
  found,
  fix,
});
export const broken = (check: string, found: string, fix: string): Check => ({
  check,
  state: 'broken',
  found,
  fix,
});

/** What went wrong. A part that does not answer has a cause, which callers of the API are not told. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isAway = error instanceof AppError && error.code === 'service_unavailable';
  return isAway && error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
