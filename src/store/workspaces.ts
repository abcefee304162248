import { space } from '../domain/space.ts';
import { workspace } from '../domain/workspace.ts';
import type { WorkspaceStore } from '../ports/store.ts';
import type { Database } from './database.ts';
import { rowsOf } from './rows.ts';
import { createMemberStore } from './workspace-members.ts';

const workspaceColumns = rowsOf(workspace).columns;
const spaceColumns = rowsOf(space).columns;

export function createWorkspaceStore(database: Database): WorkspaceStore {
  const { db } = database;

  return {
    insert(workspace, adminId) {
      return database.write(async (trx) => {
        await trx.insertInto('workspaces').values(workspace).execute();
        await trx
          .insertInto('workspace_members')
          .values({
            workspace_id: workspace.id,
            user_id: adminId,
            role: 'admin',
            created_at: workspace.created_at,
          })
          .execute();
      });
    },

    list: () =>
      db.selectFrom('workspaces').select(workspaceColumns).orderBy('created_at').orderBy('id').execute(),

    find: (id) =>
      db.selectFrom('workspaces').select(workspaceColumns).where('id', '=', id).executeTakeFirst(),

    listJoined: (userId) =>
      db
        .selectFrom('workspaces')
        .innerJoin('workspace_members as member', 'member.workspace_id', 'workspaces.id')
        .select([
          'workspaces.id',
          'workspaces.name',
          'workspaces.plan',
          'workspaces.created_at',
          'member.role',
        ])
        .where('member.user_id', '=', userId)
        .orderBy('workspaces.created_at')
        .orderBy('workspaces.id')
        .execute(),

    ...createMemberStore(database),

    setPlan(id, plan) {
      return database.write(async (trx) => {
        const result = await trx
          .updateTable('workspaces')
          .set({ plan })
          .where('id', '=', id)
          .executeTakeFirst();
        return result.numUpdatedRows > 0n;
      });
    },

    insertSpace(workspaceId, space) {
      return database.write(async (trx) => {
        const taken = await trx
          .selectFrom('spaces')
          .select('slug')
          .where('workspace_id', '=', workspaceId)
          .execute();
        const slug = freeSlug(space.slug, new Set(taken.map((row) => row.slug)));
        await trx
          .insertInto('spaces')
          .values({ ...space, slug, workspace_id: workspaceId })
          .execute();
        return { ...space, slug };
      });
    },

    listSpaces: (workspaceId) =>
      db
        .selectFrom('spaces')
        .select(spaceColumns)
        .where('workspace_id', '=', workspaceId)
        .where('archived_at', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    async hasSpace(workspaceId, spaceId) {
      const row = await db
        .selectFrom('spaces')
        .select('id')
        .where('id', '=', spaceId)
        .where('workspace_id', '=', workspaceId)
        .where('archived_at', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    findAdmin: (workspaceId) =>
      db
        .selectFrom('workspace_members as member')
        .innerJoin('users', 'users.id', 'member.user_id')
        .select(['users.id', 'users.email', 'users.name', 'users.plan', 'users.created_at'])
        .where('member.workspace_id', '=', workspaceId)
        .where('member.role', '=', 'admin')
        .orderBy('member.created_at')
        .orderBy('users.id')
        .executeTakeFirst(),

    updateSpace(spaceId, changes, now, workspaceId) {
      return database.write((trx) =>
        trx
          .updateTable('spaces')
          .set({ ...changes, updated_at: now })
          .where('id', '=', spaceId)
          .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId ?? ''))
          .where('archived_at', 'is', null)
          .returning(spaceColumns)
          .executeTakeFirst(),
      );
    },

    archiveSpace(spaceId, now, workspaceId) {
      return database.write(async (trx) => {
        const result = await trx
          .updateTable('spaces')
          .set({ archived_at: now, updated_at: now })
          .where('id', '=', spaceId)
          .where('archived_at', 'is', null)
          .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId ?? ''))
          .executeTakeFirst();
        return result.numUpdatedRows > 0n;
      });
    },
  };
}

function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  let number = 2;
  while (taken.has(`${wanted}-${number}`)) number += 1;
  return `${wanted}-${number}`;
}
