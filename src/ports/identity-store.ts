import type { AppPassword, StoredAppPassword } from '../domain/app-password.ts';
import type { Grants, ProvidedIdentity } from '../domain/identity-provider.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Policy } from '../domain/policy.ts';
import type { NewSession, Session, StoredSession } from '../domain/session.ts';
import type { User } from '../domain/user.ts';

/** A session or agent token with the plan of its user, who is not suspended. The caller checks whether it has expired. */
export interface LiveToken {
  id: string;
  user_id: string;
  plan: PlanName;
  /** What the workspaces that manage the user turn off. */
  blocked_by: Policy[];
  expires_at: string;
  is_operator: boolean;
  by_app_password: boolean;
}

export interface SessionStore {
  findByHash(tokenHash: string): Promise<LiveToken | undefined>;
  /** The caller checks whether it has expired. */
  findWithUser(tokenHash: string): Promise<{ session: StoredSession; user: User } | undefined>;
  /** Without expired ones, newest first. */
  list(userId: string, now: string): Promise<Session[]>;
  /** False if the session is gone. */
  extend(id: string, times: { expires_at: string; updated_at: string }): Promise<boolean>;
  remove(userId: string, id: string): Promise<boolean>;
  /** Returns the session that ended. */
  removeByHash(tokenHash: string): Promise<Pick<StoredSession, 'user_id' | 'provider'> | undefined>;
  removeAll(userId: string): Promise<void>;
}

export interface SignInLinkStore {
  /** Also deletes expired links, and an earlier one of the same session. False if that session has ended. */
  insert(link: {
    token_hash: string;
    user_id: string;
    expires_at: string;
    created_at: string;
    /** Null: the operator made it. Otherwise it ends with this session. */
    session_id: string | null;
  }): Promise<boolean>;
  /** The user of the operator's link; undefined if it is unknown, used or expired. */
  find(linkHash: string, now: string): Promise<User | undefined>;
  /** Uses up a link of this kind and stores the session. Returns the user, or undefined as in `find`. */
  redeem(linkHash: string, session: NewSession, kind: 'link' | 'one-time token'): Promise<User | undefined>;
}

export interface CodeRequest {
  email: string;
  /** The network of the caller. */
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
    /** The account gets the address. */
    | { kind: 'address'; userId: string };
  /** The account to create if the address has none; null if that is not allowed. */
  newUser: User | null;
}

/**
 * `tries`: the number of wrong tries, including tries with a locked code; 0 if there is no code.
 * `taken`: another account has the address.
 */
export type CodeOutcome =
  | { kind: 'ok'; user: User }
  | { kind: 'wrong'; tries: number }
  | { kind: 'expired' }
  | { kind: 'taken' };

export interface EmailCodeStore {
  /** Counts the request and replaces the code of the address. Returns 0, or by how many ms it came too early. */
  request(request: CodeRequest): Promise<number>;
  /** `ok` uses the code up and stores the grant. `wrong` counts a try. */
  redeem(redemption: CodeRedemption): Promise<CodeOutcome>;
}

/** Somebody whom the provider knows. */
export interface ProvidedSignIn {
  identity: ProvidedIdentity;
  now: string;
  session: NewSession;
  /** What their groups give them now. */
  grants: Grants;
  /** The plan of somebody whose plan no group decides any longer. */
  defaultPlan: PlanName;
  isAllowed(known: { hasAccount: boolean; isInvited: boolean }): boolean;
  /** The account to make if the address has none. */
  newUser(email: string): User;
}

/** `unverified`: the provider does not vouch for an address, so no account can be found. */
export type ProvidedOutcome = { user: User } | 'unverified' | 'not allowed';

export interface IdentityStore {
  /** Finds, links or makes the account, gives and takes what groups decide, and stores the session. */
  signIn(signIn: ProvidedSignIn): Promise<ProvidedOutcome>;
}

export interface AppPasswordStore {
  /** Oldest first. */
  list(userId: string): Promise<AppPassword[]>;
  /** `kept` is what an idempotent request answers with again. */
  insert(made: StoredAppPassword, most: number, kept: { password: string }): Promise<'ok' | 'too many'>;
  /** Also ends the sessions that began with it. */
  remove(userId: string, id: string): Promise<boolean>;
  /** Stores the session. Undefined if the account of this address has no such password. */
  signIn(
    given: { email: string; password_hash: string },
    session: NewSession,
  ): Promise<{ user: User; session: StoredSession } | undefined>;
}

export interface AgentTokenStore {
  findByHash(tokenHash: string): Promise<LiveToken | undefined>;
}

export interface InstallationStore {
  /** The value with this name. If there is none, stores `fallback`. The same on every replica. */
  valueOf(name: string, fallback: string): Promise<string>;
  read(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
}

export interface SetupStore {
  /** The account that may set the server up; undefined once that is over, also because there is a second account. */
  owner(): Promise<string | undefined>;
  open(userId: string): Promise<void>;
  /** Ends set-up, changes the account and calls `save`, all or nothing; `save` may run twice. False if it is not open to them. */
  close(
    finished: { userId: string; person: Partial<Pick<User, 'name' | 'email'>>; settings: readonly string[] },
    save: () => void,
  ): Promise<boolean>;
}
