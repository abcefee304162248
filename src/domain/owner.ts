import { AppError } from './errors.ts';
import type { Principal } from './principal.ts';

/**
 * Whose notes and folders a call works on. An owner is a person (their personal notes) or a space of a workspace;
 * its id stands on every such row, so that another owner's row is out of reach of the query itself.
 */
export type OwnerFilter =
  | { readonly kind: 'owner'; readonly ownerId: string }
  | { readonly kind: 'any space of'; readonly workspaceId: string };

/** For calls by id: a personal key reaches its user's rows, a workspace key those of every space of its workspace. */
export const reachOf = (principal: Principal): OwnerFilter =>
  principal.kind === 'workspace'
    ? { kind: 'any space of', workspaceId: principal.workspaceId }
    : { kind: 'owner', ownerId: principal.userId };

/**
 * The `space_id` rule of list, create and search: required with a workspace key, refused with a personal one.
 * Raises `validation_error`. Whether the space belongs to the workspace is the store's to say.
 */
export function checkSpaceId(principal: Principal, spaceId: string | undefined): void {
  if (principal.kind === 'workspace' && spaceId === undefined)
    throw new AppError('validation_error', 'space_id is required with a workspace key.');
  if (principal.kind !== 'workspace' && spaceId !== undefined)
    throw new AppError('validation_error', 'space_id is not allowed with a personal key.');
}
