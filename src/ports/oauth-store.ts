import type { Grant, NewGrant, OAuthClient, TokenHashes } from '../domain/oauth.ts';
import type { LiveToken } from './identity-store.ts';

/** The grant of an access token. The caller checks whether the token has expired. */
export interface LiveGrant extends Omit<LiveToken, 'is_operator' | 'by_app_password'> {
  client_name: string;
  scopes: string[];
}

/** What a client must prove when it uses its code. */
export interface CodeProof {
  code_hash: string;
  now: string;
  matches(grant: Pick<NewGrant, 'client_id' | 'redirect_uri' | 'resource' | 'code_challenge'>): boolean;
}

export interface RefreshProof {
  family_hash: string;
  refresh_hash: string;
  now: string;
  /** A token that was used after this time may be sent once more. */
  leewaySince: string;
  matches(grant: Pick<NewGrant, 'client_id' | 'resource'>): boolean;
  /** Whether this token gave that pair, which only the token itself can open. */
  gave(successor: string): boolean;
}

export interface OAuthStore {
  /** `since`: no more than `perNetwork` of one network after this time. Beyond `waiting` without a grant, the oldest go. */
  addClient(
    client: OAuthClient,
    bounds: { since: string; perNetwork: number; waiting: number },
  ): Promise<'ok' | 'too many'>;
  findClient(id: string): Promise<OAuthClient | undefined>;
  /** False if the person has `max` grants. */
  addGrant(grant: NewGrant, max: number): Promise<boolean>;
  /** Uses the code up. A code that was used before revokes its grant. Undefined if it does not work. */
  useCode(proof: CodeProof, tokens: TokenHashes): Promise<string[] | undefined>;
  /**
   * Replaces both tokens, and keeps them sealed as `successor`. A refresh token that was used before gets that `successor` for a
   * short while, and then revokes its grant. Undefined if it does not work.
   */
  refresh(
    proof: RefreshProof,
    tokens: TokenHashes & { successor: string },
  ): Promise<{ scopes: string[]; successor?: string } | undefined>;
  findByAccess(accessHash: string): Promise<LiveGrant | undefined>;
  /** Revokes the grant of this access or refresh token, if it is of this client. */
  revokeByToken(tokenHash: string, clientId: string): Promise<void>;
  /** Newest first. */
  list(userId: string, now: string): Promise<Grant[]>;
  /** False if the person has no such grant. */
  remove(userId: string, id: string): Promise<boolean>;
  /** Forgets grants that have ended, and clients without a grant: `unusedBefore` if nobody ever allowed them anything. */
  forget(now: string, clients: { unusedBefore: string; usedBefore: string }): Promise<void>;
}
