import { sql } from 'kysely';
import { type MemberChanges, type Membership, memberAccount, membership } from '../../domain/member.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import { counted } from '../../platform/database/count.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { keyWorks } from '../../platform/database/keys.ts';
import { rowsOf } from '../../platform/database/schema.ts';

const { all, columns, toRow } = rowsOf(membership);
const accountColumns = rowsOf(memberAccount).columns;

/** With how many keys each of them made that work. */
export const list = (db: Db, workspaceId: string, now: string, userId?: string) =>
  all(
    db
      .selectFrom('workspace_members as member')
      .innerJoin('users', 'users.id', 'member.user_id')
      .select(columns.map((column) => `member.${column}` as const))
      .select(accountColumns.map((column) => `users.${column}` as const))
      .select(
        counted(sql`api_keys where workspace_id = member.workspace_id and user_id = member.user_id
        and ${keyWorks(now)}`).as('workspace_keys'),
      )
      .where('member.workspace_id', '=', workspaceId)
      .$if(userId !== undefined, (query) => query.where('member.user_id', '=', userId ?? ''))
      .orderBy('member.created_at')
      .orderBy('member.user_id'),
  );

const of = (db: Db, workspaceId: string) =>
  db.selectFrom('workspace_members').where('workspace_id', '=', workspaceId);

export const find = (db: Db, workspaceId: string, userId: string) =>
  of(db, workspaceId)
    .select(['workspace_id', 'user_id', 'role', 'managed'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
export type Found = NonNullable<Awaited<ReturnType<typeof find>>>;

/** Undefined if the person is not a member of the workspace, or if there is no such workspace. */
export const roleOf = async (db: Db, workspaceId: string, userId: string) =>
  (await find(db, workspaceId, userId))?.role;

const admins = (db: Db, workspaceId: string) =>
  of(db, workspaceId).select('user_id').where('role', '=', 'admin');

/** The person who has been an admin for longest. */
export const firstAdmin = async (db: Db, workspaceId: string) =>
  (await admins(db, workspaceId).orderBy('created_at').orderBy('user_id').executeTakeFirst())?.user_id;

export async function isLastAdmin(db: Db, { workspace_id, user_id, role }: Found): Promise<boolean> {
  if (role !== 'admin') return false;
  const another = admins(db, workspace_id).where('user_id', '!=', user_id).limit(1);
  return (await another.executeTakeFirst()) === undefined;
}

/** False if the person is a member already. */
export async function insert(tx: Tx, workspaceId: string, added: Membership): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('workspace_members')
    .values({ ...toRow(added), workspace_id: workspaceId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** Who is no admin any more may not invite. */
const removeInvitations = (tx: Tx, { workspace_id, user_id }: Found) =>
  tx
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspace_id)
    .where('invited_by', '=', user_id)
    .execute();

export async function update(tx: Tx, member: Authorized<Found>, changes: MemberChanges): Promise<void> {
  const role = changes.role ?? member.role;
  if (role !== 'admin') await removeInvitations(tx, member);
  await tx
    .updateTable('workspace_members')
    .set(toRow({ ...changes, role }))
    .where('workspace_id', '=', member.workspace_id)
    .where('user_id', '=', member.user_id)
    .execute();
}

/** With `revokeKeysAt`, also revokes the workspace keys that they made. */
export async function remove(tx: Tx, member: Authorized<Found>, revokeKeysAt: string | null): Promise<void> {
  const { workspace_id, user_id } = member;
  await removeInvitations(tx, member);
  await tx
    .deleteFrom('workspace_members')
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .execute();
  if (revokeKeysAt === null) return;
  await tx
    .updateTable('api_keys')
    .set({ revoked_at: revokeKeysAt })
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .execute();
}
