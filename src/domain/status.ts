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
const problem = (state: Check['state']) => (check: string, found: string, fix: string) =>
  ({ check, state, found, fix }) satisfies Check;
export const warning = problem('warning');
export const broken = problem('broken');

/** What went wrong. A part that does not answer has a cause, which callers of the API are not told. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isAway = error instanceof AppError && error.code === 'service_unavailable';
  return isAway && error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
