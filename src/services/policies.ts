import { notFound } from '../domain/errors.ts';
import type { Policy } from '../domain/policy.ts';
import type { PolicyChanges, Store } from '../ports/store.ts';

export type Policies = ReturnType<typeof createPolicies>;

/** What a workspace turns off for the members it manages. Changes hold for the next call on every replica. */
export function createPolicies({ store }: { store: Store }) {
  return {
    /** Raises `not_found`. */
    async getPolicy(workspaceId: string): Promise<Policy[]> {
      return found(await store.policies.get(workspaceId));
    },

    /** Only the given fields change; what is blocked afterwards comes back. Raises `not_found`. */
    async setPolicy(workspaceId: string, changes: PolicyChanges): Promise<Policy[]> {
      return found(await store.policies.set(workspaceId, changes));
    },
  };
}

function found(policies: Policy[] | undefined): Policy[] {
  if (!policies) throw notFound('Workspace');
  return policies;
}
