import { AppError } from './errors.ts';
import type { Principal } from './principal.ts';

/**
 * Whose notes and folders a call may reach. An owner is a user (personal notes) or a space of a workspace. Its id is on
 * every such row, so a query cannot even find the row of another owner.
 */
export type OwnerFilter =
  | { readonly kind: 'owner'; readonly ownerId: string }
  | { readonly kind: 'any space of'; readonly workspaceId: string };

/** For calls by id. A personal key reaches the rows of its user, a workspace key those of all spaces of its workspace. */
export const reachOf = (principal: Principal): OwnerFilter =>
  principal.kind === 'workspace'
    ? { kind: 'any space of', workspaceId: principal.workspaceId }
    : { kind: 'owner', ownerId: principal.userId };

/**
 * For list, create and search: `space_id` is required with a workspace key and not allowed with a personal key.
 * Raises `validation_error`. The store checks whether the space belongs to the workspace.
 */
export function checkSpaceId(principal: Principal, spaceId: string | undefined): void {
  if (principal.kind === 'workspace' && spaceId === undefined)
    throw new AppError('validation_error', 'space_id is required with a workspace key.');
  if (principal.kind !== 'workspace' && spaceId !== undefined)
    throw new AppError('validation_error', 'space_id is not allowed with a personal key.');
}
