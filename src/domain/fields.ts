import { z } from 'zod';

export const id = z.uuid();
/** ISO 8601 in UTC with milliseconds. Such texts sort by time. */
export const timestamp = z.iso.datetime({ precision: 3 });

const instantForm =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,3})(\d*))?)?(Z|([ +-]\d{2}):?(\d{2})?)$/i;

/**
 * An ISO 8601 time with a zone, in the form that is stored; undefined if the text is no such time. Fractions of a
 * millisecond are rounded up, so that "at this time or later" and "before this time" stay exact.
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
  // A zone offset can leave the years with four digits, and other years would not sort by time as text.
  return timestamp.safeParse(stored).success ? stored : undefined;
}
