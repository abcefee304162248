import type { PlanName } from '../domain/plans.ts';
import type { Policy } from '../domain/policy.ts';
import type { NewSession, Session, StoredSession } from '../domain/session.ts';
import type { User } from '../domain/user.ts';

/** A session or agent token that exists, with its person's plan; whether it has expired is the caller's to judge. */
export interface LiveToken {
  id: string;
  user_id: string;
  plan: PlanName;
  /** What the workspaces that manage the person turn off. */
  blocked_by: Policy[];
  expires_at: string;
}

export interface SessionStore {
  findByHash(tokenHash: string): Promise<LiveToken | undefined>;
  /** With its person; whether it has expired is the caller's to judge. */
  findWithUser(tokenHash: string): Promise<{ session: StoredSession; user: User } | undefined>;
  /** Those that have not expired, newest first. */
  list(userId: string, now: string): Promise<Session[]>;
  /** False when the session is gone. */
  extend(id: string, times: { expires_at: string; updated_at: string }): Promise<boolean>;
  remove(userId: string, id: string): Promise<boolean>;
  removeByHash(tokenHash: string): Promise<void>;
  removeAll(userId: string): Promise<void>;
}

export interface SignInLinkStore {
  /** Forgets the links that have expired. */
  insert(link: {
    token_hash: string;
    user_id: string;
    expires_at: string;
    created_at: string;
  }): Promise<void>;
  /** Whose it is; undefined for a link that is unknown, used or expired. */
  find(linkHash: string, now: string): Promise<User | undefined>;
  /** Spends the link and stores the session. Answers whose it is; undefined as in `find`. */
  redeem(linkHash: string, session: NewSession): Promise<User | undefined>;
}

export interface CodeRequest {
  email: string;
  /** Network of whoever asks. */
  client: string;
  now: number;
  code_hash: string;
  expires_at: string;
}

export interface CodeRedemption {
  email: string;
  now: string;
  maxWrongTries: number;
  matches(codeHash: string): boolean;
  /** What the code is traded for. */
  grant:
    | { kind: 'session'; session: NewSession }
    | { kind: 'agent'; token: { id: string; token_hash: string; expires_at: string } }
    /** The address becomes that of this account. */
    | { kind: 'address'; userId: string };
  /** The account to make when the address has none; null when none may be made. */
  newUser: User | null;
}

/**
 * `tries`: how often a wrong code, or any code after the last wrong try, was entered; 0 when there is no code.
 * `taken`: the address was to become that of another account than its own.
 */
export type CodeOutcome =
  | { kind: 'ok'; user: User }
  | { kind: 'wrong'; tries: number }
  | { kind: 'expired' }
  | { kind: 'taken' };

export interface EmailCodeStore {
  /** Counts the request and replaces the address's code. Answers how many milliseconds too early it came, or 0. */
  request(request: CodeRequest): Promise<number>;
  /** `ok` spends the code and stores what it is traded for; `wrong` counts a try. */
  redeem(redemption: CodeRedemption): Promise<CodeOutcome>;
}

export interface AgentTokenStore {
  findByHash(tokenHash: string): Promise<LiveToken | undefined>;
}

export interface InstallationStore {
  /** The value under this name; `fallback` is stored first when there is none. The same on every replica. */
  valueOf(name: string, fallback: string): Promise<string>;
}
