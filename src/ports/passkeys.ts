import type { RelyingParty, StoredPasskey } from '../domain/passkey.ts';
import type { NewSession } from '../domain/session.ts';
import type { User } from '../domain/user.ts';

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
  /** The new key of somebody. */
  register(
    ceremony: Ceremony,
  ): Promise<Pick<StoredPasskey, 'credential_id' | 'public_key' | 'counter' | 'backed_up'> | null>;
  /** The counter of the key after this use. Null also if it did not grow, as with a copied key. */
  signIn(ceremony: Ceremony, known: StoredPasskey): Promise<{ counter: number; backed_up: boolean } | null>;
}

/** Each function that takes a challenge uses it up, and raises nothing for one that was used: it returns `used`. */
export interface PasskeyStore {
  list(userId: string): Promise<StoredPasskey[]>;
  findByCredential(credentialId: string): Promise<StoredPasskey | undefined>;
  /** `known`: this key is here already. */
  insert(
    passkey: StoredPasskey,
    challenge: UsedChallenge,
    most: number,
  ): Promise<'ok' | 'used' | 'known' | 'too many'>;
  /** Undefined if the challenge was used, or the key is gone or was used meanwhile. Raises `AccountSuspended`. */
  signIn(
    use: { id: string; counter: number; backed_up: boolean },
    challenge: UsedChallenge,
    session: NewSession,
  ): Promise<User | undefined>;
  rename(userId: string, id: string, name: string): Promise<StoredPasskey | undefined>;
  remove(userId: string, id: string): Promise<boolean>;
}

export interface UsedChallenge {
  challenge: string;
  expires_at: string;
}
