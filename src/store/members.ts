import { memberAccount, membership } from '../domain/member.ts';
import type { MemberStore } from '../ports/store.ts';
import type { Database } from './database.ts';
import { rowsOf } from './rows.ts';

const { columns, toRow, fromRow } = rowsOf(membership);
const accountColumns = rowsOf(memberAccount).columns;

export function createMemberStore(database: Database): MemberStore {
  const { db } = database;

  return {
    async list(workspaceId) {
      const members = await db
        .selectFrom('workspace_members as member')
        .innerJoin('users', 'users.id', 'member.user_id')
        .select(columns.map((column) => `member.${column}` as const))
        .select(accountColumns.map((column) => `users.${column}` as const))
        .where('member.workspace_id', '=', workspaceId)
        .orderBy('member.created_at')
        .orderBy('member.user_id')
        .execute();
      return members.map(fromRow);
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
      return database.write(async (trx) => {
        const result = await trx
          .insertInto('workspace_members')
          .values({ ...toRow(added), workspace_id: workspaceId })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return (result.numInsertedOrUpdatedRows ?? 0n) > 0n ? 'ok' : 'conflict';
      });
    },

    change(workspaceId, userId, changes) {
      return database.write(async (trx) => {
        const members = await trx
          .selectFrom('workspace_members')
          .select(['user_id', 'role'])
          .where('workspace_id', '=', workspaceId)
          .execute();
        const member = members.find(({ user_id }) => user_id === userId);
        if (!member) return 'not found';
        const role = changes === null ? null : (changes.role ?? member.role);
        const adminsLeft = members.some((other) => other !== member && other.role === 'admin');
        if (member.role === 'admin' && role !== 'admin' && !adminsLeft) return 'last admin';
        if (changes !== null && role !== null) {
          await trx
            .updateTable('workspace_members')
            .set(toRow({ ...changes, role }))
            .where('workspace_id', '=', workspaceId)
            .where('user_id', '=', userId)
            .execute();
          return 'ok';
        }
        await trx
          .deleteFrom('workspace_members')
          .where('workspace_id', '=', workspaceId)
          .where('user_id', '=', userId)
          .execute();
        return 'ok';
      });
    },
  };
}
