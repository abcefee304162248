import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { PageQuery, Position } from '../domain/page.ts';

/** One page of a list that is ordered by a time and then `id`, both descending. */
export function newestFirst<Tables, From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  { limit, after }: PageQuery,
  time = 'created_at',
): SelectQueryBuilder<Tables, From, Row> {
  const page = query.orderBy(sql.ref(time), 'desc').orderBy(sql`id`, 'desc').limit(limit);
  return after ? page.where(isBehind(after, time)) : page;
}

const isBehind = ({ at, id }: Position, time: string): RawBuilder<SqlBool> =>
  id === null ? sql`${sql.ref(time)} < ${at}` : sql`(${sql.ref(time)}, id) < (${at}, ${id})`;
