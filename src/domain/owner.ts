import { invalid } from './errors.ts';
import type { Principal } from './principal.ts';

/**
 * Whose notes and folders a call may reach. An owner is a user (personal notes) or a space of a workspace. Its id is on
 * every such row, so a query cannot even find the row of another owner.
 */
export type OwnerFilter =
  | { readonly kind: 'owner'; readonly ownerId: string }
  | { readonly kind: 'any space of'; readonly workspaceId: string }
  /** Their own rows, and the rows of all spaces of their workspaces. */
  | { readonly kind: 'member'; readonly userId: string };

/**
 * For calls by id. A personal key reaches the rows of its user, a workspace key the rows of all spaces of its workspace, and a
 * signed-in person both their own and the rows of their workspaces.
 */
export function reachOf(principal: Principal): OwnerFilter {
  switch (principal.kind) {
    case 'workspace':
      return { kind: 'any space of', workspaceId: principal.workspaceId };
    case 'session':
      return { kind: 'member', userId: principal.userId };
    case 'personal':
    case 'agent':
      return { kind: 'owner', ownerId: principal.userId };
  }
}

export const ownedBy = (userId: string): OwnerFilter => ({ kind: 'owner', ownerId: userId });

/**
 * For recordings and transcriptions. A caller who may read a note reaches its recordings. A list without a note has the
 * caller's own; a workspace key has none. Raises `validation_error`.
 */
export function reachOfRecorded(principal: Principal, noteId: string | undefined): OwnerFilter {
  if (noteId !== undefined) return reachOf(principal);
  if (principal.kind === 'workspace') throw invalid('note_id is required with a workspace key.');
  return ownedBy(principal.userId);
}

/**
 * For list, create and search. `space_id` is required with a workspace key and not allowed with a personal key. With a
 * session it chooses between the person's own notes and the notes of a space. Raises `validation_error`. The store checks whether
 * the principal may reach the space.
 */
export function checkSpaceId(principal: Principal, spaceId: string | undefined): void {
  if (principal.kind === 'workspace' && spaceId === undefined)
    throw invalid('space_id is required with a workspace key.');
  if (principal.kind === 'personal' && spaceId !== undefined)
    throw invalid('space_id is not allowed with a personal key.');
}
