import { AppError, notFound } from '../domain/errors.ts';
import { idFor } from '../domain/imported.ts';
import {
  type ChangedNote,
  type ChangeOfMany,
  type Edit,
  type FoundNotes,
  maxSpeakersListed,
  type Note,
  type NoteChanges,
  type NotePart,
  type NoteSort,
  type NoteWithTranscript,
  type StoredNote,
  unedited,
  writerOf,
} from '../domain/note.ts';
import { checkSpaceId, ownedBy, reachOf } from '../domain/owner.ts';
import { type ListName, type Page, pageQuery, toPage } from '../domain/page.ts';
import type { Plans } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { revisionLimits } from '../domain/revision.ts';
import { readTranscript, type Transcript } from '../domain/transcript.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { NoteListQuery } from '../ports/note-store.ts';
import type { Store } from '../ports/store.ts';
import { ownerOf } from './owners.ts';

export interface NoteDraft {
  content: string;
  content_is_transcript?: boolean | undefined;
  title?: string | null | undefined;
  enhanced_content?: string | null | undefined;
  note_type: Note['note_type'];
  folder_id?: string | null | undefined;
  space_id?: string | undefined;
  transcription_id?: string | undefined;
  client_note_id?: string | undefined;
  edit?: Edit | undefined;
}

/** How a note is changed: as which edit, and what the client has read. */
interface NoteCondition {
  edit?: Edit;
  base_revision?: number;
  expected_updated_at?: string;
  /** The revisions that `If-Match` names. */
  ifMatch?: readonly number[] | undefined;
  space_id?: string | undefined;
}

export interface ListNotesOptions {
  limit: number;
  cursor?: string | undefined;
  folder_id?: string | undefined;
  space_id?: string | undefined;
  note_type?: Note['note_type'] | undefined;
  since?: string | undefined;
  until?: string | undefined;
  sort?: NoteSort;
  pinned?: 'first' | undefined;
}

export interface SearchNotesOptions {
  query: string;
  limit: number;
  highlights: boolean;
  space_id?: string | undefined;
  folder_id?: string | undefined;
  note_type?: Note['note_type'] | undefined;
  since?: string | undefined;
  until?: string | undefined;
  voice?: boolean | undefined;
  speaker?: string | undefined;
}

export type Notes = ReturnType<typeof createNotes>;

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  plans: Plans;
}

export function createNotes({ store, clock, newId, plans }: Dependencies) {
  const now = () => new Date(clock()).toISOString();

  /** The transcript that a note gets from a transcription. Transcriptions are personal, so workspace keys have none. */
  async function transcriptFor(principal: Principal, transcriptionId: string | undefined) {
    if (transcriptionId === undefined) return null;
    const record =
      principal.kind === 'workspace'
        ? undefined
        : await store.transcriptions.get(ownedBy(principal.userId), transcriptionId);
    if (!record) throw unknownTranscription();
    return record.segments ? JSON.stringify(record.segments) : record.text;
  }

  /** Raises `conflict` for a note in the trash: it cannot be written to, and a second one would be a double. */
  async function madeBefore(ownerId: string, clientId: string) {
    const note = await store.notes.findByClientId(ownerId, clientId);
    if (note?.deleted_at)
      throw new AppError(
        'conflict',
        'The note with this client_note_id is in the trash. Restore it, or use another client_note_id.',
      );
    return note && { ...note, isNew: false };
  }

  /** The note that a draft becomes, or the one that it has made before. Raises what `create` raises, but nothing of the folder. */
  async function prepare(
    principal: Principal,
    draft: NoteDraft,
  ): Promise<{ note: StoredNote } | { known: Note & { isNew: boolean } }> {
    const { ownerId, spaceId } = await ownerOf(store.spaces, principal, draft.space_id);
    const clientId = clientIdOf(ownerId, draft);
    const known = clientId === undefined ? undefined : await madeBefore(ownerId, clientId);
    if (known) return { known };
    const transcript = await transcriptFor(principal, draft.transcription_id);
    const createdAt = now();
    const id = newId();
    const note: StoredNote = {
      ...unedited,
      ...writerOf(principal, draft.edit),
      edited_at: createdAt,
      id,
      user_id: principal.userId,
      client_note_id: clientId ?? id,
      title: draft.title ?? null,
      content: draft.content,
      content_is_transcript: draft.content_is_transcript ?? false,
      enhanced_content: draft.enhanced_content ?? null,
      note_type: draft.note_type,
      folder_id: draft.folder_id ?? null,
      pinned: false,
      participants: null,
      calendar_event_id: null,
      transcript,
      created_at: createdAt,
      updated_at: createdAt,
      owner_id: ownerId,
      space_id: spaceId,
      other_edit: null,
    };
    return { note };
  }

  async function listed<Part extends NotePart>(
    principal: Principal,
    options: ListNotesOptions,
    read: (ownerId: string, query: NoteListQuery) => Promise<Part[]>,
  ): Promise<Page<Part>> {
    const { folder_id: folderId, note_type: noteType, since, until, sort = 'created' } = options;
    const { ownerId } = await ownerOf(store.spaces, principal, options.space_id);
    const pinnedFirst = options.pinned === 'first';
    const list = listName(sort, pinnedFirst);
    const query = { ...pageQuery(list, options), folderId, noteType, since, until, sort, pinnedFirst };
    return toPage(list, await read(ownerId, query), options.limit, (note) => ({
      at: sort === 'created' ? note.created_at : note.updated_at,
      pinned: pinnedFirst ? note.pinned : undefined,
    }));
  }

  return {
    /**
     * Whose notes and folders a list reads, and a mark that is different after every change. Undefined if that cannot be told.
     * Raises what `list` raises for a space.
     */
    async state(principal: Principal, spaceId: string | undefined) {
      const { ownerId } = await ownerOf(store.spaces, principal, spaceId);
      const mark = await store.changes.mark(ownerId);
      return mark === undefined ? undefined : { ownerId, mark };
    },

    /** Raises `validation_error` for a bad cursor or space_id, and `not_found` for a space of another workspace. */
    list: (principal: Principal, options: ListNotesOptions): Promise<Page<Note>> =>
      listed(principal, options, store.notes.list),

    /** The same list with these fields alone; what is not asked for is not read. */
    listParts: (
      principal: Principal,
      options: ListNotesOptions,
      fields: ReadonlySet<string>,
    ): Promise<Page<NotePart>> =>
      listed(principal, options, (ownerId, query) => store.notes.listParts(ownerId, query, fields)),

    /** Raises `not_found`. */
    async get(principal: Principal, id: string): Promise<NoteWithTranscript> {
      return found(await store.notes.get(reachOf(principal), id));
    },

    prepare,
    madeBefore,

    /**
     * Makes a note, or returns the one that this `client_note_id` or edit has made before (`isNew` is false). Raises
     * `validation_error` for a folder or transcription of another owner, and `conflict` for a transcription that already has a
     * note and for a `client_note_id` whose note is in the trash.
     */
    async create(principal: Principal, draft: NoteDraft): Promise<Note & { isNew: boolean }> {
      const prepared = await prepare(principal, draft);
      if ('known' in prepared) return prepared.known;
      const { note } = prepared;
      const stored = await store.notes.insert(note, draft.transcription_id);
      if (stored === 'ok') return { ...note, isNew: true };
      if (stored !== 'known') throw refusedInsert(stored);
      // Sent twice at the same moment, and the other one was first.
      const made = await madeBefore(note.owner_id, note.client_note_id);
      if (made) return made;
      throw new AppError('service_unavailable', 'Send the request again.', { retryAfterSeconds: 1 });
    },

    /**
     * Changes the given fields. Raises `not_found`, `validation_error` for a folder of another owner, and `conflict` if the note
     * has changed since it was read; with `base_revision` it is `note_version_conflict`, which shows the note.
     */
    async update(
      principal: Principal,
      id: string,
      {
        edit,
        base_revision: revision,
        expected_updated_at: updatedAt,
        ifMatch: revisions,
        space_id,
        ...changes
      }: NoteChanges & NoteCondition,
    ): Promise<Note> {
      // A note stays in its space, so with a workspace key any `space_id` is accepted here.
      if (principal.kind !== 'workspace') checkSpaceId(principal, space_id);
      const note = await store.notes.update(reachOf(principal), id, changes, now(), {
        by: writerOf(principal, edit),
        limits: revisionLimits(newId(), plans[principal.plan], clock()),
        expected: { revision, updatedAt, revisions },
      });
      if (note === 'not found') throw notFound('Note');
      if (note === 'unknown folder') throw unknownFolder();
      if (!('changedSince' in note)) return note;
      const message = 'The note has changed since you read it. Read it again, then change it.';
      if (revision === undefined) throw new AppError('conflict', message);
      throw new AppError('note_version_conflict', message, { data: note.changedSince });
    },

    /** A soft delete: the row stays, but no call finds it. Raises `not_found`, even for a deleted note. */
    async remove(principal: Principal, id: string): Promise<void> {
      if (!(await store.notes.softDelete(reachOf(principal), id, now()))) throw notFound('Note');
    },

    /**
     * Changes all of these notes or, if it raises, none. Returns the notes that are now as asked, without those that
     * somebody has deleted meanwhile. Raises `validation_error` for a folder of another owner.
     */
    async changeMany(
      principal: Principal,
      ids: readonly string[],
      change: ChangeOfMany,
    ): Promise<ChangedNote[]> {
      const changed = await store.manyNotes.change(reachOf(principal), ids, change, now());
      if (changed === 'unknown folder') throw unknownFolder();
      return changed;
    },

    /**
     * The best match first. A query without a word finds nothing. Raises `validation_error` for a folder that is not the owner's,
     * and `service_unavailable` when too many searches wait. A search whose client has left is dropped.
     */
    async search(
      principal: Principal,
      options: SearchNotesOptions,
      client?: AbortSignal,
    ): Promise<FoundNotes> {
      const { ownerId } = await ownerOf(store.spaces, principal, options.space_id);
      const { query, limit, highlights, folder_id: folderId, note_type: noteType, ...others } = options;
      const { since, until, voice, speaker } = others;
      const folders = folderId === undefined ? [] : await store.folders.list(ownerId);
      if (folderId !== undefined && !folders.some(({ id }) => id === folderId)) throw unknownFolder();
      const filter = { folderId, noteType, since, until, voice, speaker };
      return store.notes.search(ownerId, { query, limit, filter, highlights }, client);
    },

    /** Who speaks in the transcripts of the notes, in order. Raises what `search` raises. */
    async speakers(
      principal: Principal,
      spaceId: string | undefined,
      client?: AbortSignal,
    ): Promise<string[]> {
      const { ownerId } = await ownerOf(store.spaces, principal, spaceId);
      return store.notes.speakers(ownerId, maxSpeakersListed, client);
    },

    /** Raises `not_found`, and `no_transcript` for a note without one. */
    async transcript(principal: Principal, id: string): Promise<Transcript & { note_id: string }> {
      const { transcript } = found(await store.notes.get(reachOf(principal), id));
      if (transcript === null) throw new AppError('no_transcript', 'This note has no transcript.');
      return { note_id: id, ...readTranscript(transcript) };
    },
  };
}

/** An edit without a `client_note_id` makes one note too. */
const clientIdOf = (ownerId: string, { client_note_id, edit }: NoteDraft) =>
  client_note_id ?? (edit && idFor(ownerId, `edit ${edit.session} ${edit.seq}`));

function listName(sort: NoteSort, pinnedFirst: boolean): ListName {
  if (sort === 'created') return pinnedFirst ? 'notes, pinned first' : 'notes';
  return pinnedFirst ? 'notes by change, pinned first' : 'notes by change';
}

export function refusedInsert(
  outcome: 'unknown folder' | 'unknown transcription' | 'linked already',
): AppError {
  switch (outcome) {
    case 'unknown folder':
      return unknownFolder();
    case 'unknown transcription':
      return unknownTranscription();
    case 'linked already':
      return new AppError('conflict', 'This transcription already has a note; delete that note first.');
  }
}

const unknownTranscription = () =>
  new AppError('validation_error', 'transcription_id must be the id of one of your transcriptions.');
export const unknownFolder = () =>
  new AppError('validation_error', 'folder_id must be the id of one of your folders.');

function found<Item>(item: Item | undefined): Item {
  if (item === undefined) throw notFound('Note');
  return item;
}
