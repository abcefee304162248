import { UnsupportedLanguage } from '../domain/speech-errors.ts';

/** `en-US` and `EN` mean `en` to an engine. Raises UnsupportedLanguage; an empty list takes any. */
export function engineLanguage(asked: string | undefined, known: readonly string[]): string | undefined {
  if (asked === undefined || asked === '' || asked === 'auto') return undefined;
  const base = asked.trim().toLowerCase().split(/[-_]/)[0] ?? '';
  const isCode = /^[a-z]{2,3}$/.test(base);
  if (!isCode || (known.length > 0 && !known.includes(base))) throw new UnsupportedLanguage(asked, known);
  return base;
}
