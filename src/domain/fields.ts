import { z } from 'zod';

export const id = z.uuid();
/** ISO 8601 in UTC with milliseconds. Such texts sort by time. */
export const timestamp = z.iso.datetime({ precision: 3 });

const instantForm =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,3})(\d*))?)?(Z|([ +-]\d{2}):?(\d{2})?)$/i;

/**
 * An ISO 8601 time with a zone, in the form that is stored. Undefined if the text is none. What is finer than a millisecond counts
 * as the next one, so that "at this time or later" and "before this time" stay exact.
 */
export function parseInstant(text: string): string | undefined {
  const [whole, day, minute, second = '00', fraction = '', finer = '', , hours, minutes = '00'] =
    instantForm.exec(text) ?? [];
  if (whole === undefined) return undefined;
  // In a query string + means a space.
  const zone = hours === undefined ? 'Z' : `${hours.replace(' ', '+')}:${minutes}`;
  const ms = Date.parse(`${day}T${minute}:${second}.${fraction.padEnd(3, '0')}${zone}`);
  if (Number.isNaN(ms)) return undefined;
  const stored = new Date(ms + (Number(finer) > 0 ? 1 : 0)).toISOString();
  // A zone can lead out of the years of four digits, whose texts would not sort by time.
  return timestamp.safeParse(stored).success ? stored : undefined;
}
