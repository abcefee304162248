import { hashSecret } from '../domain/api-key.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import {
  bareSessionToken,
  type Device,
  hashSessionToken,
  isDueForExtension,
  newSession,
  newToken,
  oneTimeTokenLifetimeMs,
  type Session,
  type SignedIn,
  type StoredSession,
  sessionLifetimeMs,
  signInLinkLifetimeMs,
} from '../domain/session.ts';
import type { User } from '../domain/user.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

export type Sessions = ReturnType<typeof createSessions>;

interface Dependencies {
  store: Pick<Store, 'sessions' | 'signInLinks' | 'users'>;
  clock: Clock;
  newId: NewId;
}

/** Sessions, and links that sign people in without an e-mail. Codes are in email-codes.ts. */
export function createSessions({ store, clock, newId }: Dependencies) {
  const now = () => new Date(clock()).toISOString();

  return {
    /** The sessions of the caller, newest first. `current` marks the one that makes this request. */
    async list(principal: Principal): Promise<(Session & { current: boolean })[]> {
      const sessions = await store.sessions.list(principal.userId, now());
      const currentId = principal.kind === 'session' ? principal.sessionId : undefined;
      return sessions.map((session) => ({ ...session, current: session.id === currentId }));
    },

    /** Raises `not_found` for a session of someone else. */
    async revoke(principal: Principal, id: string): Promise<void> {
      if (!(await store.sessions.remove(principal.userId, id))) throw notFound('Session');
    },

    /** Signs out everywhere, including here. */
    revokeAll: (principal: Principal) => store.sessions.removeAll(principal.userId),

    /** For the operator. The link works once, for 15 minutes. Raises `not_found`. */
    async createSignInLink(idOrEmail: string): Promise<{ path: string; expires_at: string }> {
      const user = await store.users.find(idOrEmail.toLowerCase());
      if (!user) throw notFound('User');
      const { token, token_hash } = newToken('');
      const at = clock();
      const expires_at = new Date(at + signInLinkLifetimeMs).toISOString();
      await store.signInLinks.insert({
        token_hash,
        user_id: user.id,
        expires_at,
        created_at: new Date(at).toISOString(),
        session_id: null,
      });
      return { path: `/api/auth/sign-in/link?token=${token}`, expires_at };
    },

    /** The user that this link signs in; undefined if it does not work. Does not use the link up. */
    findByLink: (link: string): Promise<User | undefined> => store.signInLinks.find(hashSecret(link), now()),

    /** Uses the link up. Undefined if it does not work. */
    async signInWithLink(link: string, device: Device): Promise<SignedIn | undefined> {
      const { token, session } = newSession(newId(), clock(), device);
      const user = await store.signInLinks.redeem(hashSecret(link), session, 'link');
      return user && { token, session: { ...session, user_id: user.id }, user };
    },

    /**
     * For another app of the same person. It works once, for three minutes, and ends with the session that made it, which has one
     * at a time. Raises `invalid_api_key` if that session has ended.
     */
    async createOneTimeToken(principal: Principal): Promise<string> {
      const { token, token_hash } = newToken('');
      const at = clock();
      const made =
        principal.kind === 'session' &&
        (await store.signInLinks.insert({
          token_hash,
          user_id: principal.userId,
          session_id: principal.sessionId,
          expires_at: new Date(at + oneTimeTokenLifetimeMs).toISOString(),
          created_at: new Date(at).toISOString(),
        }));
      if (!made) throw new AppError('invalid_api_key', 'This session has ended.');
      return token;
    },

    /** Uses the token up. Undefined if it does not work. */
    async signInWithOneTimeToken(given: string, device: Device): Promise<SignedIn | undefined> {
      const { token, session } = newSession(newId(), clock(), device);
      const user = await store.signInLinks.redeem(hashSecret(given), session, 'one-time token');
      return user && { token, session: { ...session, user_id: user.id }, user };
    },

    /** The session of this token; undefined if it has ended or its account is suspended. A session in use is extended to its full length once a day. */
    async current(given: string): Promise<(SignedIn & { extended: boolean }) | undefined> {
      const token = bareSessionToken(given);
      const found = token === undefined ? undefined : await store.sessions.findWithUser(hashSecret(token));
      const at = clock();
      if (token === undefined || !found || Date.parse(found.session.expires_at) <= at) return undefined;
      const { session, user } = found;
      if (!isDueForExtension(session, at)) return { token, session, user, extended: false };
      const expires_at = new Date(at + sessionLifetimeMs).toISOString();
      const times = { expires_at, updated_at: new Date(at).toISOString() };
      // Meanwhile the person may have signed out, or an operator may have suspended the account.
      if (!(await store.sessions.extend(session.id, times))) return undefined;
      return { token, session: { ...session, ...times }, user, extended: true };
    },

    /** Ends the session of this token, if any, and returns it. */
    async signOut(token: string): Promise<Pick<StoredSession, 'user_id' | 'provider'> | undefined> {
      const hash = hashSessionToken(token);
      return hash === undefined ? undefined : store.sessions.removeByHash(hash);
    },
  };
}
