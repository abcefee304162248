import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { serviceUnavailable } from '../../domain/errors.ts';
import {
  keyAlgorithms,
  type RelyingParty,
  type StoredPasskey,
} from '../../features/identity/passkeys/schema.ts';
import { createGate, GateClosed } from '../../lib/gate.ts';

/** A signature takes a millisecond. The others wait, so that a crowd at the door does not hold up others. */
const atOnce = { most: 4, maxWaiting: 500, maxWaitMs: 10_000 };

/** What a browser answers, as `PublicKeyCredential.toJSON()` writes it. Checked for its shape only. */
export interface CredentialAnswer {
  id: string;
  rawId: string;
  type: 'public-key';
  response: Record<string, unknown>;
}

interface Ceremony {
  answer: CredentialAnswer;
  party: RelyingParty;
  /** Whether the answer is to a challenge of ours. */
  isOurs(challenge: string): boolean;
}

export type PasskeyVerifier = ReturnType<typeof createPasskeyVerifier>;

/**
 * Checks answers of authenticators (WebAuthn). Null if something is wrong with them. The library is loaded with the first answer:
 * 25 MB that most servers need rarely.
 */
export function createPasskeyVerifier() {
  const load = () => import('@simplewebauthn/server');
  const gate = createGate(atOnce);
  return {
    /** A new key. */
    async register({ answer, party, isOurs }: Ceremony) {
      const { verifyRegistrationResponse } = await load();
      const verified = await gate(() =>
        verifyRegistrationResponse({
          // The library checks every field of it.
          response: { ...answer, clientExtensionResults: {} } as unknown as RegistrationResponseJSON,
          expectedChallenge: isOurs,
          expectedOrigin: party.origin,
          expectedRPID: party.id,
          requireUserVerification: true,
          // Without it, the library tries what Node can do beyond these, and Node warns of an experiment.
          supportedAlgorithmIDs: keyAlgorithms,
        }),
      ).catch(unverified);
      if (!verified?.verified) return null;
      const { credential, credentialBackedUp } = verified.registrationInfo;
      return {
        credential_id: credential.id,
        public_key: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        backed_up: credentialBackedUp,
      };
    },

    /** The counter of the key after this use. Null also if it did not grow, as with a copied key. */
    async signIn({ answer, party, isOurs }: Ceremony, { credential_id, public_key, counter }: StoredPasskey) {
      const { verifyAuthenticationResponse } = await load();
      const verified = await gate(() =>
        verifyAuthenticationResponse({
          response: { ...answer, clientExtensionResults: {} } as unknown as AuthenticationResponseJSON,
          expectedChallenge: isOurs,
          expectedOrigin: party.origin,
          expectedRPID: party.id,
          credential: {
            id: credential_id,
            publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')),
            counter,
          },
          requireUserVerification: true,
        }),
      ).catch(unverified);
      if (!verified?.verified) return null;
      const { newCounter, credentialBackedUp } = verified.authenticationInfo;
      return { counter: newCounter, backed_up: credentialBackedUp };
    },
  };
}

/** Whatever is wrong with an answer, it signs no person in. */
function unverified(cause: unknown): undefined {
  if (cause instanceof GateClosed)
    throw serviceUnavailable('Too many people sign in at once. Try again in a moment.', {
      retryAfterSeconds: 5,
    });
}
