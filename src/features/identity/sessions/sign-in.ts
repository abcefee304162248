import { hashSecret } from '../../../domain/api-key.ts';
import { AppError } from '../../../domain/errors.ts';
import {
  bareSessionToken,
  type Device,
  hashSessionToken,
  isDueForExtension,
  newSession,
  newToken,
  oneTimeTokenLifetimeMs,
  type SignedIn,
  sessionLifetimeMs,
  signInLinkLifetimeMs,
} from '../../../domain/session.ts';
import type { ActingContext, CommandContext } from '../../../kernel/context.ts';
import { isoAfter } from '../../../lib/clock.ts';
import * as queries from './queries.ts';

/** A link that signs this person in, once, within 15 minutes. */
export async function createSignInLink(
  context: Pick<CommandContext<unknown>, 'tx' | 'audit' | 'now'>,
  userId: string,
): Promise<{ path: string; expires_at: string }> {
  const { token, token_hash } = newToken('');
  const expires_at = isoAfter(context.now, signInLinkLifetimeMs);
  await queries.insertLink(context, {
    token_hash,
    user_id: userId,
    session_id: null,
    expires_at,
    created_at: context.now,
  });
  return { path: `/api/auth/sign-in/link?token=${token}`, expires_at };
}

/**
 * For another app of the same person. It works once, for three minutes, and ends with the session that made it, which has one
 * at a time. Raises `invalid_api_key` if that session has ended.
 */
export async function createOneTimeToken(context: CommandContext): Promise<string> {
  const { who, now } = context;
  const { token, token_hash } = newToken('');
  const made =
    who.kind === 'session' &&
    (await queries.insertLink(context, {
      token_hash,
      user_id: who.userId,
      session_id: who.sessionId,
      expires_at: isoAfter(now, oneTimeTokenLifetimeMs),
      created_at: now,
    }));
  if (!made) throw new AppError('invalid_api_key', 'This session has ended.');
  return token;
}

/** Uses the link or token up. Undefined if it does not work. */
export async function signInWith(
  kind: 'link' | 'one-time token',
  { act, now, newId }: ActingContext<unknown>,
  given: string,
  device: Device,
): Promise<SignedIn | undefined> {
  const { token, session } = newSession(newId(), Date.parse(now), device);
  const user = await act((context) => queries.redeemLink(context, hashSecret(given), session, kind));
  return user && { token, session: { ...session, user_id: user.id }, user };
}

/** The session of this token; undefined if it has ended or its account is suspended. A session in use is extended to its full length once a day. */
export async function currentSession(
  { db, act, now }: ActingContext<unknown>,
  given: string,
): Promise<(SignedIn & { extended: boolean }) | undefined> {
  const token = bareSessionToken(given);
  const found = token === undefined ? undefined : await queries.findWithUser(db, hashSecret(token));
  if (token === undefined || !found || found.session.expires_at <= now) return undefined;
  const { session, user } = found;
  if (!isDueForExtension(session, Date.parse(now))) return { token, session, user, extended: false };
  const times = { expires_at: isoAfter(now, sessionLifetimeMs), updated_at: now };
  // Meanwhile the person may have signed out, or an operator may have suspended the account.
  if (!(await act(({ tx }) => queries.extend(tx, session.id, times)))) return undefined;
  return { token, session: { ...session, ...times }, user, extended: true };
}

/** Ends the session of this token, if any, and returns it. */
export async function signOut({ act, now }: ActingContext<unknown>, token: string) {
  const hash = hashSessionToken(token);
  return hash === undefined ? undefined : act(({ tx }) => queries.removeByHash(tx, hash, now));
}
