import { sql } from 'kysely';
import type { PageQuery } from '../../domain/page.ts';
import type { SeenWorkspace } from '../../domain/person.ts';
import type { PlanName } from '../../domain/plans.ts';
import { type WorkspacePolicy, workspacePolicy } from '../../domain/policy.ts';
import { type JoinedWorkspace, joinedWorkspace, type Workspace, workspace } from '../../domain/workspace.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import { counted } from '../../platform/database/count.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { keyWorks } from '../../platform/database/keys.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { policyColumn, policyColumns, withPolicy } from '../../platform/database/policies.ts';
import { rowsOf } from '../../platform/database/schema.ts';

const { columns } = rowsOf(workspace);
const joined = rowsOf(joinedWorkspace);
const policyRows = rowsOf(workspacePolicy);

export const all = (db: Db): Promise<Workspace[]> =>
  db.selectFrom('workspaces').select(columns).orderBy('created_at').orderBy('id').execute();

export const find = (db: Db, id: string): Promise<Workspace | undefined> =>
  db.selectFrom('workspaces').select(columns).where('id', '=', id).executeTakeFirst();

/** A page of all, with what they have, for operators. */
export const pageOfAll = (db: Db, page: PageQuery, now: string): Promise<SeenWorkspace[]> =>
  newestFirst(
    db
      .selectFrom('workspaces')
      .select(columns)
      .select([
        counted(sql`workspace_members where workspace_id = workspaces.id`).as('members'),
        counted(sql`spaces where workspace_id = workspaces.id and archived_at is null`).as('spaces'),
        counted(sql`api_keys where workspace_id = workspaces.id and ${keyWorks(now)}`).as('keys'),
      ]),
    page,
  ).execute();

/** The workspaces of a member. */
export async function joinedBy(db: Db, userId: string): Promise<JoinedWorkspace[]> {
  const query = db
    .selectFrom('workspaces')
    .innerJoin('workspace_members as member', 'member.workspace_id', 'workspaces.id')
    .select(columns.map((column) => `workspaces.${column}` as const))
    .select(['member.role', 'member.managed'])
    .select(policyColumns)
    .where('member.user_id', '=', userId)
    .orderBy('workspaces.created_at')
    .orderBy('workspaces.id');
  return (await joined.all(query)).map(withPolicy);
}

export const insert = (tx: Tx, made: Workspace) => tx.insertInto('workspaces').values(made).execute();

export const setPlan = (tx: Tx, { id }: Authorized<Workspace>, plan: PlanName) =>
  tx.updateTable('workspaces').set({ plan }).where('id', '=', id).execute();

export const policyOf = (db: Db, id: string): Promise<WorkspacePolicy | undefined> =>
  policyRows.first(db.selectFrom('workspaces').select(policyColumns).where('id', '=', id));

export const setPolicy = (tx: Tx, { id }: Authorized<{ id: string }>, policy: WorkspacePolicy) =>
  policyRows.columns
    .reduce(
      (update, field) => update.set(policyColumn[field], Number(policy[field])),
      tx.updateTable('workspaces'),
    )
    .where('id', '=', id)
    .execute();
