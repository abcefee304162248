import type { PlanName } from './plans.ts';
import type { Policy } from './policy.ts';
import type { Scope } from './scopes.ts';

/** Who is asking, as the credential proved it. The first argument of service functions that routes call. */
export type Principal = KeyPrincipal | SessionPrincipal | AgentPrincipal;
export type KeyPrincipal = PersonalKeyPrincipal | WorkspaceKeyPrincipal;

interface Caller {
  readonly userId: string;
  readonly plan: PlanName;
  /** Expanded: no wildcard in it. */
  readonly scopes: readonly Scope[];
  /** What the workspaces that manage this person turn off. */
  readonly blockedBy: readonly Policy[];
  readonly expiresAt: string | null;
  /** What rate limits and locks count by: the key's id, or one name for all sessions of a person. */
  readonly limitKey: string;
  /** Null for everyone who did not come with a key. */
  readonly key: { readonly id: string; readonly name: string } | null;
}

export interface PersonalKeyPrincipal extends Caller {
  readonly kind: 'personal';
  readonly key: { readonly id: string; readonly name: string };
}

export interface WorkspaceKeyPrincipal extends Caller {
  readonly kind: 'workspace';
  readonly key: { readonly id: string; readonly name: string };
  readonly workspaceId: string;
}

/** A signed-in person: every personal scope. */
export interface SessionPrincipal extends Caller {
  readonly kind: 'session';
  readonly sessionId: string;
  readonly key: null;
}

/** A program that proved an e-mail address; good for the key routes and nothing else. */
export interface AgentPrincipal extends Caller {
  readonly kind: 'agent';
  readonly key: null;
}
