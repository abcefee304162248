import { sql } from 'kysely';
import type { OwnerFilter } from '../../domain/owner.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import { sameTextKey } from '../../lib/text.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { reachableBy } from '../../platform/database/owners.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { type NoteTag, type Tag, tag } from './schema.ts';

const { columns } = rowsOf(tag.omit({ note_count: true }));

/** `note_count` is counted in an index, in which the notes of a tag are side by side. */
const counted = (db: Db) =>
  db
    .selectFrom('tags')
    .select(columns)
    .select(({ selectFrom, fn }) =>
      selectFrom('note_tags')
        .select(fn.countAll<number>().as('notes'))
        .whereRef('tag_id', '=', 'tags.id')
        .where('in_trash', '=', 0)
        .as('note_count'),
    )
    .$narrowType<{ note_count: number }>();

/** All tags, by their names. */
export const list = (db: Db, ownerId: string): Promise<Tag[]> =>
  counted(db).where('owner_id', '=', ownerId).orderBy('name_key').execute();

export const find = (db: Db, reach: OwnerFilter, id: string): Promise<Tag | undefined> =>
  counted(db).where('id', '=', id).where(reachableBy(reach)).executeTakeFirst();

/** Inside `writeLocked`: these tags, locked until it ends, in the order of their ids. */
export const lock = (database: Database, tx: Db, reach: OwnerFilter, ids: readonly string[]) =>
  database
    .locking(
      tx
        .selectFrom('tags')
        .select([...columns, 'owner_id', 'name_key'])
        .where('id', 'in', ids)
        .where(reachableBy(reach))
        .orderBy('id'),
    )
    .execute();
export type LockedTag = Awaited<ReturnType<typeof lock>>[number];

/** The owner's tags of these names or ids, locked. */
export function lockOf(
  database: Database,
  tx: Db,
  ownerId: string,
  column: 'id' | 'name_key',
  values: readonly string[],
): Promise<(NoteTag & { name_key: string })[]> {
  const found = tx.selectFrom('tags').select(['id', 'name', 'name_key']).where('owner_id', '=', ownerId);
  return database.locking(found.where(column, 'in', values).orderBy('id')).execute();
}

export type NewTag = Omit<Tag, 'note_count'> & { owner_id: string };

/** Those whose names another request has made meanwhile are left out. */
export const insert = (tx: Tx, tags: readonly NewTag[]) =>
  tx
    .insertInto('tags')
    .values(tags.map((one) => ({ ...one, name_key: sameTextKey(one.name) })))
    .onConflict((conflict) => conflict.columns(['owner_id', 'name_key']).doNothing())
    .returning(['id', 'name', 'name_key'])
    .execute();

export const isOf = async (db: Db, ownerId: string, id: string) =>
  (await db
    .selectFrom('tags')
    .select('id')
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()) !== undefined;

export const withName = (db: Db, ownerId: string, name: string) =>
  db
    .selectFrom('tags')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('name_key', '=', sameTextKey(name))
    .executeTakeFirst();

export const rename = (tx: Tx, { id }: Authorized<LockedTag>, name: string, updated_at: string) =>
  tx
    .updateTable('tags')
    .set({ name, name_key: sameTextKey(name), updated_at })
    .where('id', '=', id)
    .execute();

export const remove = (tx: Tx, { id }: Authorized<LockedTag>) =>
  tx.deleteFrom('tags').where('id', '=', id).execute();

/** What is needed of a note to change its tags. `tags` is the column, as JSON. */
export interface TaggedNote {
  readonly seq: number;
  readonly tags: string;
  readonly updated_at: string;
}

/** Its notes, also those in the trash, locked until this write ends. */
export const notesOf = (database: Database, tx: Db, { id }: Authorized<LockedTag>): Promise<TaggedNote[]> =>
  database
    .locking(
      tx
        .selectFrom('notes')
        .select(['seq', 'tags', 'updated_at'])
        .where('seq', 'in', ({ selectFrom }) =>
          selectFrom('note_tags').select('note_seq').where('tag_id', '=', id),
        )
        .orderBy('seq'),
    )
    .execute();

/** Notes that have the same tags and the same time of change from now on. */
export async function setTags(tx: Tx, notes: readonly TaggedNote[]): Promise<void> {
  const [first] = notes;
  if (!first) return;
  const { tags, updated_at } = first;
  const seqs = notes.map(({ seq }) => seq);
  const changes = { tags, updated_at, revision: sql<number>`revision + 1` };
  await tx.updateTable('notes').set(changes).where('seq', 'in', seqs).execute();
}
