import { forbidden, notFound } from '../../domain/errors.ts';
import type { MemberRole } from '../../domain/member.ts';
import { checkSpaceId } from '../../domain/owner.ts';
import type { Authority } from '../../domain/principal.ts';
import type { Reach } from '../../kernel/authorized.ts';
import type { Db } from '../../platform/database/database.ts';
import * as members from '../members/queries.ts';
import * as spaces from '../spaces/queries.ts';

const exists = (db: Db, workspaceId: string) =>
  db.selectFrom('workspaces').select('id').where('id', '=', workspaceId).executeTakeFirst();

/**
 * Raises `not_found` if there is no such workspace or the caller is not a member, and `forbidden` if an admin is needed and
 * the caller is not one.
 */
export async function requireRole(
  { db, who }: Reach<Authority>,
  workspaceId: string,
  needed: MemberRole,
): Promise<void> {
  const role =
    who.kind === 'operator'
      ? (await exists(db, workspaceId)) && 'admin'
      : await members.roleOf(db, workspaceId, who.userId);
  if (!role) throw notFound('Workspace');
  if (needed === 'admin' && role !== 'admin')
    throw forbidden('Only an admin of this workspace may do this; ask one of them.');
}

/** For acts that concern more than one workspace. Raises `forbidden`. */
export function requireOperator(who: Authority): void {
  if (who.kind !== 'operator') throw forbidden('Only the operator of this server may do this.');
}

export interface Owner {
  readonly ownerId: string;
  readonly spaceId: string | null;
}

/**
 * Whose rows a list, create or search reaches. Raises `validation_error` (space_id missing or not allowed) and `not_found`
 * (a space of a workspace that the key does not belong to, or that the person is not a member of).
 */
export async function ownerOf({ db, who }: Reach, spaceId: string | undefined): Promise<Owner> {
  checkSpaceId(who, spaceId);
  if (spaceId === undefined) return { ownerId: who.userId, spaceId: null };
  const isReached =
    who.kind === 'workspace'
      ? (await spaces.find(db, { workspaceId: who.workspaceId, id: spaceId })) !== undefined
      : await spaces.isShared(db, who.userId, spaceId);
  if (!isReached) throw notFound('Space');
  return { ownerId: spaceId, spaceId };
}
