import { AppError, notFound } from '../../domain/errors.ts';
import type { MemberRole } from '../../domain/member.ts';
import type { Authority } from '../../domain/principal.ts';
import type { Store } from '../../platform/database/ports/store.ts';

/**
 * Raises `not_found` if there is no such workspace or the caller is not a member, and `forbidden` if an admin is needed and
 * the caller is not one.
 */
export async function requireRole(
  store: Store,
  authority: Authority,
  workspaceId: string,
  needed: MemberRole,
): Promise<void> {
  const role =
    authority.kind === 'operator'
      ? (await store.workspaces.find(workspaceId)) && 'admin'
      : await store.members.roleOf(workspaceId, authority.userId);
  if (!role) throw notFound('Workspace');
  if (needed === 'admin' && role !== 'admin')
    throw new AppError('forbidden', 'Only an admin of this workspace may do this; ask one of them.');
}
