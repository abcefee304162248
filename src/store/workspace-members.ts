import type { WorkspaceStore } from '../ports/store.ts';
import type { SqlEngine } from './engine.ts';

export function createMemberStore(
  engine: SqlEngine,
): Pick<WorkspaceStore, 'roleOf' | 'listMembers' | 'addMember' | 'changeMember'> {
  const { db } = engine;

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

    listMembers: (workspaceId) =>
      db
        .selectFrom('workspace_members as member')
        .innerJoin('users', 'users.id', 'member.user_id')
        .select(['member.user_id', 'users.email', 'users.name', 'member.role', 'member.created_at'])
        .where('member.workspace_id', '=', workspaceId)
        .orderBy('member.created_at')
        .orderBy('member.user_id')
        .execute(),

    addMember(member) {
      return engine.write(async (trx) => {
        const added = await trx
          .insertInto('workspace_members')
          .values(member)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return (added.numInsertedOrUpdatedRows ?? 0n) > 0n ? 'ok' : 'conflict';
      });
    },

    changeMember(workspaceId, userId, role) {
      return engine.write(
        async (trx) => {
          const members = await trx
            .selectFrom('workspace_members')
            .select(['user_id', 'role'])
            .where('workspace_id', '=', workspaceId)
            .execute();
          if (!members.some((member) => member.user_id === userId)) return 'not found';
          const adminsLeft = members.some((member) => member.user_id !== userId && member.role === 'admin');
          if (role !== 'admin' && !adminsLeft) return 'last admin';
          if (role !== null) {
            await trx
              .updateTable('workspace_members')
              .set({ role })
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
        },
        // Whoever leaves is no longer bound by the workspace's policy.
        { changesPrincipals: true },
      );
    },
  };
}
