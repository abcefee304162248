import type { Act } from '../domain/audit.ts';
import { type Grants, noGrants } from '../domain/identity-provider.ts';
import type { PlanName } from '../domain/plans.ts';
import { AccountSuspended, type User } from '../domain/user.ts';
import { setRoleByProvider } from '../features/members/acts.ts';
import type { IdentityStore, ProvidedOutcome, ProvidedSignIn } from '../ports/identity-store.ts';
import { type Recorder, type SignInTrace, tracedSignIn } from './audit.ts';
import type { Database, Db, Tx } from './database.ts';
import { isInvited } from './invitations.ts';
import { giveRight, isLastOperator } from './operators.ts';
import { insertSession } from './sessions.ts';
import { insertUser, updateUser, userColumns } from './users.ts';

export function createIdentityStore(database: Database): IdentityStore {
  return {
    signIn(given) {
      const trace = tracedSignIn('oidc');
      return database.write((trx) => signIn(trx, given, trace));
    },
  };
}

async function signIn(trx: Tx, given: ProvidedSignIn, trace: SignInTrace): Promise<ProvidedOutcome> {
  const { record } = trace;
  const { identity, now, session, grants } = given;
  const { issuer, subject, email } = identity;
  const linked = await trx
    .selectFrom('provided_identities')
    .select(['user_id', 'by_invitation', 'grants'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  if (!linked && email === null) return 'unverified';
  const known = await findAccount(trx, linked ? { id: linked.user_id } : { email });
  // The provider says who it is, so they may know.
  if (known && known.suspended_at !== null) throw new AccountSuspended();
  const isAllowed = (isInvited: boolean) => given.isAllowed({ hasAccount: known !== undefined, isInvited });
  const byInvitation =
    !isAllowed(false) &&
    (linked?.by_invitation === 1 || (email !== null && (await isInvited(trx, email, now))));
  if (!isAllowed(byInvitation)) return 'not allowed';

  const made = known || email === null ? undefined : given.newUser(email);
  if (made) await insertUser(trx, made, record);
  const id = known?.id ?? made?.id;
  if (id === undefined) return 'unverified';
  const before: Grants = linked ? JSON.parse(linked.grants) : noGrants;
  const granted = await give(trx, id, {
    before,
    after: grants,
    now,
    defaultPlan: given.defaultPlan,
    record,
  });
  const kept = {
    user_id: id,
    by_invitation: Number(byInvitation || linked?.by_invitation === 1),
    grants: JSON.stringify(granted),
    used_at: now,
  };
  await trx
    .insertInto('provided_identities')
    .values({ issuer, subject, ...kept, created_at: now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet(kept))
    .execute();
  await insertSession(trx, { ...session, user_id: id }, trace);
  const user: User = await trx
    .selectFrom('users')
    .select(userColumns)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { user };
}

const findAccount = (trx: Db, by: { id: string } | { email: string | null }) => {
  const query = trx.selectFrom('users').select(['id', 'suspended_at']);
  return (
    'id' in by ? query.where('id', '=', by.id) : query.where('email', '=', by.email)
  ).executeTakeFirst();
};

interface Change {
  before: Grants;
  after: Grants;
  now: string;
  defaultPlan: PlanName;
  record: Recorder;
}

/** Returns what groups gave, and takes away only that: what the operator or an admin gave stays. */
async function give(
  trx: Tx,
  userId: string,
  { before, after, now, defaultPlan, record }: Change,
): Promise<Grants> {
  const plan = after.plan ?? (before.plan === null ? undefined : defaultPlan);
  const operator = after.operator || (before.operator ? false : undefined);
  const was = await trx
    .selectFrom('users')
    .select('is_operator')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  if (plan !== undefined) await updateUser(trx, userId, { plan }, record);
  // It goes with the first sign-in after there is another operator.
  const isKept = operator === false && (await isLastOperator(trx, userId));
  if (operator !== undefined && !isKept) await giveRight(trx, userId, operator, record);
  const members = { tx: trx, now, audit: (act: Act) => record(trx, act) };
  for (const { id } of before.workspaces)
    if (!after.workspaces.some((one) => one.id === id))
      await setRoleByProvider(members, { workspaceId: id, userId }, null);
  const workspaces: Grants['workspaces'] = [];
  for (const { id, role } of after.workspaces) {
    const had = before.workspaces.find((one) => one.id === id);
    const joined = await join(trx, id, { user_id: userId, role, managed: 0, created_at: now }, record);
    if (had && had.role !== role) await setRoleByProvider(members, { workspaceId: id, userId }, role);
    if (joined || had) workspaces.push({ id, role });
  }
  const isGiven = after.operator && (before.operator || was.is_operator === 0);
  return { plan: after.plan, operator: isGiven || isKept, workspaces };
}

/** False if they are a member already, or if the workspace that the settings name is gone. */
async function join(
  trx: Db,
  workspace_id: string,
  member: { user_id: string; role: 'admin' | 'member'; managed: number; created_at: string },
  record: Recorder,
): Promise<boolean> {
  const found = await trx
    .selectFrom('workspaces')
    .leftJoin('workspace_members as known', (on) =>
      on.onRef('known.workspace_id', '=', 'workspaces.id').on('known.user_id', '=', member.user_id),
    )
    .select('known.user_id')
    .where('workspaces.id', '=', workspace_id)
    .executeTakeFirst();
  if (!found || found.user_id !== null) return false;
  await trx
    .insertInto('workspace_members')
    .values({ workspace_id, ...member })
    .execute();
  await record(trx, { act: 'member.added', workspace_id, subject_id: member.user_id, detail: member.role });
  return true;
}
