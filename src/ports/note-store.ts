import type { ChangeEvent, ChangePosition, LoggedChange } from '../domain/change.ts';
import type { Folder, FolderChanges } from '../domain/folder.ts';
import type { ImportedTranscription } from '../domain/imported.ts';
import type {
  ChangedNote,
  ChangeOfMany,
  Expectation,
  FoundNotes,
  Note,
  NoteChanges,
  NoteFilter,
  NotePart,
  NoteSort,
  NoteWithTranscript,
  SearchFilter,
  StoredNote,
  TrashedNote,
  Writer,
} from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import type { PageQuery } from '../domain/page.ts';
import type { Recording } from '../domain/recording.ts';
import type { ListedRevision, Revision, RevisionLimits } from '../domain/revision.ts';

export interface NoteStore {
  /**
   * Links the transcription, when one is given, in the same transaction. `unknown …`: it does not exist or is another
   * owner's. `linked already`: the transcription has a note that is not deleted. `known`: the owner has a note with this
   * `client_note_id`.
   * Raises `invalid_api_key` when the person was removed meanwhile; folders do too.
   */
  insert(
    note: StoredNote,
    transcriptionId?: string,
  ): Promise<'ok' | 'known' | 'unknown folder' | 'unknown transcription' | 'linked already'>;
  /** The owner's note with this `client_note_id`, or one whose id it is. Also from the trash. */
  findByClientId(ownerId: string, clientNoteId: string): Promise<(Note & Deletion) | undefined>;
  get(filter: OwnerFilter, id: string): Promise<NoteWithTranscript | undefined>;
  /** Where the note is. */
  place(filter: OwnerFilter, id: string): Promise<Pick<StoredNote, 'space_id' | 'folder_id'> | undefined>;
  list(ownerId: string, query: NoteListQuery): Promise<Note[]>;
  /** The same notes with at least these fields, and `preview` if it is among them. The longer texts are read only if wanted. */
  listParts(ownerId: string, query: NoteListQuery, fields: ReadonlySet<string>): Promise<NotePart[]>;
  /** With transcripts, newest first. */
  listWhole(ownerId: string, page: PageQuery): Promise<NoteWithTranscript[]>;
  /**
   * A change that makes no difference, or an edit that was carried out before, returns the note as it is. `changedSince` is the
   * note if it is not as expected. `updated_at` grows with every change, even if the clock does not.
   */
  update(
    filter: OwnerFilter,
    id: string,
    changes: NoteChanges,
    now: string,
    writing: Writing,
  ): Promise<NoteWithTranscript | 'not found' | 'unknown folder' | { changedSince: Note }>;
  softDelete(filter: OwnerFilter, id: string, now: string): Promise<boolean>;
  /** Best first. Raises the signal's reason, and `service_unavailable` when too many searches wait. */
  search(ownerId: string, search: NoteSearch, signal?: AbortSignal): Promise<FoundNotes>;
  /** Who speaks in the owner's notes, in order. Raises what `search` raises. */
  speakers(ownerId: string, limit: number, signal?: AbortSignal): Promise<string[]>;
}

interface Deletion {
  deleted_at: string | null;
}

export interface Writing {
  by: Writer;
  limits: RevisionLimits;
  expected?: Expectation;
}

export interface ManyNotesStore {
  /**
   * All in one write. Returns the notes that are now as asked, even if they were before. Leaves out notes that do not exist,
   * or are in the trash and not to be restored. With `unknown folder` nothing has changed.
   */
  change(
    filter: OwnerFilter,
    ids: readonly string[],
    change: ChangeOfMany,
    now: string,
  ): Promise<ChangedNote[] | 'unknown folder'>;
}

/** `since` and `until` compare the time by which the list is ordered. */
export interface NoteListQuery extends PageQuery, NoteFilter {
  sort?: NoteSort;
  pinnedFirst?: boolean;
}

export interface NoteSearch {
  query: string;
  limit: number;
  filter?: SearchFilter;
  highlights?: boolean;
}

export interface FolderStore {
  list(ownerId: string): Promise<Folder[]>;
  insert(
    folder: Omit<Folder, 'sort_order'> & { owner_id: string; name_key: string; sort_order: number | null },
    max: number,
  ): Promise<Folder | 'conflict' | 'limit reached'>;
  update(
    filter: OwnerFilter,
    id: string,
    changes: FolderChanges & { name_key?: string },
    now: string,
  ): Promise<Folder | 'not found' | 'conflict'>;
  /** Its notes lose their folder, or go to the trash. A large folder is emptied in several transactions before it is deleted. */
  remove(filter: OwnerFilter, id: string, how: { notes: 'keep' | 'trash'; now: string }): Promise<boolean>;
}

export type ImportedKind =
  | 'folders'
  | 'notes'
  | 'transcriptions'
  | 'recordings'
  | 'dictionary_words'
  | 'snippets';

/** Folders, words and triggers need none: they are the same by their name. */
export type Twin =
  | { kind: 'notes'; created_at: string; client_note_id: string }
  | { kind: 'transcriptions'; created_at: string; text: string }
  | { kind: 'recordings'; created_at: string; name: string; bytes: number };

export interface ImportStore {
  /** Undefined if nobody has such a row. Notes in the trash count. */
  ownerOf(kind: ImportedKind, id: string): Promise<string | undefined>;
  /**
   * The id of a record of this user that was made in the same millisecond and is the same by what it says: it was exported here
   * and comes back from another server, where it has another id. Notes in the trash do not count.
   */
  twinOf(userId: string, like: Twin): Promise<string | undefined>;
  /** Costs no minutes. */
  insertTranscription(record: ImportedTranscription): Promise<void>;
  /** Completes a recording that was begun like an upload. False if it is gone. */
  finishRecording(recording: Recording): Promise<boolean>;
}

/** Earlier texts of notes that are not in the trash. Those kept before `notBefore` are not shown. */
export interface RevisionStore {
  /** The last replaced first. Undefined if there is no such note. */
  list(filter: OwnerFilter, noteId: string, notBefore: string): Promise<ListedRevision[] | undefined>;
  get(filter: OwnerFilter, noteId: string, id: string, notBefore: string): Promise<Revision | undefined>;
  removeOlder(than: string): Promise<void>;
}

export type LoggedEvent = LoggedChange &
  ChangePosition &
  Pick<ChangeEvent, 'revision' | 'session' | 'by'> & { owner_id: string };

/** What was created, updated and deleted. A later read finds the same rows, with new ones only after them. */
export interface ChangeStore {
  /** The owners that the filter reaches now: people and spaces. */
  ownersIn(filter: OwnerFilter): Promise<string[]>;
  /** Like `read`, of several owners in one order, with what is known of each note now. */
  readEvents(ownerIds: readonly string[], after: ChangePosition, limit: number): Promise<LoggedEvent[]>;
  read(ownerId: string, after: ChangePosition, limit: number): Promise<(LoggedChange & ChangePosition)[]>;
  /**
   * A mark of what the owner has now. Any change, in any process, gives another mark. Undefined if nobody can tell, because a
   * change may be uncommitted or the last one is forgotten.
   */
  mark(ownerId: string): Promise<string | undefined>;
  /** Where all changes end now. Everything committed later comes after this place. */
  end(): Promise<ChangePosition>;
  /** Deletes everybody's changes that were committed before this time, give or take a day. */
  forget(before: string, now: string): Promise<void>;
  /** Everything up to this place may have been deleted; undefined if nothing was. */
  forgotten(): Promise<(ChangePosition & { at: string }) | undefined>;
  /**
   * Begins a new timeline: cursors of the old one are refused. Without `always`, only if the database was moved to a
   * PostgreSQL server whose transactions have smaller numbers.
   */
  startOver(options: { always: boolean }): Promise<void>;
}

/** Deleted notes. No other function finds them. */
export interface TrashStore {
  /** The last deleted first. */
  list(ownerId: string, page: PageQuery): Promise<TrashedNote[]>;
  restore(filter: OwnerFilter, id: string, now: string): Promise<Note | undefined>;
  /** Deletes the note, its transcript and its transcription for good. */
  purge(filter: OwnerFilter, id: string): Promise<boolean>;
  empty(ownerId: string): Promise<void>;
  /** Everybody's notes that were deleted before this time. */
  purgeOlder(than: string): Promise<void>;
}
