import { notFound } from '../domain/errors.ts';
import {
  challengeLifetimeMs,
  keyAlgorithms,
  maxPasskeys,
  newChallenge,
  type RelyingParty,
  readChallenge,
  type StoredPasskey,
} from '../domain/passkey.ts';
import type { Principal } from '../domain/principal.ts';
import { type Device, newSession, type SignedIn } from '../domain/session.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Outbox } from '../ports/mailer.ts';
import type { CredentialAnswer, PasskeyVerifier, UsedChallenge } from '../ports/passkeys.ts';
import type { Store } from '../ports/store.ts';

interface Dependencies {
  store: Pick<Store, 'passkeys' | 'users'>;
  verifier: PasskeyVerifier;
  clock: Clock;
  newId: NewId;
  outbox: Outbox;
  secret: string;
}

/** `failed`: it is not the answer to a challenge of ours, or not of a key that we may take. */
export type PasskeyRefusal = 'failed' | 'known' | 'too many';

export type Passkeys = ReturnType<typeof createPasskeys>;

const typed = <Value extends object>(value: Value) => ({ ...value, type: 'public-key' }) as const;

/** People sign in with a key of their device. Options have the form that WebAuthn gives them (Level 3, 5.4 and 5.5). */
export function createPasskeys({ store, verifier, clock, newId, outbox, secret }: Dependencies) {
  /** A check for the verifier, which notes the challenge that it let pass. */
  function expecting(purpose: string) {
    let used: UsedChallenge | undefined;
    return {
      used: () => used,
      isOurs(challenge: string): boolean {
        const expires = readChallenge(secret, purpose, challenge, clock());
        used = expires === undefined ? undefined : { challenge, expires_at: new Date(expires).toISOString() };
        return used !== undefined;
      },
    };
  }
  const forNewKey = ({ userId }: Principal) => `of ${userId}`;

  async function accountOf({ userId }: Principal) {
    const user = await store.users.find(userId);
    if (!user) throw notFound('User');
    return user;
  }

  return {
    list: (principal: Principal): Promise<StoredPasskey[]> => store.passkeys.list(principal.userId),

    /** What a browser needs to make a new key. */
    async registrationOptions(principal: Principal, party: RelyingParty) {
      const user = await accountOf(principal);
      const known = await store.passkeys.list(user.id);
      return {
        challenge: newChallenge(secret, forNewKey(principal), clock()),
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
        // The key alone signs people in, so it must know whose it is, and ask who is there.
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        attestation: 'none',
      } as const;
    },

    /** Stores the new key and tells the person's address. */
    async register(
      principal: Principal,
      { answer, name }: { answer: CredentialAnswer; name: string },
      party: RelyingParty,
    ): Promise<StoredPasskey | { refused: PasskeyRefusal }> {
      const { isOurs, used } = expecting(forNewKey(principal));
      const made = await verifier.register({ answer, party, isOurs });
      const challenge = used();
      if (!made || !challenge) return { refused: 'failed' };
      const user = await accountOf(principal);
      const passkey: StoredPasskey = {
        ...made,
        id: newId(),
        user_id: user.id,
        name: name.trim() || 'Passkey',
        transports: transportsOf(answer),
        created_at: new Date(clock()).toISOString(),
        used_at: null,
      };
      const outcome = await store.passkeys.insert(passkey, challenge, maxPasskeys);
      if (outcome !== 'ok') return { refused: outcome === 'used' ? 'failed' : outcome };
      if (user.email !== null) outbox.post(addedMail(user.email));
      return passkey;
    },

    /** What a browser needs to sign in with any key that it has for this server. */
    signInOptions: (party: RelyingParty) =>
      ({
        challenge: newChallenge(secret, 'sign-in', clock()),
        timeout: challengeLifetimeMs,
        rpId: party.id,
        userVerification: 'required',
      }) as const,

    /** Undefined if the answer signs nobody in. */
    async signIn(
      answer: CredentialAnswer,
      party: RelyingParty,
      device: Device,
    ): Promise<SignedIn | undefined> {
      const known = await store.passkeys.findByCredential(answer.id);
      if (!known) return undefined;
      const { isOurs, used } = expecting('sign-in');
      const verified = await verifier.signIn({ answer, party, isOurs }, known);
      const challenge = used();
      if (!verified || !challenge) return undefined;
      const { token, session } = newSession(newId(), clock(), device);
      const user = await store.passkeys.signIn({ id: known.id, ...verified }, challenge, session);
      return user && { token, session: { ...session, user_id: user.id }, user };
    },

    /** Undefined if the caller has no such key. */
    rename: (principal: Principal, id: string, name: string): Promise<StoredPasskey | undefined> =>
      store.passkeys.rename(principal.userId, id, name),

    /** False if the caller has no such key. */
    remove: (principal: Principal, id: string): Promise<boolean> =>
      store.passkeys.remove(principal.userId, id),
  };
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
  text: 'You can now sign in to your Steno account with a new passkey.\n\nIf you did not add it, sign in, remove it in your account, and tell whoever runs the server.\n',
});
