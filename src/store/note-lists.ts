import { sql } from 'kysely';
import { note, noteTypes } from '../domain/note.ts';
import type { Position } from '../domain/page.ts';
import type { NoteListQuery } from '../ports/note-store.ts';
import type { Db } from './database.ts';
import { newestFirst } from './page.ts';
import { rowsOf } from './schema.ts';

const listed = rowsOf(note).columns;

/** The list that clients ask for most, from texts that are built once. Undefined if something else is asked for. */
export function createPlainList(db: Db) {
  const textAfter = (after?: Position) => selectList(db, '', { limit: 1, after }).compile().sql;
  const texts = {
    start: textAfter(),
    time: textAfter({ at: '', id: null }),
    note: textAfter({ at: '', id: '' }),
  };
  return (ownerId: string, query: NoteListQuery) => {
    const { limit, after, sort = 'created', pinnedFirst = false, ...filters } = query;
    const isPlain = Object.values(filters).every((value) => value === undefined);
    if (!isPlain || sort !== 'created' || pinnedFirst) return undefined;
    if (!after) return { sql: texts.start, parameters: [ownerId, limit] };
    return after.id === null
      ? { sql: texts.time, parameters: [ownerId, after.at, limit] }
      : { sql: texts.note, parameters: [ownerId, after.at, after.id, limit] };
  };
}

/** Which notes of the owner come next. Each query is read from an index alone, whatever is asked of it. */
export function selectList(db: Db, ownerId: string, query: NoteListQuery) {
  const { folderId, noteType, since, until, sort = 'created', pinnedFirst = false, limit, after } = query;
  const time = sort === 'created' ? 'created_at' : 'updated_at';

  const alive = () => {
    const notes = db.selectFrom('notes').where('deleted_at', 'is', null);
    return until === undefined ? notes : notes.where(time, '<', until);
  };

  // The plain list, which clients ask for most, has an index of its own.
  if (sort === 'created' && !pinnedFirst && folderId === undefined && noteType === undefined) {
    const notes = alive().select(listed).where('owner_id', '=', ownerId);
    return newestFirst(since === undefined ? notes : notes.where(time, '>=', since), { limit, after });
  }

  /** The next notes of one type, pinned or not: a range of an index. */
  const range = (type: (typeof noteTypes)[number], pinned: boolean) => {
    let notes = alive()
      .select(['seq', 'pinned', 'id', `${time} as at`])
      .where('note_type', '=', type)
      .where('pinned', '=', Number(pinned));
    if (folderId === undefined) notes = notes.where('owner_id', '=', ownerId);
    else
      notes = notes
        .where('folder_id', '=', folderId)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('folders').select('id').where('id', '=', folderId).where('owner_id', '=', ownerId),
          ),
        );
    const isBegun = !pinnedFirst || after?.pinned === pinned;
    return newestFirst(notes, { limit, after: isBegun ? after : undefined }, time);
  };

  const isOver = (pinned: boolean) => pinnedFirst && pinned && after?.pinned === false;
  const ranges = (noteType ? [noteType] : noteTypes).flatMap((type) =>
    [true, false].flatMap((pinned) => (isOver(pinned) ? [] : [range(type, pinned)])),
  );
  const all = sql<{ seq: number; pinned: number; id: string; at: string }>`(${sql.join(
    ranges.map((part) => sql`select * from (${part}) as part`),
    sql` union all `,
  )})`;
  // `since` only cuts off the end. Inside a range it made SQLite choose the index of the plain list.
  const page = db
    .selectFrom(all.as('found'))
    .select(['seq', 'pinned', 'id', 'at'])
    .$if(since !== undefined, (found) => found.where('at', '>=', since ?? ''))
    .$if(pinnedFirst, (found) => found.orderBy('pinned', 'desc'))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  return db
    .selectFrom(page.as('page'))
    .innerJoin('notes', 'notes.seq', 'page.seq')
    .select(listed.map((column) => `notes.${column}` as const))
    .$if(pinnedFirst, (found) => found.orderBy('page.pinned', 'desc'))
    .orderBy('page.at', 'desc')
    .orderBy('page.id', 'desc');
}
