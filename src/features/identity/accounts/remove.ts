import { sql } from 'kysely';
import { AppError, notFound } from '../../../domain/errors.ts';
import type { User } from '../../../domain/user.ts';
import type { CommandContext } from '../../../kernel/context.ts';
import type { Database, Tx } from '../../../platform/database/database.ts';
import { handOverActions } from '../../language/queries.ts';
import { isLastOperator, userColumns } from './queries.ts';

type Removing = Pick<CommandContext<unknown>, 'database' | 'tx' | 'audit' | 'afterCommit' | 'parts'>;

/**
 * In a transaction with locks: deletes an account with its personal keys, notes, folders and recordings, and then their audio.
 * Notes in spaces belong to the space and stay. `leave` raises what keeps the account. Raises `not_found`.
 */
export async function removeAccount(
  { database, tx, audit, afterCommit, parts }: Removing,
  id: string,
  leave: () => Promise<void> = async () => {},
): Promise<User> {
  // Waits for writes that hold the account or change one of its notes, so that their rows are deleted too.
  const [account] = await database
    .locking(tx.selectFrom('users').select(userColumns).where('id', '=', id))
    .execute();
  if (!account) throw notFound('Account');
  await leave();
  // First, while the log can name a person who removes their own account.
  await audit({ act: 'account.removed', subject_id: id, subject_name: account.email ?? account.name });
  await removeContent(database, tx, id);
  await handOverActions(tx, id);
  await tx.deleteFrom('api_keys').where('user_id', '=', id).where('kind', '=', 'personal').execute();
  await tx.deleteFrom('invitations').where('invited_by', '=', id).execute();
  // Foreign keys delete sessions, passkeys, app passwords, sign-in links and agent tokens with the account.
  await tx.deleteFrom('users').where('id', '=', id).execute();
  // Last, because deleting the account's rows logs changes too.
  await tx.deleteFrom('changes').where('owner_id', '=', id).execute();
  // If this fails, the hourly housekeeping of a server does it.
  afterCommit(() => parts.sweepAudio().catch(() => {}));
  return account;
}

/** Deletes notes, folders, tags and webhooks of a person or a space, with their index. Their log is deleted last. */
async function removeContent(database: Database, tx: Tx, ownerId: string): Promise<void> {
  await tx.deleteFrom('notes').where('owner_id', '=', ownerId).execute();
  await database.search.removeOwner(tx, ownerId);
  await tx.deleteFrom('folders').where('owner_id', '=', ownerId).execute();
  await tx.deleteFrom('tags').where('owner_id', '=', ownerId).execute();
  await tx.deleteFrom('webhooks').where('owner_id', '=', ownerId).execute();
}

/**
 * Before a person deletes their own account: they leave their workspaces. A workspace without another member goes with
 * everything in it, because no person could ever open it again. Raises `conflict` for the last operator, and for the last admin
 * of a workspace that has other members.
 */
export async function leaveEverything({ database, tx, audit }: Removing, userId: string): Promise<void> {
  if (await isLastOperator(tx, userId))
    throw new AppError(
      'conflict',
      'You are the last operator of this server; make another person one first: steno users operator.',
    );
  const joined = await workspacesOf(database, tx, userId);
  const orphans = joined.filter(
    ({ members, otherAdmins, role }) => members > 1 && role === 'admin' && otherAdmins === 0,
  );
  if (orphans.length > 0)
    throw new AppError(
      'conflict',
      `You are the last admin of ${orphans.map(({ name }) => `“${name}”`).join(' and ')}; make another member an admin first.`,
    );
  for (const { id, name, members } of joined)
    if (members > 1)
      await audit({
        act: 'member.removed',
        workspace_id: id,
        subject_id: userId,
        detail: 'deleted their account',
      });
    else {
      await audit({ act: 'workspace.removed', workspace_id: id, subject_id: id, subject_name: name });
      await removeWorkspace(database, tx, id);
    }
}

async function workspacesOf(database: Database, tx: Tx, userId: string) {
  const own = tx.selectFrom('workspace_members').select('workspace_id').where('user_id', '=', userId);
  // Locked, so that no person joins one that is about to go.
  const workspaces = await database
    .locking(tx.selectFrom('workspaces').select(['id', 'name']).where('id', 'in', own).orderBy('id'))
    .execute();
  // Written, so that two admins who leave at the same moment do not both succeed.
  const members = await tx
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

async function removeWorkspace(database: Database, tx: Tx, id: string): Promise<void> {
  const spaces = await tx.selectFrom('spaces').select('id').where('workspace_id', '=', id).execute();
  for (const space of spaces) await removeContent(database, tx, space.id);
  // Foreign keys delete members, spaces, keys and invitations with it.
  await tx.deleteFrom('workspaces').where('id', '=', id).execute();
  for (const owner of [...spaces, { id }])
    await tx.deleteFrom('changes').where('owner_id', '=', owner.id).execute();
}
