import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** How many rows the query finds. */
export async function countRows<Table extends keyof Schema>(
  query: SelectQueryBuilder<Schema, Table, Record<never, never>>,
): Promise<number> {
  const counted = query.select(({ fn }) => fn.countAll<number>().as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}

/** As a column: how many rows of another table belong to the row, such as ``sql`spaces where …` ``. */
export const counted = (of: RawBuilder<unknown>) => sql<number>`(select count(*) from ${of})`;
