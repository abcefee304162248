import { AsyncLocalStorage } from 'node:async_hooks';
import { type Act, auditEvent, type Circumstances, type SignInMethod } from '../domain/audit.ts';
import { newUuid } from '../lib/uuid.ts';
import type { AuditStore } from '../ports/audit-store.ts';
import type { Database, Db } from './database.ts';
import { newestFirst } from './page.ts';
import { rowsOf } from './schema.ts';

const { columns } = rowsOf(auditEvent);
const current = new AsyncLocalStorage<() => Circumstances>();
/** More are deleted in several writes, so that nobody waits long. */
const rowsPerDelete = 1_000;

const atTheCommandLine = (): Circumstances => ({
  created_at: new Date().toISOString(),
  actor_id: null,
  via: 'command line',
  key_id: null,
  address: null,
  request_id: null,
});

/** Writes an act into the log, in the write of the act. */
export type Recorder = (trx: Db, act: Act) => Promise<void>;

/** For a store function that does something of the log. Ask before the write, whose work may run in the turn of another request. */
export const recorder = (): Recorder => recordAs((current.getStore() ?? atTheCommandLine)());

export const recordAs =
  (circumstances: Circumstances): Recorder =>
  async (trx, { actor_id = circumstances.actor_id, ...act }) => {
    await trx
      .insertInto('audit_events')
      .values(({ selectFrom }) => ({
        id: newUuid(),
        ...circumstances,
        ...act,
        actor_id,
        // As it was: the account may be gone when somebody reads this.
        actor_name: selectFrom('users')
          .select(({ fn }) => fn.coalesce('email', 'name').as('name'))
          .where('id', '=', actor_id),
      }))
      .execute();
  };

/** Changes of names and switches, as a detail: `role: admin, managed: true`. */
export const describeChanges = (changes: object) =>
  Object.entries(changes)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

/** The workspace whose space owns it; null if a person does. */
export async function workspaceOf(trx: Db, ownerId: string): Promise<string | null> {
  const query = trx.selectFrom('spaces').select('workspace_id').where('id', '=', ownerId);
  return (await query.executeTakeFirst())?.workspace_id ?? null;
}

/** Given to `insertSession`, with which everybody signs in. */
export interface SignInTrace {
  readonly how: SignInMethod;
  readonly record: Recorder;
}
/** Like `recorder`: ask before the write. */
export const tracedSignIn = (how: SignInMethod): SignInTrace => ({ how, record: recorder() });

export function createAuditStore(database: Database): AuditStore {
  return {
    during: (circumstances, work) => current.run(circumstances, work),

    record(act) {
      const record = recorder();
      return database.write(async (trx) => {
        const workspace_id = act.subject_id === undefined ? null : await workspaceOf(trx, act.subject_id);
        await record(trx, { workspace_id, ...act });
      });
    },

    addRefusals(refusals, maxRows) {
      return database.write(async (trx) => {
        for (const refused of refusals) {
          if (await count(trx, refused, refused.address)) continue;
          const isFull = (await rowsOfHour(trx, refused.hour)) >= maxRows;
          if (isFull && (await count(trx, refused, null))) continue;
          const { act, hour, times } = refused;
          const address = isFull ? null : refused.address;
          await trx
            .insertInto('audit_events')
            .values({ id: newUuid(), created_at: hour, act, address, times })
            .execute();
        }
      });
    },

    list({ workspaceId, actorId, act, since, until }, page) {
      let query = database.db.selectFrom('audit_events').select(columns);
      if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId);
      if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
      if (act !== undefined) query = query.where('act', '=', act);
      if (since !== undefined) query = query.where('created_at', '>=', since);
      if (until !== undefined) query = query.where('created_at', '<', until);
      return newestFirst(query, page).execute();
    },

    async forget(before) {
      let forgotten: number;
      do {
        forgotten = await database.write(async (trx) => {
          const old = await trx
            .selectFrom('audit_events')
            .select('id')
            .where('created_at', '<', before)
            .limit(rowsPerDelete)
            .execute();
          const ids = old.map(({ id }) => id);
          if (ids.length > 0) await trx.deleteFrom('audit_events').where('id', 'in', ids).execute();
          return ids.length;
        });
      } while (forgotten === rowsPerDelete);
    },
  };
}

type Counted = Parameters<AuditStore['addRefusals']>[0][number];

/** False if there is no row to add to. */
async function count(trx: Db, { act, hour, times }: Counted, address: string | null): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('audit_events')
    .set(({ eb }) => ({ times: eb('times', '+', times) }))
    .where('created_at', '=', hour)
    .where('act', '=', act)
    .where('address', address === null ? 'is' : '=', address)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function rowsOfHour(trx: Db, hour: string): Promise<number> {
  const { rows } = await trx
    .selectFrom('audit_events')
    .select(({ fn }) => fn.countAll<number | string>().as('rows'))
    .where('created_at', '=', hour)
    .where('act', 'in', ['sign_in.refused', 'credential.refused'])
    .executeTakeFirstOrThrow();
  return Number(rows);
}
