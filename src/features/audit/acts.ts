import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AuditEvent, type AuditFilter, auditEvent } from '../../domain/audit.ts';
import type { PageQuery } from '../../domain/page.ts';
import type { Context } from '../../kernel/context.ts';
import { csvLine } from '../../lib/csv.ts';
import type { Database } from '../../platform/database/database.ts';
import * as queries from './queries.ts';

/** Who did what. Acts write themselves, in their own transaction (kernel/run.ts); here they are read and forgotten. */

const rowsPerRead = 500;
const rowsPerDelete = 1_000;
// The keys of the shape, which TypeScript does not know to be names of an event.
const columns = Object.keys(auditEvent.shape) as (keyof AuditEvent)[];

export async function listEvents({ db, parts }: Context<unknown>, filter: AuditFilter, page: PageQuery) {
  await parts.refusals.save();
  return queries.list(db, filter, page);
}

export async function* eventsAsCsv(context: Context<unknown>, filter: AuditFilter): AsyncGenerator<string> {
  // Loaded before the first line, so that a database that does not answer is an error, and not half a file.
  let rows = await listEvents(context, filter, { limit: rowsPerRead });
  yield csvLine(columns);
  while (true) {
    yield rows.map((row) => csvLine(columns.map((column) => row[column]))).join('');
    // There is one if this read was full.
    const last = rows[rowsPerRead - 1];
    if (!last) return;
    await nextTurn();
    const after = { at: last.created_at, id: last.id };
    rows = await queries.list(context.db, filter, { limit: rowsPerRead, after });
  }
}

/** For the housekeeping. */
export async function forgetEvents(database: Database, before: string): Promise<void> {
  const remove = () => database.write((tx) => queries.removeBefore(tx, before, rowsPerDelete));
  while ((await remove()) === rowsPerDelete);
}
