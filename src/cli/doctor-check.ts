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
export const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));
