import { sql } from 'kysely';
import {
  type Note,
  type NoteFilter,
  type NotePart,
  type NoteSort,
  note,
  noteTypes,
} from '../../domain/note.ts';
import type { PageQuery, Position } from '../../domain/page.ts';
import { per } from '../../lib/per.ts';
import type { Database, Db, ReadParameter } from '../../platform/database/database.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { type Row, rowsOf } from '../../platform/database/schema.ts';
import { previewOf, previewSource } from './preview.ts';

/** `since` and `until` compare the time by which the list is ordered. */
export interface NoteListQuery extends PageQuery, NoteFilter {
  sort?: NoteSort;
  pinnedFirst?: boolean;
}

const { columns: all, fromRow } = rowsOf(note);
type Column = (typeof all)[number];

/** Where a list goes on. */
const cursor = new Set<Column>(['id', 'pinned', 'created_at', 'updated_at']);
/** Read only if they are asked for: texts of any length, and what the rows of a list on a screen show. */
const apart = new Set<Column>(['content', 'enhanced_content', 'title']);

/** Which columns a list reads, as one of 32 ways: every other text would be one more prepared statement in memory. */
interface Parts {
  way: string;
  columns: readonly Column[];
  preview: boolean;
}
const whole: Parts = { way: 'all', columns: all, preview: false };

function partsFor(fields: ReadonlySet<string>): Parts {
  const needsRest = all.some((name) => !cursor.has(name) && !apart.has(name) && fields.has(name));
  const columns = all.filter((name) => cursor.has(name) || (apart.has(name) ? fields.has(name) : needsRest));
  const preview = fields.has('preview');
  return { way: `${columns.join()} ${preview}`, columns, preview };
}

export const list = (database: Database, ownerId: string, query: NoteListQuery): Promise<Note[]> =>
  read(database, whole, ownerId, query);

/** The same notes with at least these fields, and `preview` if it is among them. The longer texts are read only if wanted. */
export async function listParts(
  database: Database,
  ownerId: string,
  query: NoteListQuery,
  fields: ReadonlySet<string>,
): Promise<NotePart[]> {
  const notes: NotePart[] = await read(database, partsFor(fields), ownerId, query);
  for (const note of notes) if (note.preview !== undefined) note.preview = previewOf(note.preview);
  return notes;
}

async function read(database: Database, parts: Parts, ownerId: string, query: NoteListQuery) {
  const plain = plainLists(database)(parts)(ownerId, query);
  const tagged = query.tagId === undefined ? undefined : await countFew(database.db, ownerId, query.tagId);
  if (tagged === 0) return [];
  const rare = tagged !== undefined && tagged <= fewNotes;
  const { sql, parameters } = plain ?? selectList(database.db, ownerId, { ...query, rare }, parts).compile();
  // Texts and numbers, as the types of the query's fields say.
  const rows = await database.read<Row<Note>>(sql, parameters as readonly ReadParameter[]);
  return rows.map(fromRow);
}

/**
 * Of a tag with few notes the list reads these and sorts them; of another one it reads its own index until the page is full. Of 100,000
 * notes on SQLite, ten with the tag: 95 to 179 ms by the index of the list, 1 to 9 ms by that of the tag.
 */
const fewNotes = 5_000;

/** How many notes the owner's tag has, or one more than few. */
async function countFew(db: Db, ownerId: string, tagId: string): Promise<number> {
  const some = db
    .selectFrom('note_tags')
    .innerJoin('tags', 'tags.id', 'tag_id')
    .select('note_seq')
    .where('tag_id', '=', tagId)
    .where('in_trash', '=', 0)
    .where('owner_id', '=', ownerId)
    .limit(fewNotes + 1);
  return (await some.execute()).length;
}

/** The texts of the plain list, which clients ask for most, are built once. */
const plainLists = per(({ db }: Database) => {
  const known = new Map<string, ReturnType<typeof createPlainList>>();
  return (parts: Parts) => {
    const list = known.get(parts.way) ?? createPlainList(db, parts);
    known.set(parts.way, list);
    return list;
  };
});

/** Undefined if something else than the plain list is asked for. */
function createPlainList(db: Db, parts: Parts) {
  const textAfter = (after?: Position) => selectList(db, '', { limit: 1, after }, parts).compile().sql;
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
export function selectList(
  db: Db,
  ownerId: string,
  query: NoteListQuery & { rare?: boolean },
  { columns, preview }: Parts = whole,
) {
  const {
    folderId,
    tagId,
    noteType,
    since,
    until,
    sort = 'created',
    pinnedFirst = false,
    rare = false,
    limit,
    after,
  } = query;
  const time = sort === 'created' ? 'created_at' : 'updated_at';

  const selected = columns.map((column) => `notes.${column}` as const);
  // A number of our own in the text, because the parameters of the plain list are in a fixed order.
  const beginning = sql<string>`substr(notes.content, 1, ${sql.lit(previewSource)})`.as('preview');

  const alive = () => {
    const notes = db.selectFrom('notes').where('deleted_at', 'is', null);
    const before = until === undefined ? notes : notes.where(time, '<', until);
    if (tagId === undefined) return before;
    if (rare)
      return before.where(
        'seq',
        'in',
        db.selectFrom('note_tags').select('note_seq').where('tag_id', '=', tagId),
      );
    return before.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('note_tags')
          .select('tag_id')
          .whereRef('note_seq', '=', 'notes.seq')
          .where('tag_id', '=', tagId),
      ),
    );
  };

  // The plain list, which clients ask for most, has an index of its own.
  if (sort === 'created' && !pinnedFirst && folderId === undefined && noteType === undefined) {
    const notes = alive()
      .select(selected)
      .$if(preview, (rows) => rows.select(beginning))
      .$if(!rare, (rows) => rows.where('owner_id', '=', ownerId));
    return newestFirst(since === undefined ? notes : notes.where(time, '>=', since), { limit, after });
  }

  /** The next notes of one type, pinned or not: a range of an index. */
  const range = (type: (typeof noteTypes)[number], pinned: boolean) => {
    let notes = alive()
      .select(['seq', 'pinned', 'id', `${time} as at`])
      .where('note_type', '=', type)
      .where('pinned', '=', Number(pinned));
    if (folderId === undefined) notes = notes.$if(!rare, (rows) => rows.where('owner_id', '=', ownerId));
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
    .select(selected)
    .$if(preview, (rows) => rows.select(beginning))
    .$if(pinnedFirst, (found) => found.orderBy('page.pinned', 'desc'))
    .orderBy('page.at', 'desc')
    .orderBy('page.id', 'desc');
}
