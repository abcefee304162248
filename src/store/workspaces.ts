import { joinedWorkspace, workspace } from '../domain/workspace.ts';
import type { WorkspaceStore } from '../ports/workspace-store.ts';
import { recorder } from './audit.ts';
import type { Database } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { policyColumns, withPolicy } from './policies.ts';
import { rowsOf } from './schema.ts';

const { columns } = rowsOf(workspace);
const { fromRow } = rowsOf(joinedWorkspace);

export function createWorkspaceStore(database: Database): WorkspaceStore {
  const { db } = database;

  return {
    insert(workspace, adminId) {
      const { id, created_at } = workspace;
      const completeKey = keyCompletion();
      const record = recorder();
      return database.write(async (trx) => {
        await trx.insertInto('workspaces').values(workspace).execute();
        await trx
          .insertInto('workspace_members')
          .values({ workspace_id: id, user_id: adminId, role: 'admin', created_at })
          .execute();
        await record(trx, {
          act: 'workspace.created',
          workspace_id: id,
          subject_id: id,
          subject_name: workspace.name,
        });
        await completeKey?.(trx, id);
      });
    },

    list: () => db.selectFrom('workspaces').select(columns).orderBy('created_at').orderBy('id').execute(),

    async listJoined(userId) {
      const rows = await db
        .selectFrom('workspaces')
        .innerJoin('workspace_members as member', 'member.workspace_id', 'workspaces.id')
        .select(columns.map((column) => `workspaces.${column}` as const))
        .select(['member.role', 'member.managed'])
        .select(policyColumns)
        .where('member.user_id', '=', userId)
        .orderBy('workspaces.created_at')
        .orderBy('workspaces.id')
        .execute();
      return rows.map((row) => withPolicy(fromRow(row)));
    },

    find: (id) => db.selectFrom('workspaces').select(columns).where('id', '=', id).executeTakeFirst(),

    setPlan(id, plan) {
      const record = recorder();
      return database.write(async (trx) => {
        const result = await trx
          .updateTable('workspaces')
          .set({ plan })
          .where('id', '=', id)
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) return false;
        await record(trx, {
          act: 'workspace.changed',
          workspace_id: id,
          subject_id: id,
          detail: `plan: ${plan}`,
        });
        return true;
      });
    },
  };
}
