import { notFound } from '../domain/errors.ts';
import type { Policy } from '../domain/policy.ts';
import type { PolicyChanges, Store } from '../ports/store.ts';

/** What a workspace turns off for the members it manages. Changes hold for the next call on every replica. */
export function createPolicies({ store }: { store: Store }) {
  return {
    /** Raises `not_found`. */
    async getPolicy(workspaceId: string): Promise<Policy[]> {
      return found(await store.policies.get(workspaceId));
    },

    /** Only the given members change; what is blocked afterwards comes back. Raises `not_found`. */
    async setPolicy(workspaceId: string, changes: PolicyChanges): Promise<Policy[]> {
      return found(await store.policies.set(workspaceId, changes));
    },

    /** The workspace's policy holds for managed members only. Raises `not_found` for who is no member. */
    async setManaged(workspaceId: string, userId: string, managed: boolean): Promise<void> {
      if (!(await store.policies.setManaged(workspaceId, userId, managed))) throw notFound('Member');
    },
  };
}

function found(policies: Policy[] | undefined): Policy[] {
  if (!policies) throw notFound('Workspace');
  return policies;
}
