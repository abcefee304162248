import { hashSecret } from '../domain/api-key.ts';
import { notFound } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { newToken, type Session, signInLinkLifetimeMs } from '../domain/session.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

export type Sessions = ReturnType<typeof createSessions>;

/** Where people are signed in, and the link that signs them in without a mail. */
export function createSessions({ store, clock }: { store: Store; clock: Clock }) {
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

    /** Whose link this is; a link works once. Undefined when it does not work. */
    redeemSignInLink: (token: string): Promise<string | undefined> =>
      store.signInLinks.consume(hashSecret(token), now()),
  };
}
