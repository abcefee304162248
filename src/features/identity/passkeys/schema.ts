import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { id, timestamp } from '../../../domain/fields.ts';

/** Ed25519, ECDSA with P-256, RSA: in the order in which we would like them. */
export const keyAlgorithms = [-8, -7, -257];

/** A key of a phone, computer or security key, as its owner sees it. */
export const passkey = z.object({
  id,
  name: z.string(),
  credential_id: z.string(),
  transports: z.string(),
  backed_up: z.boolean(),
  created_at: timestamp,
  used_at: timestamp.nullable(),
});
export type Passkey = z.infer<typeof passkey>;

export interface StoredPasskey extends Passkey {
  user_id: string;
  public_key: string;
  counter: number;
}

/** The server as passkeys know it: the host that they belong to, and the origin of its pages. */
export interface RelyingParty {
  id: string;
  origin: string;
}

export const maxPasskeys = 20;
export const maxPasskeyNameLength = 100;
export const challengeLifetimeMs = 300_000;

const [timeBytes, randomPart] = [6, 16];

const mark = (secret: string, purpose: string, head: Buffer) =>
  createHmac('sha256', secret).update(`passkey ${purpose}\n`).update(head).digest();

/**
 * What a passkey signs: until when it counts, random bytes, and our mark over both. So a challenge needs no row while it waits,
 * and asking for many fills no table. `purpose` is `sign-in`, or whose new key it is for.
 */
export function newChallenge(secret: string, purpose: string, now: number): string {
  const head = Buffer.alloc(timeBytes + randomPart);
  head.writeUIntBE(now + challengeLifetimeMs, 0, timeBytes);
  randomBytes(randomPart).copy(head, timeBytes);
  return Buffer.concat([head, mark(secret, purpose, head)]).toString('base64url');
}

/** When the challenge expires, in Unix milliseconds. Undefined if it is not ours, for something else, or expired. */
export function readChallenge(
  secret: string,
  purpose: string,
  challenge: string,
  now: number,
): number | undefined {
  const bytes = Buffer.from(challenge, 'base64url');
  const head = bytes.subarray(0, timeBytes + randomPart);
  const [given, expected] = [bytes.subarray(head.length), mark(secret, purpose, head)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const expires = head.readUIntBE(0, timeBytes);
  return expires > now ? expires : undefined;
}
