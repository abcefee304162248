import { grantsOf, maySignIn } from '../../../domain/identity-provider.ts';
import { type Device, newSession, type SignedIn } from '../../../domain/session.ts';
import { maxUserNameLength, nameFrom } from '../../../domain/user.ts';
import { type IdentityProvider, IdentityRefused, type PendingSignIn } from '../../../engines/sign-in/oidc.ts';
import type { ActingContext } from '../../../kernel/context.ts';
import { seal, sealingKey, unseal } from '../../../lib/seal.ts';
import { signIn } from './queries.ts';

export const pendingLifetimeMs = 600_000;
/** Signing out does not wait longer for a provider that is away. */
const endSessionWaitMs = 2_000;

/** `stale`: begun in another browser, too long ago, or already over. `refused`: the provider did not sign the person in. */
export type ProviderRefusal = 'stale' | 'refused' | 'unverified' | 'not allowed';

type Parts = Pick<ActingContext<unknown>, 'parts'>;

/** The routes are there only where the settings name a provider. */
function providerOf({ parts: { provider, config } }: Parts) {
  if (!provider || !config.oidc) throw new Error('The settings name no sign-in provider.');
  return { provider, rules: config.oidc };
}

const keyOf = async ({ parts }: Parts) => sealingKey('sign-in with a provider', await parts.authSecret());

/** Where the browser goes, and the ticket that it keeps meanwhile. `next` is the page after it. Raises `service_unavailable`. */
export async function beginSignIn(
  context: ActingContext<unknown>,
  redirectUri: string,
  next: string,
): Promise<{ url: string; ticket: string }> {
  const { url, pending } = await providerOf(context).provider.begin(redirectUri);
  const expires = Date.parse(context.now) + pendingLifetimeMs;
  return { url, ticket: seal(await keyOf(context), JSON.stringify({ ...pending, next, expires })) };
}

/** The person comes back with the provider's answer and the ticket. Raises `service_unavailable`. */
export async function finishSignIn(
  context: ActingContext<unknown>,
  { answer, ticket, redirectUri }: { answer: URLSearchParams; ticket: string; redirectUri: string },
  device: Device,
): Promise<(SignedIn & { next: string }) | { refused: ProviderRefusal }> {
  const { now, newId, parts, act } = context;
  const { defaultPlan, signUp } = parts.config;
  const { provider, rules } = providerOf(context);
  const begun = openTicket(await keyOf(context), ticket);
  if (!begun || begun.expires <= Date.parse(now) || begun.state !== answer.get('state'))
    return { refused: 'stale' };
  const identity = await provider.finish(answer, begun, redirectUri).catch((cause: unknown) => {
    if (!(cause instanceof IdentityRefused)) throw cause;
    parts.log.warn({ reason: cause.message }, 'The sign-in provider refused a sign-in');
    return undefined;
  });
  if (!identity) return { refused: 'refused' };
  const { token, session } = newSession(newId(), Date.parse(now), device, identity.issuer);
  const outcome = await act((writing) =>
    signIn(writing, {
      identity,
      now,
      session,
      grants: grantsOf(rules, identity.groups),
      defaultPlan,
      isAllowed: (known) => maySignIn(rules, signUp, identity, known),
      newUser: (email) => ({
        id: newId(),
        email,
        name: nameOf(identity.name) || nameFrom(email),
        plan: defaultPlan,
        created_at: now,
      }),
    }),
  );
  if (typeof outcome === 'string') return { refused: outcome };
  const { user } = outcome;
  return { token, session: { ...session, user_id: user.id }, user, next: begun.next };
}

/** Undefined if this server did not make it. */
function openTicket(
  key: Buffer,
  ticket: string,
): (PendingSignIn & { next: string; expires: number }) | undefined {
  const text = unseal(key, ticket);
  return text === undefined ? undefined : JSON.parse(text);
}

/** The page of the provider on which a person signs out there too. Null if there is none. */
export async function endSession(
  provider: Pick<IdentityProvider, 'issuer' | 'endSession'>,
  issuer: string | null,
  returnTo: string,
): Promise<string | null> {
  if (issuer !== provider.issuer) return null;
  const { promise: tooLate, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, endSessionWaitMs, null);
  const url = provider.endSession(returnTo).catch(() => null);
  return Promise.race([url, tooLate]).finally(() => clearTimeout(timer));
}

/** The provider's name for the person, on one line and not too long. */
const nameOf = (name: string) =>
  name
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxUserNameLength);
