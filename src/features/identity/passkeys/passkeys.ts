import type { Principal } from '../../../domain/principal.ts';
import { type Device, newSession, type SignedIn } from '../../../domain/session.ts';
import { AccountSuspended } from '../../../domain/user.ts';
import type { CredentialAnswer } from '../../../engines/sign-in/passkeys.ts';
import type { ActingContext, Context } from '../../../kernel/context.ts';
import { findAccount } from '../accounts/acts.ts';
import * as queries from './queries.ts';
import {
  challengeLifetimeMs,
  keyAlgorithms,
  maxPasskeys,
  newChallenge,
  type RelyingParty,
  readChallenge,
  type StoredPasskey,
} from './schema.ts';

/** `failed`: it is not the answer to a challenge of ours, or not of a key that we may take. */
export type PasskeyRefusal = 'failed' | 'known' | 'too many';

const typed = <Value extends object>(value: Value) => ({ ...value, type: 'public-key' }) as const;
const forNewKey = ({ userId }: Principal) => `of ${userId}`;

/** A check for the verifier, which notes the challenge that it let pass. */
async function expecting({ parts, now }: Context<unknown>, purpose: string) {
  const secret = await parts.authSecret();
  let used: queries.UsedChallenge | undefined;
  return {
    used: () => used,
    isOurs(challenge: string): boolean {
      const expires = readChallenge(secret, purpose, challenge, Date.parse(now));
      used = expires === undefined ? undefined : { challenge, expires_at: new Date(expires).toISOString() };
      return used !== undefined;
    },
  };
}

const challengeFor = async ({ parts, now }: Context<unknown>, purpose: string) =>
  newChallenge(await parts.authSecret(), purpose, Date.parse(now));

/** What a browser needs to make a new key. Options have the form that WebAuthn gives them (Level 3, 5.4 and 5.5). */
export async function registrationOptions(context: Context, party: RelyingParty) {
  const user = await findAccount(context, context.who.userId);
  const known = await queries.list(context.db, user.id);
  return {
    challenge: await challengeFor(context, forNewKey(context.who)),
    rp: { name: 'Steno', id: party.id },
    user: {
      // Not the address: authenticators may show this id to others.
      id: Buffer.from(user.id).toString('base64url'),
      name: user.email ?? user.name,
      displayName: user.name,
    },
    pubKeyCredParams: keyAlgorithms.map((alg) => typed({ alg })),
    timeout: challengeLifetimeMs,
    excludeCredentials: known.map(({ credential_id, transports }) =>
      typed({ id: credential_id, transports: transports.split(',').filter(Boolean) }),
    ),
    // The key alone signs people in, so it must name the account, and check the person who uses it.
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  } as const;
}

/** Stores the new key and tells the person's address. */
export async function registerPasskey(
  context: ActingContext,
  { answer, name }: { answer: CredentialAnswer; name: string },
  party: RelyingParty,
): Promise<StoredPasskey | { refused: PasskeyRefusal }> {
  const { who, now, newId, parts, act } = context;
  const { isOurs, used } = await expecting(context, forNewKey(who));
  const made = await parts.passkeys.register({ answer, party, isOurs });
  const challenge = used();
  if (!made || !challenge) return { refused: 'failed' };
  const user = await findAccount(context, who.userId);
  const passkey: StoredPasskey = {
    ...made,
    id: newId(),
    user_id: user.id,
    name: name.trim() || 'Passkey',
    transports: transportsOf(answer),
    created_at: now,
    used_at: null,
  };
  const outcome = await act((writing) => queries.insert(writing, passkey, challenge, maxPasskeys));
  if (outcome !== 'ok') return { refused: outcome === 'used' ? 'failed' : outcome };
  if (user.email !== null) parts.outbox.post(addedMail(user.email));
  return passkey;
}

/** What a browser needs to sign in with any key that it has for this server. */
export const signInOptions = async (context: Context<unknown>, party: RelyingParty) =>
  ({
    challenge: await challengeFor(context, 'sign-in'),
    timeout: challengeLifetimeMs,
    rpId: party.id,
    userVerification: 'required',
  }) as const;

/** Undefined if the answer signs no person in. */
export async function signInWithPasskey(
  context: ActingContext<unknown>,
  answer: CredentialAnswer,
  party: RelyingParty,
  device: Device,
): Promise<SignedIn | undefined> {
  const { db, now, newId, parts, act } = context;
  const known = await queries.findByCredential(db, answer.id);
  if (!known) return undefined;
  const { isOurs, used } = await expecting(context, 'sign-in');
  const verified = await parts.passkeys.signIn({ answer, party, isOurs }, known);
  const challenge = used();
  if (!verified || !challenge) return undefined;
  const { token, session } = newSession(newId(), Date.parse(now), device);
  const use = { id: known.id, ...verified };
  const outcome = await act((writing) => queries.signIn(writing, use, challenge, session));
  // After the write, which uses the challenge up.
  if (outcome === 'suspended') throw new AccountSuspended();
  return outcome && { token, session: { ...session, user_id: outcome.id }, user: outcome };
}

/** How a browser reaches the key: words of WebAuthn. */
function transportsOf({ response: { transports } }: CredentialAnswer): string {
  const given = Array.isArray(transports) ? transports : [];
  return given
    .filter((name) => /^[a-z-]{1,20}$/.test(name))
    .slice(0, 8)
    .join(',');
}

const addedMail = (to: string) => ({
  to,
  subject: 'A passkey was added to your Steno account',
  text: 'You can now sign in to your Steno account with a new passkey.\n\nIf you did not add it, sign in, remove it in your account, and tell the operator of the server.\n',
});
