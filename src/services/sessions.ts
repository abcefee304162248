import { hashSecret } from '../domain/api-key.ts';
import { notFound } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import {
  bareSessionToken,
  type Device,
  hashSessionToken,
  isDueForExtension,
  newSession,
  newToken,
  type Session,
  type SignedIn,
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

/** Where people are signed in, and the link that signs them in without a mail. Codes by mail: email-codes.ts. */
export function createSessions({ store, clock, newId }: Dependencies) {
  const now = () => new Date(clock()).toISOString();

  return {
    /** The caller's own, newest first; `current` is the one that asks. */
    async list(principal: Principal): Promise<(Session & { current: boolean })[]> {
      const sessions = await store.sessions.list(principal.userId, now());
      const currentId = principal.kind === 'session' ? principal.sessionId : undefined;
      return sessions.map((session) => ({ ...session, current: session.id === currentId }));
    },

    /** Raises `not_found` for a session that is not the caller's. */
    async revoke(principal: Principal, id: string): Promise<void> {
      if (!(await store.sessions.remove(principal.userId, id))) throw notFound('Session');
    },

    /** Signs out everywhere, here too. */
    revokeAll: (principal: Principal) => store.sessions.removeAll(principal.userId),

    /** For the operator: a path that signs the person in once, within 15 minutes. Raises `not_found`. */
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
      });
      return { path: `/api/auth/sign-in/link?token=${token}`, expires_at };
    },

    /** Whose account this link opens; undefined when it does not work. Looking does not use it up. */
    findByLink: (link: string): Promise<User | undefined> => store.signInLinks.find(hashSecret(link), now()),

    /** A link works once. Undefined when it does not work. */
    async signInWithLink(link: string, device: Device): Promise<SignedIn | undefined> {
      const { token, session } = newSession(newId(), clock(), device);
      const user = await store.signInLinks.redeem(hashSecret(link), session);
      return user && { token, session: { ...session, user_id: user.id }, user };
    },

    /** Who holds this token, undefined when nobody does any more. A session in use is extended to its full length once a day. */
    async current(given: string): Promise<(SignedIn & { extended: boolean }) | undefined> {
      const token = bareSessionToken(given);
      const found = token === undefined ? undefined : await store.sessions.findWithUser(hashSecret(token));
      const at = clock();
      if (token === undefined || !found || Date.parse(found.session.expires_at) <= at) return undefined;
      const { session, user } = found;
      if (!isDueForExtension(session, at)) return { token, session, user, extended: false };
      const expires_at = new Date(at + sessionLifetimeMs).toISOString();
      const times = { expires_at, updated_at: new Date(at).toISOString() };
      // It may have been signed out meanwhile.
      if (!(await store.sessions.extend(session.id, times))) return undefined;
      return { token, session: { ...session, ...times }, user, extended: true };
    },

    /** Ends the session of this token, if there is one. */
    async signOut(token: string): Promise<void> {
      const hash = hashSessionToken(token);
      if (hash !== undefined) await store.sessions.removeByHash(hash);
    },
  };
}
