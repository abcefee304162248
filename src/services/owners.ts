import { notFound } from '../domain/errors.ts';
import { checkSpaceId } from '../domain/owner.ts';
import type { Principal } from '../domain/principal.ts';
import type { SpaceStore } from '../ports/workspace-store.ts';

export interface Owner {
  readonly ownerId: string;
  readonly spaceId: string | null;
}

/**
 * Whose rows a list, create or search reaches.
 * Raises `validation_error` (space_id missing or not allowed) and `not_found` (a space of another workspace).
 */
export async function ownerOf(
  spaces: SpaceStore,
  principal: Principal,
  spaceId: string | undefined,
): Promise<Owner> {
  checkSpaceId(principal, spaceId);
  if (principal.kind !== 'workspace' || spaceId === undefined)
    return { ownerId: principal.userId, spaceId: null };
  if (!(await spaces.has(principal.workspaceId, spaceId))) throw notFound('Space');
  return { ownerId: spaceId, spaceId };
}
