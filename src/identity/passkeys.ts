import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { PasskeyVerifier } from '../ports/passkeys.ts';

/** WebAuthn. The library is loaded with the first answer: 25 MB that most servers need rarely. */
export function createPasskeyVerifier(): PasskeyVerifier {
  const load = () => import('@simplewebauthn/server');
  return {
    async register({ answer, party, isOurs }) {
      const { verifyRegistrationResponse } = await load();
      const verified = await verifyRegistrationResponse({
        // The library checks every field of it.
        response: { ...answer, clientExtensionResults: {} } as unknown as RegistrationResponseJSON,
        expectedChallenge: isOurs,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        requireUserVerification: true,
      }).catch(() => undefined);
      if (!verified?.verified) return null;
      const { credential, credentialBackedUp } = verified.registrationInfo;
      return {
        credential_id: credential.id,
        public_key: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        backed_up: credentialBackedUp,
      };
    },

    async signIn({ answer, party, isOurs }, { credential_id, public_key, counter }) {
      const { verifyAuthenticationResponse } = await load();
      const verified = await verifyAuthenticationResponse({
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
      }).catch(() => undefined);
      if (!verified?.verified) return null;
      const { newCounter, credentialBackedUp } = verified.authenticationInfo;
      return { counter: newCounter, backed_up: credentialBackedUp };
    },
  };
}
