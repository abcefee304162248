import type { PlanName } from './plans.ts';
import type { Policy } from './policy.ts';
import type { Scope } from './scopes.ts';

/** Who is asking, as the credential proved. Service functions that routes call take it as their first argument. */
export type Principal = KeyPrincipal | SessionPrincipal | AgentPrincipal;
export type KeyPrincipal = PersonalKeyPrincipal | WorkspaceKeyPrincipal;

interface Caller {
  readonly userId: string;
  readonly plan: PlanName;
  /** With wildcards expanded. */
  readonly scopes: readonly Scope[];
  /** What the workspaces that manage this person turn off. */
  readonly blockedBy: readonly Policy[];
  readonly expiresAt: string | null;
  /** What rate limits and leases count by: the id of the key, or one name for all sessions of a person. */
  readonly limitKey: string;
  /** Where the call may come from: addresses and networks. Null means from anywhere. */
  readonly allowedAddresses: readonly string[] | null;
  /** Null if the credential is not a key. */
  readonly key: { readonly id: string; readonly name: string } | null;
}

export interface PersonalKeyPrincipal extends Caller {
  readonly kind: 'personal';
  readonly key: { readonly id: string; readonly name: string };
  /** An assistant with an access token. It may do what a key of the person with its scopes may; `key` is its grant. */
  readonly isGrant?: true;
}

export interface WorkspaceKeyPrincipal extends Caller {
  readonly kind: 'workspace';
  readonly key: { readonly id: string; readonly name: string };
  readonly workspaceId: string;
}

/** A signed-in person, with every personal scope. */
export interface SessionPrincipal extends Caller {
  readonly kind: 'session';
  readonly sessionId: string;
  /** Whether this person runs the server, and signed in personally. It gives no reach into notes. */
  readonly isOperator: boolean;
  readonly byAppPassword?: boolean;
  readonly key: null;
}

/** A program that proved an e-mail address. It may call the key routes and nothing else. */
export interface AgentPrincipal extends Caller {
  readonly kind: 'agent';
  readonly key: null;
}

/** On whose behalf something is done: a caller of the API, or an operator, at the command line or by an operator's route. */
export type Authority = Principal | Operator;

interface Operator {
  readonly kind: 'operator';
}
export const operator: Operator = { kind: 'operator' };
