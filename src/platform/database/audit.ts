import type { Act, Circumstances } from '../../domain/audit.ts';
import { newUuid } from '../../lib/uuid.ts';
import type { Db } from './database.ts';

/** Writes an act into the log, in the write of the act. */
export type Recorder = (trx: Db, act: Act) => Promise<void>;

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
        // As it was: the account may be gone when an operator reads this.
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
