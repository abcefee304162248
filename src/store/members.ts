import { type MemberChanges, type MemberRole, memberAccount, membership } from '../domain/member.ts';
import type { MemberStore } from '../ports/workspace-store.ts';
import { describeChanges, type Recorder, recorder } from './audit.ts';
import type { Database, Db } from './database.ts';
import { removeInvitationsBy } from './invitations.ts';
import { rowsOf } from './schema.ts';

const { columns, toRow, fromRow } = rowsOf(membership);
const accountColumns = rowsOf(memberAccount).columns;

export function createMemberStore(database: Database): MemberStore {
  const { db } = database;

  return {
    async list(workspaceId, now) {
      const members = await db
        .selectFrom('workspace_members as member')
        .innerJoin('users', 'users.id', 'member.user_id')
        .select(columns.map((column) => `member.${column}` as const))
        .select(accountColumns.map((column) => `users.${column}` as const))
        .select(({ selectFrom }) =>
          selectFrom('api_keys as key')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('key.workspace_id', '=', 'member.workspace_id')
            .whereRef('key.user_id', '=', 'member.user_id')
            .where('key.revoked_at', 'is', null)
            .where((eb) => eb.or([eb('key.expires_at', 'is', null), eb('key.expires_at', '>', now)]))
            .as('workspace_keys'),
        )
        .where('member.workspace_id', '=', workspaceId)
        .orderBy('member.created_at')
        .orderBy('member.user_id')
        .execute();
      // The PostgreSQL driver returns a count as text, because it is a bigint.
      return members.map((row) => ({ ...fromRow(row), workspace_keys: Number(row.workspace_keys) }));
    },

    async roleOf(workspaceId, userId) {
      const member = await db
        .selectFrom('workspace_members')
        .select('role')
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return member?.role;
    },

    async firstAdmin(workspaceId) {
      const admin = await db
        .selectFrom('workspace_members')
        .select('user_id')
        .where('workspace_id', '=', workspaceId)
        .where('role', '=', 'admin')
        .orderBy('created_at')
        .orderBy('user_id')
        .executeTakeFirst();
      return admin?.user_id;
    },

    add(workspaceId, added) {
      const record = recorder();
      return database.write(async (trx) => {
        const result = await trx
          .insertInto('workspace_members')
          .values({ ...toRow(added), workspace_id: workspaceId })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if ((result.numInsertedOrUpdatedRows ?? 0n) === 0n) return 'conflict';
        await record(trx, {
          act: 'member.added',
          workspace_id: workspaceId,
          subject_id: added.user_id,
          detail: added.role,
        });
        return 'ok';
      });
    },

    change(workspaceId, userId, changes, mayManage) {
      const record = recorder();
      return database.write((trx) => changeMember(trx, { workspaceId, userId, record }, changes, mayManage));
    },

    remove(workspaceId, userId, revokeKeysAt) {
      const record = recorder();
      return database.write((trx) => removeMember(trx, { workspaceId, userId, record }, revokeKeysAt));
    },
  };
}

interface Concerned {
  readonly workspaceId: string;
  readonly userId: string;
  readonly record: Recorder;
}

/** Inside a write. */
export async function changeMember(
  trx: Db,
  { workspaceId, userId, record }: Concerned,
  changes: MemberChanges,
  mayManage: boolean,
): Promise<'ok' | 'not found' | 'last admin' | 'not agreed'> {
  const member = await find(trx, workspaceId, userId);
  if (!member) return 'not found';
  const stepsDown = (changes.role ?? 'admin') !== 'admin';
  if (stepsDown && (await isLastAdmin(trx, workspaceId, member))) return 'last admin';
  if (changes.managed && member.managed === 0 && !mayManage) return 'not agreed';
  if (stepsDown) await removeInvitationsBy(trx, workspaceId, userId);
  await trx
    .updateTable('workspace_members')
    .set(toRow({ ...changes, role: changes.role ?? member.role }))
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute();
  await record(trx, {
    act: 'member.changed',
    workspace_id: workspaceId,
    subject_id: userId,
    detail: describeChanges(changes),
  });
  return 'ok';
}

/** Inside a write. */
export async function removeMember(
  trx: Db,
  { workspaceId, userId, record }: Concerned,
  revokeKeysAt: string | null,
): Promise<'ok' | 'not found' | 'last admin'> {
  const member = await find(trx, workspaceId, userId);
  if (!member) return 'not found';
  if (await isLastAdmin(trx, workspaceId, member)) return 'last admin';
  await removeInvitationsBy(trx, workspaceId, userId);
  await trx
    .deleteFrom('workspace_members')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute();
  if (revokeKeysAt !== null)
    await trx
      .updateTable('api_keys')
      .set({ revoked_at: revokeKeysAt })
      .where('workspace_id', '=', workspaceId)
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .execute();
  await record(trx, {
    act: 'member.removed',
    workspace_id: workspaceId,
    subject_id: userId,
    ...(revokeKeysAt !== null && { detail: 'with the keys that they made' }),
  });
  return 'ok';
}

const find = (trx: Db, workspaceId: string, userId: string) =>
  trx
    .selectFrom('workspace_members')
    .select(['user_id', 'role', 'managed'])
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst();

async function isLastAdmin(
  trx: Db,
  workspaceId: string,
  { user_id, role }: { user_id: string; role: MemberRole },
): Promise<boolean> {
  if (role !== 'admin') return false;
  const another = await trx
    .selectFrom('workspace_members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'admin')
    .where('user_id', '!=', user_id)
    .limit(1)
    .executeTakeFirst();
  return another === undefined;
}
