import { z } from 'zod';
import { AppError } from './errors.ts';

/** One thing that must work for the server to work, as it was found. */
export const check = z.object({
  check: z.string().describe('What was looked at.'),
  state: z.enum(['ok', 'warning', 'broken']),
  found: z.string().describe('How it is.'),
  fix: z.string().nullable().describe('What to do; null when there is nothing to do.'),
});
export type Check = z.infer<typeof check>;

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
