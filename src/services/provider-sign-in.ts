import type { SignUpRule } from '../domain/email.ts';
import { type GroupRules, grantsOf, maySignIn } from '../domain/identity-provider.ts';
import type { PlanName } from '../domain/plans.ts';
import { type Device, newSession, type SignedIn } from '../domain/session.ts';
import { maxUserNameLength, nameFrom } from '../domain/user.ts';
import type { Log } from '../lib/log.ts';
import { seal, sealingKey, unseal } from '../lib/seal.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import { type IdentityProvider, IdentityRefused, type PendingSignIn } from '../ports/identity-provider.ts';
import type { Store } from '../ports/store.ts';

interface Dependencies {
  provider: IdentityProvider;
  rules: GroupRules;
  store: Pick<Store, 'identities'>;
  clock: Clock;
  newId: NewId;
  log: Log;
  /** The same on every server, so that a sign-in may begin at one and end at another. */
  secret: string;
  signUp: SignUpRule;
  defaultPlan: PlanName;
}

export const pendingLifetimeMs = 600_000;
/** Signing out does not wait longer for a provider that is away. */
const endSessionWaitMs = 2_000;

/** `stale`: begun in another browser, too long ago, or already over. `refused`: the provider did not sign the person in. */
export type ProviderRefusal = 'stale' | 'refused' | 'unverified' | 'not allowed';

export type ProviderSignIn = ReturnType<typeof createProviderSignIn>;

/** People sign in with an OpenID provider. Nothing is stored until the provider has said who it is. */
export function createProviderSignIn(dependencies: Dependencies) {
  const { provider, rules, store, clock, newId, log, secret, signUp, defaultPlan } = dependencies;
  const key = sealingKey('sign-in with a provider', secret);

  function open(ticket: string, state: string | null) {
    const text = unseal(key, ticket);
    if (text === undefined) return undefined;
    const begun: PendingSignIn & { next: string; expires: number } = JSON.parse(text);
    return begun.expires > clock() && begun.state === state ? begun : undefined;
  }

  return {
    name: provider.name,
    issuer: provider.issuer,
    /** For the operator. */
    inspect: provider.inspect,

    /** Where the browser goes, and the ticket that it keeps meanwhile. `next` is the page after it. Raises `service_unavailable`. */
    async begin(redirectUri: string, next: string): Promise<{ url: string; ticket: string }> {
      const { url, pending } = await provider.begin(redirectUri);
      const expires = clock() + pendingLifetimeMs;
      return { url, ticket: seal(key, JSON.stringify({ ...pending, next, expires })) };
    },

    /** The person comes back with the provider's answer and the ticket. Raises `service_unavailable`. */
    async finish(
      { answer, ticket, redirectUri }: { answer: URLSearchParams; ticket: string; redirectUri: string },
      device: Device,
    ): Promise<(SignedIn & { next: string }) | { refused: ProviderRefusal }> {
      const begun = open(ticket, answer.get('state'));
      if (!begun) return { refused: 'stale' };
      const identity = await provider.finish(answer, begun, redirectUri).catch((cause: unknown) => {
        if (!(cause instanceof IdentityRefused)) throw cause;
        log.warn({ reason: cause.message }, 'The sign-in provider refused a sign-in');
        return undefined;
      });
      if (!identity) return { refused: 'refused' };
      const { token, session } = newSession(newId(), clock(), device, identity.issuer);
      const outcome = await store.identities.signIn({
        identity,
        now: session.created_at,
        session,
        grants: grantsOf(rules, identity.groups),
        defaultPlan,
        isAllowed: (known) => maySignIn(rules, signUp, identity, known),
        newUser: (email) => ({
          id: newId(),
          email,
          name: nameOf(identity.name) || nameFrom(email),
          plan: defaultPlan,
          created_at: session.created_at,
        }),
      });
      if (typeof outcome === 'string') return { refused: outcome };
      const { user } = outcome;
      return { token, session: { ...session, user_id: user.id }, user, next: begun.next };
    },

    /** The page of the provider on which a person signs out there too. Null if there is none. */
    async endSession(issuer: string | null, returnTo: string): Promise<string | null> {
      if (issuer !== provider.issuer) return null;
      const { promise: tooLate, resolve } = Promise.withResolvers<null>();
      const timer = setTimeout(resolve, endSessionWaitMs, null);
      const url = provider.endSession(returnTo).catch(() => null);
      return Promise.race([url, tooLate]).finally(() => clearTimeout(timer));
    },

    close: () => provider.close(),
  };
}

/** The provider's name for the person, on one line and not too long. */
const nameOf = (name: string) =>
  name
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxUserNameLength);
