import { notFound } from '../domain/errors.ts';
import type { PolicyChanges, WorkspacePolicy } from '../domain/policy.ts';
import type { Authority } from '../domain/principal.ts';
import type { Store } from '../ports/store.ts';
import { requireRole } from './roles.ts';

export type Policies = ReturnType<typeof createPolicies>;

/** Changes apply to the next call on every replica. */
export function createPolicies({ store }: { store: Store }) {
  return {
    /** For members. */
    async get(authority: Authority, workspaceId: string): Promise<WorkspacePolicy> {
      await requireRole(store, authority, workspaceId, 'member');
      return found(await store.policies.get(workspaceId));
    },

    /** For admins. Changes the given fields and returns the whole policy. */
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
