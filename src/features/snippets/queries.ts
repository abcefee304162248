import type { PageQuery } from '../../domain/page.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import { sameTextKey } from '../../lib/text.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { type Snippet, type SnippetChanges, snippet } from './schema.ts';

const { columns } = rowsOf(snippet);

const of = (db: Db, userId: string) => db.selectFrom('snippets').where('user_id', '=', userId);

export const page = (db: Db, userId: string, query: PageQuery) =>
  newestFirst(of(db, userId).select(columns), query).execute();

export const find = (db: Db, userId: string, id: string) =>
  of(db, userId).select(columns).where('id', '=', id).executeTakeFirst();

/** Which of these triggers the person has, by key, and whose snippet each is. */
export async function withTriggers(db: Db, userId: string, triggers: readonly string[]) {
  const keys = triggers.map(sameTextKey);
  const rows = await of(db, userId).select(['trigger_key', 'id']).where('trigger_key', 'in', keys).execute();
  return new Map(rows.map(({ trigger_key, id }) => [trigger_key, id]));
}

export async function insert(tx: Tx, userId: string, snippets: readonly Snippet[]): Promise<void> {
  const rows = snippets.map((one) => ({ ...one, trigger_key: sameTextKey(one.trigger), user_id: userId }));
  if (rows.length > 0) await tx.insertInto('snippets').values(rows).execute();
}

export const update = (
  tx: Tx,
  { id }: Authorized<Snippet>,
  changes: SnippetChanges & { updated_at: string },
) =>
  tx
    .updateTable('snippets')
    .set(changes.trigger === undefined ? changes : { ...changes, trigger_key: sameTextKey(changes.trigger) })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();

export const remove = (tx: Tx, { id }: Authorized<Snippet>) =>
  tx.deleteFrom('snippets').where('id', '=', id).execute();
