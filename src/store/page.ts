import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { PageQuery, Position } from '../domain/page.ts';

/** One page of a list. Every list is ordered by `created_at` and then `id`, both descending. */
export function newestFirst<Tables, From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  { limit, after }: PageQuery,
): SelectQueryBuilder<Tables, From, Row> {
  const page = query.orderBy(sql`created_at`, 'desc').orderBy(sql`id`, 'desc').limit(limit);
  return after ? page.where(isBehind(after)) : page;
}

const isBehind = ({ createdAt, id }: Position): RawBuilder<SqlBool> =>
  id === null ? sql`created_at < ${createdAt}` : sql`(created_at, id) < (${createdAt}, ${id})`;
