import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { idFor } from '../../domain/imported.ts';
import { type Note, newNote, type StoredNote, writerOf } from '../../domain/note.ts';
import type { CommandContext, Context, GatheredContext } from '../../kernel/context.ts';
import type { Database, Db, InsertOutcome, NewNote, Tx } from '../../platform/database/database.ts';
import { accountDeleted } from '../../platform/database/owners.ts';
import { type NamedTags, namedTags } from '../tags/schema.ts';
import { tagsFor } from '../tags/tagging.ts';
import { ownerOf } from '../workspaces/access.ts';
import { unknownFolder } from './change.ts';
import * as queries from './queries.ts';
import type { NoteDraft } from './schema.ts';

/** The note that a draft becomes, or the one that it has made before. */
export type Prepared = ({ note: StoredNote } & Links) | { known: Note };

/** What a new note is tied to, found in the write that stores it. */
interface Links {
  readonly transcriptionId?: string | undefined;
  readonly tags?: NamedTags | undefined;
}

/** Raises `not_found` for a space, `validation_error` for a transcription of another owner, and what `madeBefore` raises. */
export async function prepareNote(context: Context, draft: NoteDraft): Promise<Prepared> {
  const { db, who, now, newId } = context;
  const { ownerId, spaceId } = await ownerOf(context, draft.space_id);
  const clientId = clientIdOf(ownerId, draft);
  const known = clientId === undefined ? undefined : await madeBefore(db, ownerId, clientId);
  if (known) return { known };
  const { transcription_id: transcriptionId } = draft;
  const transcript = transcriptionId === undefined ? null : await transcriptFor(context, transcriptionId);
  const id = newId();
  const note = newNote({
    ...writerOf(who, draft.edit),
    edited_at: now,
    id,
    user_id: who.userId,
    client_note_id: clientId ?? id,
    title: draft.title ?? null,
    content: draft.content,
    content_is_transcript: draft.content_is_transcript ?? false,
    enhanced_content: draft.enhanced_content ?? null,
    note_type: draft.note_type,
    folder_id: draft.folder_id ?? null,
    transcript,
    created_at: now,
    owner_id: ownerId,
    space_id: spaceId,
  });
  return { note, transcriptionId, tags: namedTags(draft) };
}

/** An edit without a `client_note_id` makes one note too. */
const clientIdOf = (ownerId: string, { client_note_id, edit }: NoteDraft) =>
  client_note_id ?? (edit && idFor(ownerId, `edit ${edit.session} ${edit.seq}`));

/** Raises `conflict` for a note in the trash: it cannot be written to, and a second one would be a double. */
async function madeBefore(db: Db, ownerId: string, clientId: string): Promise<Note | undefined> {
  const note = await queries.withClientId(db, ownerId, clientId);
  if (note?.deleted_at)
    throw new AppError(
      'conflict',
      'The note with this client_note_id is in the trash. Restore it, or use another client_note_id.',
    );
  return note;
}

/** Transcriptions are personal, so workspace keys have none. */
async function transcriptFor({ db, who }: Context, id: string): Promise<string> {
  const found = who.kind === 'workspace' ? undefined : await queries.transcriptionOf(db, who.userId, id);
  if (!found) throw unknownTranscription();
  return found.segments ?? found.text;
}

const unknownTranscription = () =>
  new AppError('validation_error', 'transcription_id must be the id of one of your transcriptions.');

/**
 * Stores one note, with others that arrive at the same moment; `known`: the owner has a note with its `client_note_id`. Raises
 * `invalid_api_key` if the account was deleted meanwhile, `validation_error` for a folder or transcription that is not the
 * owner's, and `conflict` for a transcription that has a note.
 */
export async function storeNote(
  database: Database,
  note: StoredNote,
  {
    complete,
    maxTags,
    ...links
  }: Links & Partial<Pick<GatheredContext, 'complete'>> & { maxTags?: number } = {},
): Promise<'stored' | 'known'> {
  const text = database.search.analyse(note);
  const completed = complete && ((db: Db) => complete(db, { id: note.id, kept: {} }));
  const outcome = isPlain(links)
    ? storedOrKnown(await database.createNote({ row: queries.noteRows.toRow(note), text }, completed))
    : await database.write(async (tx) => {
        if (links.tags) note.tags = await tagsFor({ database, tx }, placeOf(note), links.tags, maxTags);
        const added = { row: queries.noteRows.toRow(note), text };
        const outcome = await insertLinked(database, tx, added, links);
        if (outcome === 'stored') await completed?.(tx);
        return outcome;
      });
  if (text === null && outcome === 'stored') await queries.settle(database);
  return outcome;
}

const placeOf = ({ owner_id, space_id, updated_at }: StoredNote) => ({ owner_id, space_id, at: updated_at });

function storedOrKnown(outcome: InsertOutcome): 'stored' | 'known' {
  if (outcome === 'no account') throw accountDeleted();
  if (outcome === 'unknown folder') throw unknownFolder();
  return outcome === 'ok' ? 'stored' : 'known';
}

/** Inside a write: a note that gets the transcript of a transcription. A transcription is linked to one note at a time. */
async function insertLinked(database: Database, tx: Tx, added: NewNote, { transcriptionId }: Links) {
  if (transcriptionId === undefined) return storedOrKnown(await database.insertNote(tx, added));
  const { id, user_id } = added.row;
  const found = await queries.transcriptionOf(tx, user_id, transcriptionId);
  if (!found) throw unknownTranscription();
  if (found.noteId !== null)
    throw new AppError('conflict', 'This transcription already has a note; delete that note first.');
  const outcome = storedOrKnown(await database.insertNote(tx, added));
  if (outcome === 'stored') await queries.linkTranscription(tx, transcriptionId, id);
  return outcome;
}

/** Such notes are stored together, in one statement. */
const isPlain = ({ transcriptionId, tags }: Links) => transcriptionId === undefined && tags === undefined;

/** Of two requests with one `client_note_id` at the same moment, the other one was first. Raises what `madeBefore` raises. */
export async function alreadyStored(db: Db, note: StoredNote): Promise<Note> {
  const known = await madeBefore(db, note.owner_id, note.client_note_id);
  if (known) return known;
  throw new AppError('service_unavailable', 'Send the request again.', { retryAfterSeconds: 1 });
}

/** Letters that are analysed for the search before other requests have their turn; about 2 ms. */
const analysedPerTurn = 16_384;

/** A row of many: the note with its analysed text, one that was made before, or why there is none. */
export type PreparedRow = ({ note: StoredNote; added: NewNote } & Links) | { known: Note } | AppError;

/** One after the other: a request of many rows must not take all connections to the database. */
export async function prepareRows(context: Context, drafts: readonly NoteDraft[]): Promise<PreparedRow[]> {
  const rows: PreparedRow[] = [];
  let letters = 0;
  for (const draft of drafts) {
    const prepared = await prepareNote(context, draft).catch(refused);
    if (!('note' in prepared)) {
      rows.push(prepared);
      continue;
    }
    const { note } = prepared;
    letters += note.content.length;
    if (letters > analysedPerTurn) {
      letters = 0;
      await nextTurn();
    }
    const added = { row: queries.noteRows.toRow(note), text: context.database.search.analyse(note) };
    rows.push({ ...prepared, added });
  }
  return rows;
}

export interface StoredRow {
  readonly note: Note;
  readonly isNew: boolean;
}

/** Stores the rows in this transaction. Each has an outcome: a new note, a known one, or why there is none. */
export async function storeRows(
  { database, tx, afterCommit }: CommandContext,
  rows: readonly PreparedRow[],
): Promise<(StoredRow | AppError)[]> {
  const plain = rows.flatMap((row) => ('note' in row && isPlain(row) ? [row.added] : []));
  const stored = plain.length === 0 ? [] : await database.insertNotes(tx, plain);
  const results: (StoredRow | AppError)[] = [];
  let isLarge = false;
  for (const row of rows) {
    if (row instanceof AppError) results.push(row);
    else if ('known' in row) results.push({ note: row.known, isNew: false });
    else results.push(await storeRow(row).catch(refused));
  }
  if (isLarge) afterCommit(() => queries.settle(database));
  return results;

  async function storeRow({ note, added, ...links }: Extract<PreparedRow, { note: StoredNote }>) {
    if (links.tags) note.tags = await tagsFor({ database, tx }, placeOf(note), links.tags);
    const outcome = isPlain(links)
      ? storedOrKnown(stored.shift() ?? 'no account')
      : await insertLinked(database, tx, { ...added, row: queries.noteRows.toRow(note) }, links);
    // An earlier row, or another request at the same moment, has the same client_note_id.
    if (outcome === 'known') return { note: await alreadyStored(tx, note), isNew: false };
    isLarge ||= added.text === null;
    return { note, isNew: true };
  }
}

/** Only what the caller can change is the outcome of a row; a fault, or a deleted account, fails the whole request. */
function refused(cause: unknown): AppError {
  if (cause instanceof AppError && cause.status < 500 && cause.code !== 'invalid_api_key') return cause;
  throw cause;
}
