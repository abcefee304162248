import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';

export const codeLifetimeMs = 600_000;
export const maxWrongTries = 5;
/** How long a request for a code is remembered: the longest window of the limits below. */
export const codeRequestMemoryMs = 3_600_000;

const codeDigits = 6;
const minGapPerEmailMs = 60_000;
const maxPerEmailAndHour = 5;
const maxPerClientAndHour = 10;

export const newCode = () => String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0');

/** Keyed, because there are only a million codes: a plain hash could be reversed in a second. */
export const hashCode = (secret: string, email: string, code: string) =>
  createHmac('sha256', secret).update(`${email}\n${code}`).digest('hex');

export function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/**
 * Milliseconds until the next code may be requested; 0 if it may be now. `perEmail` and `perClient` are the times of
 * earlier requests in Unix milliseconds, oldest first.
 */
export function codeRequestWait(
  perEmail: readonly number[],
  perClient: readonly number[],
  now: number,
): number {
  const last = perEmail.at(-1);
  return Math.max(
    0,
    last === undefined ? 0 : last + minGapPerEmailMs - now,
    waitForRoom(perEmail, maxPerEmailAndHour, now),
    waitForRoom(perClient, maxPerClientAndHour, now),
  );
}

/** Milliseconds until the next one, when `max` are allowed in an hour; may be negative. */
export function waitForRoom(times: readonly number[], max: number, now: number): number {
  const leaving = times.at(-max);
  return leaving === undefined ? 0 : leaving + codeRequestMemoryMs - now;
}
