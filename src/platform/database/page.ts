import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { PageQuery, Position } from '../../domain/page.ts';

/** One page of a list that is ordered by a time and then `id`, both descending unless `order` says otherwise. */
export function newestFirst<Tables, From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  { limit, after }: PageQuery,
  time = 'created_at',
  order: 'asc' | 'desc' = 'desc',
): SelectQueryBuilder<Tables, From, Row> {
  const page = query.orderBy(sql.ref(time), order).orderBy(sql`id`, order).limit(limit);
  return after ? page.where(isBehind(after, time, order === 'desc' ? sql`<` : sql`>`)) : page;
}

const isBehind = ({ at, id }: Position, time: string, than: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  id === null ? sql`${sql.ref(time)} ${than} ${at}` : sql`(${sql.ref(time)}, id) ${than} (${at}, ${id})`;
