import type { SelectQueryBuilder } from 'kysely';
import type { Schema } from './schema.ts';

/** How many rows the query finds. The PostgreSQL driver returns a count as text, because it is a bigint. */
export async function countRows<Table extends keyof Schema>(
  query: SelectQueryBuilder<Schema, Table, Record<never, never>>,
): Promise<number> {
  const counted = query.select(({ fn }) => fn.countAll<number | string>().as('count'));
  return Number((await counted.executeTakeFirstOrThrow()).count);
}
