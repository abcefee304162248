import { sql } from 'kysely';
import type { OwnRemoval } from '../ports/store.ts';
import type { Recorder } from './audit.ts';
import type { Database, Db } from './database.ts';
import { isLastOperator } from './operators.ts';

/** Inside `writeLocked`. Deletes notes, folders and webhooks of a person or a space, with their index. Their log is deleted last. */
export async function removeContent(database: Database, trx: Db, ownerId: string): Promise<void> {
  await trx.deleteFrom('notes').where('owner_id', '=', ownerId).execute();
  await database.search.removeOwner(trx, ownerId);
  await trx.deleteFrom('folders').where('owner_id', '=', ownerId).execute();
  await trx.deleteFrom('webhooks').where('owner_id', '=', ownerId).execute();
}

/**
 * Inside `writeLocked`, before somebody deletes their own account: leaves their workspaces. A workspace without another member goes
 * with everything in it, because no account could ever open it again.
 */
export async function leaveEverything(
  database: Database,
  trx: Db,
  userId: string,
  record: Recorder,
): Promise<OwnRemoval> {
  if (await isLastOperator(trx, userId)) return 'last operator';
  const joined = await workspacesOf(database, trx, userId);
  const orphans = joined.filter(({ members, otherAdmins, role }) => {
    return members > 1 && role === 'admin' && otherAdmins === 0;
  });
  if (orphans.length > 0) return { lastAdminOf: orphans.map(({ name }) => name) };
  for (const { id, name, members } of joined) {
    const act = members > 1 ? 'member.removed' : 'workspace.removed';
    await record(trx, {
      act,
      workspace_id: id,
      subject_id: members > 1 ? userId : id,
      ...(members > 1 ? { detail: 'deleted their account' } : { subject_name: name }),
    });
    if (members === 1) await removeWorkspace(database, trx, id);
  }
  return 'ok';
}

async function workspacesOf(database: Database, trx: Db, userId: string) {
  const own = trx.selectFrom('workspace_members').select('workspace_id').where('user_id', '=', userId);
  // Locked, so that no person joins a workspace that is about to go.
  const workspaces = await database
    .locking(trx.selectFrom('workspaces').select(['id', 'name']).where('id', 'in', own).orderBy('id'))
    .execute();
  // Written, so that of two admins who leave at once the second sees the first.
  const members = await trx
    .updateTable('workspace_members')
    .set({ role: sql.ref('role') })
    .where('workspace_id', 'in', own)
    .returning(['workspace_id', 'user_id', 'role'])
    .execute();
  return workspaces.map(({ id, name }) => {
    const here = members.filter(({ workspace_id }) => workspace_id === id);
    const others = here.filter(({ user_id }) => user_id !== userId);
    return {
      id,
      name,
      role: here.find(({ user_id }) => user_id === userId)?.role,
      members: here.length,
      otherAdmins: others.filter(({ role }) => role === 'admin').length,
    };
  });
}

async function removeWorkspace(database: Database, trx: Db, id: string): Promise<void> {
  const spaces = await trx.selectFrom('spaces').select('id').where('workspace_id', '=', id).execute();
  for (const space of spaces) await removeContent(database, trx, space.id);
  // Foreign keys delete members, spaces, keys and invitations with it.
  await trx.deleteFrom('workspaces').where('id', '=', id).execute();
  for (const owner of [...spaces, { id }])
    await trx.deleteFrom('changes').where('owner_id', '=', owner.id).execute();
}
