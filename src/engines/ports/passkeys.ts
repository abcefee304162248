import type { RelyingParty, StoredPasskey } from '../../features/identity/passkeys/schema.ts';

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

/** Checks answers of authenticators (WebAuthn). Null if something is wrong with them. */
export interface PasskeyVerifier {
  /** A new key. */
  register(
    ceremony: Ceremony,
  ): Promise<Pick<StoredPasskey, 'credential_id' | 'public_key' | 'counter' | 'backed_up'> | null>;
  /** The counter of the key after this use. Null also if it did not grow, as with a copied key. */
  signIn(ceremony: Ceremony, known: StoredPasskey): Promise<{ counter: number; backed_up: boolean } | null>;
}
