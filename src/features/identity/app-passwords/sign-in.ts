import { type Device, newSession, type SignedIn } from '../../../domain/session.ts';
import { normalizeEmail } from '../../../domain/user.ts';
import type { ActingContext } from '../../../kernel/context.ts';
import * as queries from './queries.ts';
import { hashAppPassword } from './schema.ts';

/** Undefined if it is not the password of this address, after the same work whether there is an account or not. */
export async function signInWithAppPassword(
  { db, act, now, newId }: ActingContext<unknown>,
  { email, password }: { email: string; password: string },
  device: Device,
): Promise<SignedIn | undefined> {
  const { token, session } = newSession(newId(), Date.parse(now), device);
  const given = { email: normalizeEmail(email), password_hash: hashAppPassword(password) };
  // Read first, so that wrong guesses cause no writes.
  if (!(await queries.findUser(db, given))) return undefined;
  const found = await act((context) => queries.signIn(context, given, session));
  return found && { token, ...found };
}
