import { AppError, notFound } from '../../domain/errors.ts';
import {
  type Expectation,
  isAsExpected,
  isCarriedOut,
  laterThan,
  type NoteChanges,
  type NoteWithTranscript,
  realChanges,
} from '../../domain/note.ts';
import { reachOf } from '../../domain/owner.ts';
import { changesText, keepsRevision, type Writing } from '../../domain/revision.ts';
import { decided } from '../../domain/spoken.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { ownsFolder } from '../../platform/database/owners.ts';
import { keepRevision } from '../revisions/queries.ts';
import type { NamedTags } from '../tags/schema.ts';
import { tagsFor } from '../tags/tagging.ts';
import * as queries from './queries.ts';

type Changing = Pick<CommandContext<unknown>, 'database' | 'tx' | 'now' | 'afterCommit'>;

/**
 * Changes a note that this transaction has locked. A change that makes no difference, and an edit that was carried out before,
 * leave it as it is. Raises `validation_error` for a folder of another owner, and `conflict` if the note is not as expected;
 * `note_version_conflict`, with the note, if a revision was expected.
 */
export async function changeNote(
  { database, tx, now, afterCommit }: Changing,
  locked: Authorized<queries.LockedNote>,
  changes: NoteChanges,
  { by, limits, expected = {} }: Writing,
): Promise<NoteWithTranscript> {
  const { seq, owner_id, other_edit, ...note } = locked;
  if (by.edit && isCarriedOut(by.edit, note.edit, other_edit)) return note;
  if (changes.folder_id && !(await ownsFolder(tx, owner_id, changes.folder_id))) throw unknownFolder();
  if (!isAsExpected(note, expected)) throw changedSince(note, expected);
  const real = realChanges(note, decided(note, changes));
  if (Object.keys(real).length === 0) return note;
  const updated_at = laterThan(note.updated_at, now);
  const isText = changesText(note, real);
  const author = isText ? { ...by, edited_at: updated_at } : {};
  const changed = { ...real, ...author, revision: note.revision + 1, updated_at };
  const after = { ...note, ...changed };
  if (keepsRevision(note, real, by)) await keepRevision(tx, note, limits, updated_at);
  const columns = isText ? changed : { ...changed, other_edit: by.edit };
  await queries.update(tx, locked, queries.noteRows.toRow(columns));
  if (isText && !(await database.search.put(tx, seq, owner_id, after)))
    afterCommit(() => queries.settle(database));
  return after;
}

/** Before the note is locked: the tags that a change names. Raises `not_found`, and what `tagsFor` raises. */
export async function tagsOfNote(
  { database, tx, who, now }: CommandContext,
  id: string,
  named: NamedTags | undefined,
): Promise<Pick<NoteChanges, 'tags'>> {
  if (named === undefined) return {};
  const place = await queries.place(tx, reachOf(who), id);
  if (!place) throw notFound('Note');
  return { tags: await tagsFor({ database, tx }, { ...place, at: now }, named) };
}

function changedSince(note: NoteWithTranscript, { revision }: Expectation): AppError {
  const message = 'The note has changed since you read it. Read it again, then change it.';
  if (revision === undefined) return new AppError('conflict', message);
  return new AppError('note_version_conflict', message, { data: note });
}

export const unknownFolder = () =>
  new AppError('validation_error', 'folder_id must be the id of one of your folders.');
