import { z } from 'zod';
import { fromBase64Json, toBase64Json } from '../lib/json.ts';
import { invalid } from './errors.ts';
import { parseInstant } from './fields.ts';

/** The last row that was seen, in a list ordered by a time and then `id`, both descending. */
export interface Position {
  readonly at: string;
  /** Null if the cursor was a timestamp: the list goes on with everything before it. */
  readonly id: string | null;
  /** In a list with pinned notes first: whether the row was pinned. */
  readonly pinned?: boolean | undefined;
}

/** A list refuses the cursors of other lists. */
export type ListName =
  | 'notes'
  | 'notes by change'
  | 'notes, pinned first'
  | 'notes by change, pinned first'
  | 'trash'
  | 'transcriptions'
  | 'transcriptions, oldest first'
  | 'recordings'
  | 'dictionary'
  | 'snippets'
  | 'language jobs'
  | 'conversations'
  | 'deliveries'
  | 'audit'
  | 'people'
  | 'workspaces';

export interface PageOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface PageQuery {
  readonly limit: number;
  readonly after?: Position | undefined;
}

export interface Page<Item> {
  data: Item[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface Listed {
  readonly id: string;
  readonly created_at: string;
}

const storedInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** A UUID, or the id of a delivery. */
const storedId = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|msg_[\w-]{32})$/;
/** The list, the time, the id and, in a list with pinned notes first, whether the row was pinned. */
const cursorParts = z.tuple([
  z.string(),
  z.string().regex(storedInstant),
  z.string().regex(storedId),
  z.boolean().optional(),
]);

/**
 * Makes a page from rows that were read with one row more than the limit. `placeOf` gives the place of a row in the list.
 * `lookedUntil`: the list has more behind this place, which was not looked at.
 */
export function toPage<Row extends Listed>(
  list: ListName,
  rows: Row[],
  limit: number,
  placeOf: (row: Row) => Omit<Position, 'id'> = ({ created_at }) => ({ at: created_at }),
  lookedUntil?: Position,
): Page<Row> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const end = rows.length > limit && last !== undefined ? { ...placeOf(last), id: last.id } : lookedUntil;
  return { data, has_more: end !== undefined, next_cursor: end ? encodeCursor(list, end) : null };
}

const encodeCursor = (list: ListName, { at, id, pinned }: Position) =>
  toBase64Json([list, at, id, ...(pinned === undefined ? [] : [pinned])]);

/** Asks the store for one row more than the page, which shows whether there is a next page. */
export const pageQuery = (list: ListName, { limit, cursor }: PageOptions): PageQuery => ({
  limit: limit + 1,
  after: cursor === undefined ? undefined : decodeCursor(list, cursor),
});

/**
 * Raises `validation_error` for a cursor that is not from this list. Notes also accept an ISO timestamp, because some
 * clients use the `created_at` of their last note as a cursor.
 */
function decodeCursor(list: ListName, cursor: string): Position {
  const instant = list === 'notes' ? parseInstant(cursor) : undefined;
  if (instant !== undefined) return { at: instant, id: null };
  const parts = /^[\w-]+$/.test(cursor) ? cursorParts.safeParse(fromBase64Json(cursor)).data : undefined;
  const isPinnedFirst = list.endsWith('pinned first');
  if (parts?.[0] !== list || (isPinnedFirst && parts[3] === undefined))
    throw invalid('cursor must be the next_cursor of a page of this list.');
  const [, at, id, pinned] = parts;
  return isPinnedFirst ? { at, id, pinned } : { at, id };
}
