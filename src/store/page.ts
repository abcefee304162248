import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Position } from '../domain/page.ts';

/** The rows behind a position in the order every list has: `created_at` descending, then `id` descending. */
export const isBehind = ({ createdAt, id }: Position): RawBuilder<SqlBool> =>
  id === null ? sql`created_at < ${createdAt}` : sql`(created_at, id) < (${createdAt}, ${id})`;
