import { UnsupportedLanguage } from '../domain/speech-errors.ts';

/** An engine knows `en-US` and `EN` as `en`. Raises UnsupportedLanguage; with an empty list every code passes. */
export function engineLanguage(asked: string | undefined, known: readonly string[]): string | undefined {
  if (asked === undefined || asked === '' || asked === 'auto') return undefined;
  const base = asked.trim().toLowerCase().split(/[-_]/)[0] ?? '';
  const isCode = /^[a-z]{2,3}$/.test(base);
  if (!isCode || (known.length > 0 && !known.includes(base))) throw new UnsupportedLanguage(asked, known);
  return base;
}
