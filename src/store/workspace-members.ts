import { member } from '../domain/member.ts';
import type { WorkspaceStore } from '../ports/store.ts';
import type { Database } from './database.ts';
import { rowsOf } from './rows.ts';

const { toRow, fromRow } = rowsOf(member);

export function createMemberStore(
  database: Database,
): Pick<WorkspaceStore, 'roleOf' | 'listMembers' | 'addMember' | 'changeMember'> {
  const { db } = database;

  return {
    async roleOf(workspaceId, userId) {
      const member = await db
        .selectFrom('workspace_members')
        .select('role')
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return member?.role;
    },

    async listMembers(workspaceId) {
      const members = await db
        .selectFrom('workspace_members as member')
        .innerJoin('users', 'users.id', 'member.user_id')
        .select(['member.user_id', 'users.email', 'users.name', 'member.role', 'member.managed'])
        .select('member.created_at')
        .where('member.workspace_id', '=', workspaceId)
        .orderBy('member.created_at')
        .orderBy('member.user_id')
        .execute();
      return members.map(fromRow);
    },

    addMember(added) {
      return database.write(async (trx) => {
        const result = await trx
          .insertInto('workspace_members')
          .values(added)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return (result.numInsertedOrUpdatedRows ?? 0n) > 0n ? 'ok' : 'conflict';
      });
    },

    changeMember(workspaceId, userId, changes) {
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
