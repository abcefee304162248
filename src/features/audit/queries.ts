import { type AuditEvent, type AuditFilter, auditEvent, type RefusedAct } from '../../domain/audit.ts';
import type { PageQuery } from '../../domain/page.ts';
import { newUuid } from '../../lib/uuid.ts';
import { countRows } from '../../platform/database/count.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { rowsOf } from '../../platform/database/schema.ts';

const { columns } = rowsOf(auditEvent);

export function list(
  db: Db,
  { workspaceId, actorId, act, since, until }: AuditFilter,
  page: PageQuery,
): Promise<AuditEvent[]> {
  let query = db.selectFrom('audit_events').select(columns);
  if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId);
  if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
  if (act !== undefined) query = query.where('act', '=', act);
  if (since !== undefined) query = query.where('created_at', '>=', since);
  if (until !== undefined) query = query.where('created_at', '<', until);
  return newestFirst(query, page).execute();
}

export interface Refusals {
  readonly act: RefusedAct;
  /** The network of the caller. */
  readonly address: string;
  /** The hour in which they were refused. */
  readonly hour: string;
  readonly times: number;
}

/** Adds to the counts of the hour. Beyond `maxRows` an hour, addresses are counted together. */
export async function addRefusals(tx: Tx, refusals: readonly Refusals[], maxRows: number): Promise<void> {
  for (const refused of refusals) {
    if (await count(tx, refused, refused.address)) continue;
    const isFull = (await rowsOfHour(tx, refused.hour)) >= maxRows;
    if (isFull && (await count(tx, refused, null))) continue;
    const { act, hour, times } = refused;
    const address = isFull ? null : refused.address;
    await tx
      .insertInto('audit_events')
      .values({ id: newUuid(), created_at: hour, act, address, times })
      .execute();
  }
}

/** False if there is no row to add to. */
async function count(tx: Tx, { act, hour, times }: Refusals, address: string | null): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('audit_events')
    .set(({ eb }) => ({ times: eb('times', '+', times) }))
    .where('created_at', '=', hour)
    .where('act', '=', act)
    .where('address', address === null ? 'is' : '=', address)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const rowsOfHour = (tx: Tx, hour: string) =>
  countRows(
    tx
      .selectFrom('audit_events')
      .where('created_at', '=', hour)
      .where('act', 'in', ['sign_in.refused', 'credential.refused']),
  );

/** Deletes at most `limit` events, the rest later, so that other writes do not wait long. Returns how many. */
export async function removeBefore(tx: Tx, before: string, limit: number): Promise<number> {
  const old = await tx
    .selectFrom('audit_events')
    .select('id')
    .where('created_at', '<', before)
    .limit(limit)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('audit_events').where('id', 'in', ids).execute();
  return ids.length;
}
