import type { Act } from '../../domain/audit.ts';
import { conflict, forbidden, notFound } from '../../domain/errors.ts';
import type { Member, MemberChanges, MemberRole } from '../../domain/member.ts';
import type { Authority } from '../../domain/principal.ts';
import { type Authorized, authorize, type Reach } from '../../kernel/authorized.ts';
import type { CommandContext, Context } from '../../kernel/context.ts';
import { describeChanges } from '../../platform/database/audit.ts';
import type { Tx } from '../../platform/database/database.ts';
import { requireOperator, requireRole } from '../workspaces/access.ts';
import * as queries from './queries.ts';

/** What members, and the operator at the command line, do with members. */

interface Named {
  readonly workspaceId: string;
  readonly userId: string;
  /** The role in the workspace that the caller needs. */
  readonly needed: MemberRole;
}

const changeable = authorize('Member', async (context: Reach<Authority>, named: Named) => {
  const { workspaceId, userId, needed } = named;
  await requireRole(context, workspaceId, needed);
  return queries.find(context.db, workspaceId, userId);
});

const isOneself = ({ who }: Reach<Authority>, userId: string) =>
  who.kind !== 'operator' && who.userId === userId;

export async function listMembers(context: Context<Authority>, workspaceId: string): Promise<Member[]> {
  await requireRole(context, workspaceId, 'member');
  return queries.list(context.db, workspaceId, context.now);
}

async function get({ db, now }: Context<Authority>, workspaceId: string, userId: string): Promise<Member> {
  const [member] = await queries.list(db, workspaceId, now, userId);
  if (!member) throw notFound('Member');
  return member;
}

/** For the operator; admins send invitations. */
export async function addMember(
  context: CommandContext<Authority>,
  workspaceId: string,
  { userId, role }: { userId: string; role: MemberRole },
): Promise<Member> {
  const { tx, who, now } = context;
  requireOperator(who);
  await requireRole(context, workspaceId, 'admin');
  const added = { user_id: userId, role, managed: false, created_at: now };
  if (!(await queries.insert(tx, workspaceId, added)))
    throw conflict('This person is already a member of the workspace.');
  await context.audit({
    act: 'member.added',
    workspace_id: workspaceId,
    subject_id: userId,
    detail: role,
  });
  return get(context, workspaceId, userId);
}

export async function updateMember(
  context: CommandContext<Authority>,
  { workspaceId, userId }: Omit<Named, 'needed'>,
  changes: MemberChanges,
): Promise<Member> {
  const { tx, who } = context;
  const member = await changeable(context, { workspaceId, userId, needed: 'admin' });
  if (changes.role === 'member') await refuseLastAdmin(tx, member);
  if (changes.managed && member.managed === 0 && who.kind !== 'operator' && !isOneself(context, userId))
    throw forbidden('A person must agree to be managed; send them an invitation with "managed".');
  await queries.update(tx, member, changes);
  await context.audit(changed(member, changes));
  return get(context, workspaceId, userId);
}

/** Members may remove themselves, but only admins may revoke the workspace keys that the person made. */
export async function removeMember(
  context: CommandContext<Authority>,
  { workspaceId, userId }: Omit<Named, 'needed'>,
  { revokeKeys }: { revokeKeys: boolean },
): Promise<void> {
  const needed = isOneself(context, userId) && !revokeKeys ? 'member' : 'admin';
  const member = await changeable(context, { workspaceId, userId, needed });
  await refuseLastAdmin(context.tx, member);
  await queries.remove(context.tx, member, revokeKeys ? context.now : null);
  await context.audit(removed(member, revokeKeys));
}

const byProvider = authorize(
  'Member',
  ({ db }: Reach<null>, { workspaceId, userId }: Omit<Named, 'needed'>) =>
    queries.find(db, workspaceId, userId),
);

/**
 * For the groups of the sign-in provider. `null` removes the person, with the keys that they made. A person who is no member stays
 * none, and the last admin stays one.
 */
export async function setRoleByProvider(
  { tx, now, audit }: Pick<CommandContext, 'tx' | 'now' | 'audit'>,
  named: Omit<Named, 'needed'>,
  role: MemberRole | null,
): Promise<void> {
  const known = await queries.find(tx, named.workspaceId, named.userId);
  if (!known || (role !== 'admin' && (await queries.isLastAdmin(tx, known)))) return;
  const member = await byProvider({ db: tx, who: null }, named);
  await (role === null ? queries.remove(tx, member, now) : queries.update(tx, member, { role }));
  await audit(role === null ? removed(member, true) : changed(member, { role }));
}

async function refuseLastAdmin(tx: Tx, member: Authorized<queries.Found>): Promise<void> {
  if (await queries.isLastAdmin(tx, member))
    throw conflict('This is the last admin of the workspace; make someone else an admin first.');
}

const changed = ({ workspace_id, user_id }: queries.Found, changes: MemberChanges): Act => ({
  act: 'member.changed',
  workspace_id,
  subject_id: user_id,
  detail: describeChanges(changes),
});

const removed = ({ workspace_id, user_id }: queries.Found, withKeys: boolean): Act => ({
  act: 'member.removed',
  workspace_id,
  subject_id: user_id,
  ...(withKeys && { detail: 'with the keys that they made' }),
});
