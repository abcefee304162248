import { type Grants, noGrants, type ProvidedIdentity } from '../../../domain/identity-provider.ts';
import type { PlanName } from '../../../domain/plans.ts';
import type { NewSession } from '../../../domain/session.ts';
import { AccountSuspended, type User } from '../../../domain/user.ts';
import type { Writing } from '../../../kernel/context.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { isInvited } from '../../invitations/queries.ts';
import { setRoleByProvider } from '../../members/acts.ts';
import { insert, isLastOperator, setOperator, update, userColumns } from '../accounts/queries.ts';
import { insertSession } from '../sessions/queries.ts';

/** A person whom the provider knows. */
interface ProvidedSignIn {
  identity: ProvidedIdentity;
  now: string;
  session: NewSession;
  /** What their groups give them now. */
  grants: Grants;
  /** The plan of a person whose plan no group decides any longer. */
  defaultPlan: PlanName;
  isAllowed(known: { hasAccount: boolean; isInvited: boolean }): boolean;
  newUser(email: string): User;
}

/**
 * Finds, links or makes the account, gives and takes what groups decide, and stores the session. `unverified`: the provider
 * does not vouch for an address, so no account can be found.
 */
export async function signIn(
  context: Writing,
  given: ProvidedSignIn,
): Promise<{ user: User } | 'unverified' | 'not allowed'> {
  const { tx } = context;
  const { identity, now, session, grants } = given;
  const { issuer, subject, email } = identity;
  const linked = await tx
    .selectFrom('provided_identities')
    .select(['user_id', 'by_invitation', 'grants'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  if (!linked && email === null) return 'unverified';
  const known = await findAccount(tx, linked ? { id: linked.user_id } : { email });
  // The provider says who it is, so they may know.
  if (known && known.suspended_at !== null) throw new AccountSuspended();
  const isAllowed = (isInvited: boolean) => given.isAllowed({ hasAccount: known !== undefined, isInvited });
  const byInvitation =
    !isAllowed(false) &&
    (linked?.by_invitation === 1 || (email !== null && (await isInvited(tx, email, now))));
  if (!isAllowed(byInvitation)) return 'not allowed';

  const made = known || email === null ? undefined : given.newUser(email);
  if (made) await insert(context, made);
  const id = known?.id ?? made?.id;
  if (id === undefined) return 'unverified';
  const before: Grants = linked ? JSON.parse(linked.grants) : noGrants;
  const { defaultPlan } = given;
  const granted = await give(context, id, { before, after: grants, now, defaultPlan });
  const kept = {
    user_id: id,
    by_invitation: Number(byInvitation || linked?.by_invitation === 1),
    grants: JSON.stringify(granted),
    used_at: now,
  };
  await tx
    .insertInto('provided_identities')
    .values({ issuer, subject, ...kept, created_at: now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet(kept))
    .execute();
  await insertSession(context, { ...session, user_id: id }, 'oidc');
  const user: User = await tx
    .selectFrom('users')
    .select(userColumns)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { user };
}

const findAccount = (tx: Tx, by: { id: string } | { email: string | null }) => {
  const query = tx.selectFrom('users').select(['id', 'suspended_at']);
  return (
    'id' in by ? query.where('id', '=', by.id) : query.where('email', '=', by.email)
  ).executeTakeFirst();
};

interface Change {
  before: Grants;
  after: Grants;
  now: string;
  defaultPlan: PlanName;
}

/** Returns what groups gave, and takes away only that: what the operator or an admin gave stays. */
async function give(
  context: Writing,
  userId: string,
  { before, after, now, defaultPlan }: Change,
): Promise<Grants> {
  const { tx, audit } = context;
  const plan = after.plan ?? (before.plan === null ? undefined : defaultPlan);
  const operator = after.operator || (before.operator ? false : undefined);
  const was = await tx
    .selectFrom('users')
    .select('is_operator')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  if (plan !== undefined) await update(context, userId, { plan });
  // It goes with the first sign-in after there is another operator.
  const isKept = operator === false && (await isLastOperator(tx, userId));
  if (operator !== undefined && !isKept) await setOperator(context, userId, operator);
  const members = { tx, now, audit };
  for (const { id } of before.workspaces)
    if (!after.workspaces.some((one) => one.id === id))
      await setRoleByProvider(members, { workspaceId: id, userId }, null);
  const workspaces: Grants['workspaces'] = [];
  for (const { id, role } of after.workspaces) {
    const had = before.workspaces.find((one) => one.id === id);
    const joined = await join(context, id, { user_id: userId, role, managed: 0, created_at: now });
    if (had && had.role !== role) await setRoleByProvider(members, { workspaceId: id, userId }, role);
    if (joined || had) workspaces.push({ id, role });
  }
  const isGiven = after.operator && (before.operator || was.is_operator === 0);
  return { plan: after.plan, operator: isGiven || isKept, workspaces };
}

/** False if they are a member already, or if the workspace that the settings name is gone. */
async function join(
  { tx, audit }: Writing,
  workspace_id: string,
  member: { user_id: string; role: 'admin' | 'member'; managed: number; created_at: string },
): Promise<boolean> {
  const found = await tx
    .selectFrom('workspaces')
    .leftJoin('workspace_members as known', (on) =>
      on.onRef('known.workspace_id', '=', 'workspaces.id').on('known.user_id', '=', member.user_id),
    )
    .select('known.user_id')
    .where('workspaces.id', '=', workspace_id)
    .executeTakeFirst();
  if (!found || found.user_id !== null) return false;
  await tx
    .insertInto('workspace_members')
    .values({ workspace_id, ...member })
    .execute();
  await audit({ act: 'member.added', workspace_id, subject_id: member.user_id, detail: member.role });
  return true;
}
