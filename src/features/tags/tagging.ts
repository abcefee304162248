import { invalid, limitReached } from '../../domain/errors.ts';
import { laterThan } from '../../domain/note.ts';
import { sameTextKey } from '../../lib/text.ts';
import { newUuid } from '../../lib/uuid.ts';
import { countRows } from '../../platform/database/count.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { requireOwner } from '../../platform/database/owners.ts';
import * as queries from './queries.ts';
import { maxTagsPerNote, maxTagsPerOwner, type NamedTags, type NoteTag } from './schema.ts';

/** A person or a space, and the time at which a new tag is made. */
export interface TagPlace {
  readonly owner_id: string;
  readonly space_id: string | null;
  readonly at: string;
}
interface Writing {
  readonly database: Database;
  readonly tx: Tx;
}

/**
 * Tags as a note has them; those of unknown names are made. They are locked until this write ends, before its notes are: a
 * person who renames, merges or deletes one at this moment waits for it, or was first. Raises `validation_error` for the id of
 * a tag of another place, and `limit_reached`.
 */
export async function tagsFor(
  { database, tx }: Writing,
  place: TagPlace,
  named: NamedTags,
  max = maxTagsPerOwner,
): Promise<NoteTag[]> {
  const lock = async (column: 'id' | 'name_key', values: readonly string[]) =>
    values.length === 0 ? [] : queries.lockOf(database, tx, place.owner_id, column, values);
  if ('ids' in named) {
    const found = await lock('id', named.ids);
    if (found.length < new Set(named.ids).size) throw unknownTag();
    return inOrder(found);
  }
  const keys = [...new Set(named.names.map(sameTextKey))];
  const found = await lock('name_key', keys);
  if (found.length === keys.length) return inOrder(found);
  const unknown = named.names.filter((name) => found.every(({ name_key }) => name_key !== sameTextKey(name)));
  await makeTags({ database, tx }, place, unknown, max);
  // Another request may have made one of them meanwhile.
  return tagsFor({ database, tx }, place, named, max);
}

/** Of names that are the same the first one counts. Raises `invalid_api_key` if the account was deleted meanwhile. */
export async function makeTags(
  { database, tx }: Writing,
  { owner_id, space_id, at }: TagPlace,
  names: readonly string[],
  max = maxTagsPerOwner,
): Promise<NoteTag[]> {
  await requireOwner(database, tx, { owner_id, space_id });
  const different = [...Map.groupBy(names, sameTextKey).values()].flatMap((same) => same.slice(0, 1));
  const before = await countRows(tx.selectFrom('tags').where('owner_id', '=', owner_id));
  if (before + different.length > max) throw tooManyTags();
  const times = { created_at: at, updated_at: at };
  const made = different.map((name) => ({ id: newUuid(), owner_id, space_id, name, ...times }));
  return queries.insert(tx, made);
}

export const tooManyTags = () => limitReached(`You can have at most ${maxTagsPerOwner} tags here.`);
export const unknownTag = (what = 'tag_ids must be ids of tags of the place where the note is.') =>
  invalid(what);

/** As a note shows them, whatever the order in which they were named. */
export const inOrder = (tags: readonly NoteTag[]): NoteTag[] =>
  tags
    .map(({ id, name }) => ({ id, name, key: sameTextKey(name) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ id, name }) => ({ id, name }));

/** As SQLite and PostgreSQL take them in one statement. */
const notesPerStatement = 500;

/**
 * Changes the tags of notes that this transaction has locked, and returns them as they are then. Notes that end up with the same
 * tags are written together. Raises `validation_error` if a note would have too many.
 */
export async function retag<Note extends queries.TaggedNote>(
  tx: Tx,
  notes: readonly Note[],
  change: (tags: readonly NoteTag[]) => readonly NoteTag[],
  now: string,
): Promise<Note[]> {
  const after = notes.map((note) => {
    const tags = inOrder(change(JSON.parse(note.tags)));
    if (tags.length > maxTagsPerNote) throw invalid(`A note can have at most ${maxTagsPerNote} tags.`);
    const text = JSON.stringify(tags);
    return text === note.tags ? note : { ...note, tags: text, updated_at: laterThan(note.updated_at, now) };
  });
  const changed = after.filter((note, place) => note !== notes[place]);
  for (const same of Map.groupBy(changed, ({ tags, updated_at }) => `${updated_at} ${tags}`).values())
    for (let at = 0; at < same.length; at += notesPerStatement)
      await queries.setTags(tx, same.slice(at, at + notesPerStatement));
  return after;
}
