import { UnsupportedLanguage } from '../domain/speech-errors.ts';

/** Other codes of languages that Whisper knows: Bokmål, and what browsers and phones still call Hebrew and others. */
const otherCodes: Record<string, string | undefined> = {
  nb: 'no',
  iw: 'he',
  in: 'id',
  ji: 'yi',
  jw: 'jv',
  fil: 'tl',
};

/** An engine knows `en-US` and `EN` as `en`. Raises UnsupportedLanguage; with an empty list every code passes. */
export function engineLanguage(asked: string | undefined, known: readonly string[]): string | undefined {
  if (asked === undefined || asked === '' || asked === 'auto') return undefined;
  const code = asked.trim().toLowerCase().split(/[-_]/)[0] ?? '';
  const base = otherCodes[code] ?? code;
  const isCode = /^[a-z]{2,3}$/.test(base);
  if (!isCode || (known.length > 0 && !known.includes(base))) throw new UnsupportedLanguage(asked, known);
  return base;
}
