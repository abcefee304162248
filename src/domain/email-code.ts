import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';

export const codeLifetimeMs = 600_000;
export const maxWrongTries = 5;
/** How long a code request is remembered; the longest window of the limits below. */
export const codeRequestMemoryMs = 3_600_000;

const codeDigits = 6;
const minGapPerEmailMs = 60_000;
const maxPerEmailAndHour = 5;
const maxPerClientAndHour = 10;

export const newCode = () => String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0');

/** Keyed: a million codes are hashed in a second, so a plain hash would keep nothing secret. */
export const hashCode = (secret: string, email: string, code: string) =>
  createHmac('sha256', secret).update(`${email}\n${code}`).digest('hex');

export function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/**
 * Milliseconds until the next code may be asked for; 0 when it may now. The times are unix milliseconds of the
 * requests remembered for this address and for this client, oldest first.
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

function waitForRoom(times: readonly number[], max: number, now: number): number {
  const leaving = times.at(-max);
  return leaving === undefined ? 0 : leaving + codeRequestMemoryMs - now;
}
