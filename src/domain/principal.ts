import type { PlanName } from './plans.ts';
import type { Policy } from './policy.ts';
import type { Scope } from './scopes.ts';

/** Who is asking, as the credential proved it. The first argument of every service function. */
export type Principal = PersonalKeyPrincipal | WorkspaceKeyPrincipal;

interface KeyPrincipal {
  readonly userId: string;
  readonly plan: PlanName;
  /** Expanded: no wildcard in it. */
  readonly scopes: readonly Scope[];
  /** What the workspaces that manage this person turn off. */
  readonly blockedBy: readonly Policy[];
  readonly expiresAt: string | null;
  readonly key: { readonly id: string; readonly name: string };
}

export interface PersonalKeyPrincipal extends KeyPrincipal {
  readonly kind: 'personal';
}

export interface WorkspaceKeyPrincipal extends KeyPrincipal {
  readonly kind: 'workspace';
  readonly workspaceId: string;
}
