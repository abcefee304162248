import { sql } from 'kysely';
import { turnedOffBy, type WorkspacePolicy, workspacePolicy } from '../../domain/policy.ts';
import { rowsOf, type Schema } from './schema.ts';

const { columns: fields, fromRow } = rowsOf(workspacePolicy);
/** The columns are older than the names in the API. */
export const policyColumn = {
  block_cloud_transcription: 'blocks_cloud_transcription',
  block_cloud_backup: 'blocks_cloud_backup',
  block_language_models: 'blocks_language_models',
} as const satisfies Record<keyof WorkspacePolicy, keyof Schema['workspaces']>;

/** Adds the policy to a query of `workspaces`; `withPolicy` reads these columns. */
export const policyColumns = fields.map((field) => `workspaces.${policyColumn[field]} as ${field}` as const);

type Blocks = Record<keyof WorkspacePolicy, number | null>;

/** Takes the columns of a policy out of a row. */
function split<Found extends Blocks>(row: Found) {
  const { block_cloud_transcription, block_cloud_backup, block_language_models, ...rest } = row;
  return { rest, policy: { block_cloud_transcription, block_cloud_backup, block_language_models } };
}

/** Replaces the columns of `policyColumns` with `policy`. */
export function withPolicy<Found extends Record<keyof WorkspacePolicy, number>>(row: Found) {
  const { rest, policy } = split(row);
  return { ...rest, policy: fromRow(policy) };
}

/**
 * Adds the policies to a query that reads a credential. A column is 1 if any workspace that manages the user blocks
 * something. `userId` is the column of the user's id in that query. `withBlockedBy` reads these columns.
 */
export const blocksOn = (userId: string) =>
  fields.map((field) =>
    sql<number | null>`(
      select max(managing.${sql.ref(policyColumn[field])})
      from workspace_members as membership
      join workspaces as managing on managing.id = membership.workspace_id
      where membership.user_id = ${sql.ref(userId)} and membership.managed = 1
    )`.as(field),
  );

/** Replaces the columns of `blocksOn` with `blocked_by`. */
export function withBlockedBy<Found extends Blocks>(row: Found) {
  const { rest, policy } = split(row);
  return { ...rest, blocked_by: turnedOffBy(fromRow(policy)) };
}
