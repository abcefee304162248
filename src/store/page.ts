import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Position } from '../domain/page.ts';

/** The rows after a position. Every list is ordered by `created_at` and then `id`, both descending. */
export const isBehind = ({ createdAt, id }: Position): RawBuilder<SqlBool> =>
  id === null ? sql`created_at < ${createdAt}` : sql`(created_at, id) < (${createdAt}, ${id})`;
