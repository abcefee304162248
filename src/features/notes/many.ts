import { sql } from 'kysely';
import { invalid } from '../../domain/errors.ts';
import { type ChangedNote, type ChangeOfMany, laterThan } from '../../domain/note.ts';
import { type OwnerFilter, reachOf } from '../../domain/owner.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { sameTextKey } from '../../lib/text.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { reachableBy } from '../../platform/database/owners.ts';
import type { ChangeOfTags } from '../tags/schema.ts';
import { retag, tagsFor } from '../tags/tagging.ts';
import { unknownFolder } from './change.ts';
import { moveToTrash, settle } from './queries.ts';

const columns = ['seq', 'id', 'owner_id', 'folder_id', 'tags', 'pinned', 'deleted_at', 'updated_at'] as const;

/**
 * Changes all of these notes or, if it raises, none. Returns those that are now as asked, even if they were before, so that a
 * request can be sent again; without those that are not there, or in the trash and not to be restored. Raises `validation_error`
 * for a folder or tag of another owner.
 */
export async function changeMany(
  { database, tx, who, now, afterCommit }: CommandContext,
  ids: readonly string[],
  change: ChangeOfMany,
): Promise<ChangedNote[]> {
  const reach = reachOf(who);
  if ('tags' in change) return tagMany({ database, tx, now }, reach, ids, change.tags);
  const all = await lockMany(database, tx, reach, ids);
  const notes = 'deleted' in change ? all : all.filter(({ deleted_at }) => deleted_at === null);
  if ('folder_id' in change && change.folder_id !== null) {
    const owner = await ownerOfFolder(tx, reach, change.folder_id);
    if (owner === undefined || notes.some(({ owner_id }) => owner_id !== owner)) throw unknownFolder();
  }
  const done = notes.filter((note) => isAsAsked(note, change));
  const open = notes.filter((note) => !isAsAsked(note, change));
  const changed = await write(database, tx, open, change, now);
  if ('deleted' in change && !change.deleted) afterCommit(() => settle(database));
  return [...done, ...changed].map(({ id, updated_at }) => ({ id, updated_at }));
}

/** Locking in one order keeps two such writes from a deadlock. */
function lockMany(database: Database, tx: Db, reach: OwnerFilter, ids: readonly string[]): Promise<Found[]> {
  const found = tx.selectFrom('notes').select(columns).where('id', 'in', ids).where(reachableBy(reach));
  return database.locking(found.orderBy('seq')).execute();
}

async function ownerOfFolder(tx: Db, reach: OwnerFilter, id: string): Promise<string | undefined> {
  const found = tx.selectFrom('folders').select('owner_id').where('id', '=', id).where(reachableBy(reach));
  return (await found.executeTakeFirst())?.owner_id;
}

interface Found extends ChangedNote {
  seq: number;
  owner_id: string;
  folder_id: string | null;
  tags: string;
  pinned: number;
  deleted_at: string | null;
}

type ChangeOfColumn = Exclude<ChangeOfMany, { tags: ChangeOfTags }>;

function isAsAsked(note: Found, change: ChangeOfColumn): boolean {
  if ('deleted' in change) return (note.deleted_at !== null) === change.deleted;
  if ('pinned' in change) return note.pinned === Number(change.pinned);
  return note.folder_id === change.folder_id;
}

/** Tags are of one person or space, so all these notes must be. */
async function tagMany(
  { database, tx, now }: Pick<CommandContext, 'database' | 'tx' | 'now'>,
  reach: OwnerFilter,
  ids: readonly string[],
  change: ChangeOfTags,
): Promise<ChangedNote[]> {
  const places = tx.selectFrom('notes').select(['owner_id', 'space_id']).distinct();
  const [place, ...more] = await places.where('id', 'in', ids).where(reachableBy(reach)).execute();
  if (!place) return [];
  if (more.length > 0) throw invalid('The notes must all be of one space, or your own.');
  const isRemoved = change.how === 'remove' && 'names' in change && new Set(change.names.map(sameTextKey));
  const tags = isRemoved ? [] : await tagsFor({ database, tx }, { ...place, at: now }, change);
  const notes = (await lockMany(database, tx, reach, ids)).filter(({ deleted_at }) => deleted_at === null);
  const changed = await retag(
    tx,
    notes,
    (before) => {
      if (isRemoved) return before.filter(({ name }) => !isRemoved.has(sameTextKey(name)));
      if (change.how === 'set') return tags;
      return [...before.filter(({ id }) => tags.every((tag) => tag.id !== id)), ...tags];
    },
    now,
  );
  return changed.map(({ id, updated_at }) => ({ id, updated_at }));
}

/** Returns the notes as they are then. */
async function write(
  database: Database,
  tx: Tx,
  notes: readonly Found[],
  change: ChangeOfColumn,
  now: string,
): Promise<readonly ChangedNote[]> {
  const seqs = notes.map(({ seq }) => seq);
  if ('deleted' in change && change.deleted) {
    await moveToTrash(database, tx, seqs, now);
    return notes;
  }
  const changed = notes.map((note) => ({ ...note, updated_at: laterThan(note.updated_at, now) }));
  for (const [updated_at, same] of Map.groupBy(changed, (note) => note.updated_at)) {
    const rows = same.map(({ seq }) => seq);
    const set = { ...valuesOf(change), updated_at };
    await tx.updateTable('notes').set(set).where('seq', 'in', rows).execute();
  }
  if ('deleted' in change && seqs.length > 0) await database.search.putLater(tx, seqs);
  return changed;
}

function valuesOf(change: ChangeOfColumn) {
  if ('deleted' in change) return { deleted_at: null };
  const revision = sql<number>`revision + 1`;
  return 'pinned' in change ? { pinned: Number(change.pinned), revision } : { ...change, revision };
}
