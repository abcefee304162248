import { type SpaceReach, space, spacesOf } from '../domain/space.ts';
import type { SpaceStore } from '../ports/workspace-store.ts';
import { recorder } from './audit.ts';
import type { Database, Db } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { rowsOf } from './schema.ts';

const { columns } = rowsOf(space);

export function createSpaceStore(database: Database): SpaceStore {
  const { db } = database;

  return {
    list: (workspaceId) =>
      db
        .selectFrom('spaces')
        .select(columns)
        .where((eb) => eb.and(within(spacesOf(workspaceId))))
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    async has(workspaceId, id) {
      const found = await db
        .selectFrom('spaces')
        .select('id')
        .where((eb) => eb.and({ id, ...within(spacesOf(workspaceId)) }))
        .executeTakeFirst();
      return found !== undefined;
    },

    isShared: (userId, id) => isSharedSpace(db, userId, id),

    insert(workspaceId, space) {
      const completeKey = keyCompletion();
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
        await completeKey?.(trx, space.id);
        return { ...space, slug };
      });
    },

    update(reach, id, changes, now) {
      return database.write((trx) =>
        trx
          .updateTable('spaces')
          .set({ ...changes, updated_at: now })
          .where((eb) => eb.and({ id, ...within(reach) }))
          .returning(columns)
          .executeTakeFirst(),
      );
    },

    archive(reach, id, now) {
      const record = recorder();
      return database.write(async (trx) => {
        const archived = await trx
          .updateTable('spaces')
          .set({ archived_at: now, updated_at: now })
          .where((eb) => eb.and({ id, ...within(reach) }))
          .returning(['workspace_id', 'name'])
          .executeTakeFirst();
        if (!archived) return false;
        const { workspace_id, name } = archived;
        await record(trx, { act: 'space.archived', workspace_id, subject_id: id, subject_name: name });
        return true;
      });
    },
  };
}

function within(reach: SpaceReach) {
  switch (reach.kind) {
    case 'of workspace':
      return { workspace_id: reach.workspaceId, archived_at: null };
    case 'of any workspace':
      return { archived_at: null };
  }
}

function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  let number = 2;
  while (taken.has(`${wanted}-${number}`)) number += 1;
  return `${wanted}-${number}`;
}

/** Whether it is in a workspace that the user is a member of. */
export async function isSharedSpace(db: Db, userId: string, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('spaces')
    .innerJoin('workspace_members as member', 'member.workspace_id', 'spaces.workspace_id')
    .select('spaces.id')
    .where('spaces.id', '=', id)
    .where('spaces.archived_at', 'is', null)
    .where('member.user_id', '=', userId)
    .executeTakeFirst();
  return found !== undefined;
}
