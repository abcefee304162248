import type { PlanName } from '../domain/plans.ts';
import type { Policy } from '../domain/policy.ts';
import type { Session } from '../domain/session.ts';
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
  /** Those that have not expired, newest first. */
  list(userId: string, now: string): Promise<Session[]>;
  remove(userId: string, id: string): Promise<boolean>;
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
  /** The user whose link this is, once; undefined for a link that is unknown, used or expired. */
  consume(tokenHash: string, now: string): Promise<string | undefined>;
}

export interface CodeRequest {
  email: string;
  /** Network of whoever asks. */
  client: string;
  now: number;
  /** Null: only count the request, the code is kept elsewhere. */
  code: { code_hash: string; expires_at: string } | null;
}

export interface CodeRedemption {
  email: string;
  now: string;
  maxWrongTries: number;
  matches(codeHash: string): boolean;
  token: { id: string; token_hash: string; expires_at: string };
  /** The account to make when the address has none; null when none may be made. */
  newUser: User | null;
}

export interface EmailCodeStore {
  /** Counts the request and replaces the address's code. Answers how many milliseconds too early it came, or 0. */
  request(request: CodeRequest): Promise<number>;
  /** `ok` spends the code and stores the token; `wrong` counts a try; `locked` needs a new code. */
  redeem(redemption: CodeRedemption): Promise<'ok' | 'wrong' | 'locked'>;
}

export interface AgentTokenStore {
  findByHash(tokenHash: string): Promise<LiveToken | undefined>;
}

export interface InstallationStore {
  /** The value under this name; `fallback` is stored first when there is none. The same on every replica. */
  valueOf(name: string, fallback: string): Promise<string>;
}

/** Names of tables and columns as the identity migration makes them. */
export interface AuthCondition {
  column: string;
  operator: '=' | '<>' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';
  value: unknown;
  connector: 'AND' | 'OR';
}

export type AuthRow = Record<string, unknown>;

/** Rows that the sign-in library keeps. Each write is one transaction. */
export interface AuthRecords {
  insert(table: string, row: AuthRow): Promise<AuthRow>;
  find(
    table: string,
    conditions: AuthCondition[],
    options?: {
      limit?: number | undefined;
      offset?: number | undefined;
      sort?: { column: string; direction: 'asc' | 'desc' } | undefined;
    },
  ): Promise<AuthRow[]>;
  count(table: string, conditions: AuthCondition[]): Promise<number>;
  /** The rows as they are afterwards. */
  update(table: string, conditions: AuthCondition[], changes: AuthRow): Promise<AuthRow[]>;
  /** The rows that are gone. `first`: only the first of them. */
  remove(table: string, conditions: AuthCondition[], options?: { first?: boolean }): Promise<AuthRow[]>;
}
