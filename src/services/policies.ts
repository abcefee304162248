import type { Authority } from '../domain/authority.ts';
import { notFound } from '../domain/errors.ts';
import type { PolicyChanges, WorkspacePolicy } from '../domain/policy.ts';
import type { Store } from '../ports/store.ts';
import { requireRole } from './roles.ts';

export type Policies = ReturnType<typeof createPolicies>;

/** What a workspace turns off for the members it manages. Changes hold for the next call on every replica. */
export function createPolicies({ store }: { store: Store }) {
  return {
    /** Members may. */
    async get(authority: Authority, workspaceId: string): Promise<WorkspacePolicy> {
      await requireRole(store, authority, workspaceId, 'member');
      return found(await store.policies.get(workspaceId));
    },

    /** Admins may. Only the given fields change; the whole policy comes back. */
    async update(
      authority: Authority,
      workspaceId: string,
      changes: PolicyChanges,
    ): Promise<WorkspacePolicy> {
      await requireRole(store, authority, workspaceId, 'admin');
      return found(await store.policies.update(workspaceId, changes));
    },
  };
}

function found(policy: WorkspacePolicy | undefined): WorkspacePolicy {
  if (!policy) throw notFound('Workspace');
  return policy;
}
