import { notFound } from '../../domain/errors.ts';
import { lowerPlan, type PlanName } from '../../domain/plans.ts';
import type { PolicyChanges, WorkspacePolicy } from '../../domain/policy.ts';
import type { Authority } from '../../domain/principal.ts';
import type { JoinedWorkspace, Workspace } from '../../domain/workspace.ts';
import { authorize, type Reach } from '../../kernel/authorized.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { describeChanges } from '../../platform/database/audit.ts';
import * as members from '../members/queries.ts';
import { requireRole } from './access.ts';
import * as queries from './queries.ts';

/** What people, and the operator at the command line, do with workspaces and their policies. */

/** A workspace as the operator finds it, at the command line or by a route for operators. */
export const workspaceById = authorize('Workspace', ({ db }: Reach<unknown>, id) => queries.find(db, id));

const noPolicy: WorkspacePolicy = {
  block_cloud_transcription: false,
  block_cloud_backup: false,
  block_language_models: false,
};

interface WorkspaceDraft {
  readonly name: string;
  /** If the operator names none, the default plan, or the plan of the person who makes it if that is lower. */
  readonly plan?: PlanName | undefined;
}

export async function createWorkspace(
  { tx, newId, now, parts, audit }: CommandContext<unknown>,
  admin: { readonly userId: string; readonly plan?: PlanName },
  { name, plan }: WorkspaceDraft,
): Promise<JoinedWorkspace> {
  const { defaultPlan } = parts.config;
  const made: Workspace = {
    id: newId(),
    name,
    plan: plan ?? lowerPlan(defaultPlan, admin.plan ?? defaultPlan),
    created_at: now,
  };
  const { id } = made;
  await queries.insert(tx, made);
  const first = { role: 'admin', managed: false } as const;
  await members.insert(tx, id, { user_id: admin.userId, created_at: now, ...first });
  await audit({ act: 'workspace.created', workspace_id: id, subject_id: id, subject_name: name });
  return { ...made, ...first, policy: noPolicy };
}

/** For the operator. */
export async function setPlan(
  context: CommandContext<unknown>,
  id: string,
  plan: PlanName,
): Promise<Workspace> {
  const found = await workspaceById(context, id);
  await queries.setPlan(context.tx, found, plan);
  await context.audit({
    act: 'workspace.changed',
    workspace_id: id,
    subject_id: id,
    detail: `plan: ${plan}`,
  });
  return { ...found, plan };
}

export async function readPolicy(context: Reach<Authority>, id: string): Promise<WorkspacePolicy> {
  await requireRole(context, id, 'member');
  const policy = await queries.policyOf(context.db, id);
  if (!policy) throw notFound('Workspace');
  return policy;
}

const governed = authorize('Workspace', async (context: Reach<Authority>, id) => {
  await requireRole(context, id, 'admin');
  const policy = await queries.policyOf(context.db, id);
  return policy && { id, policy };
});

/** Changes the given fields, from the next call on every server on, and returns the whole policy. */
export async function updatePolicy(
  context: CommandContext<Authority>,
  id: string,
  changes: PolicyChanges,
): Promise<WorkspacePolicy> {
  const found = await governed(context, id);
  const policy = { ...found.policy, ...changes };
  await queries.setPolicy(context.tx, found, policy);
  await context.audit({
    act: 'policy.changed',
    workspace_id: id,
    subject_id: id,
    detail: describeChanges(changes),
  });
  return policy;
}
