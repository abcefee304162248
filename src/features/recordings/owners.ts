import { notFound } from '../../domain/errors.ts';
import { checkSpaceId } from '../../domain/owner.ts';
import type { Principal } from '../../domain/principal.ts';
import type { SpaceStore } from '../../platform/database/ports/workspace-store.ts';

export interface Owner {
  readonly ownerId: string;
  readonly spaceId: string | null;
}

/**
 * Whose rows a list, create or search reaches.
 * Raises `validation_error` (space_id missing or not allowed) and `not_found` (a space of a workspace that the key does not
 * belong to, or that the person is not a member of).
 */
export async function ownerOf(
  spaces: SpaceStore,
  principal: Principal,
  spaceId: string | undefined,
): Promise<Owner> {
  checkSpaceId(principal, spaceId);
  if (spaceId === undefined) return { ownerId: principal.userId, spaceId: null };
  const isReached =
    principal.kind === 'workspace'
      ? await spaces.has(principal.workspaceId, spaceId)
      : await spaces.isShared(principal.userId, spaceId);
  if (!isReached) throw notFound('Space');
  return { ownerId: spaceId, spaceId };
}
