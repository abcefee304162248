import type { Folder } from '../../../domain/folder.ts';
import type { ImportedTranscription } from '../../../domain/imported.ts';
import type { NoteWithTranscript, StoredNote } from '../../../domain/note.ts';
import type { OwnerFilter } from '../../../domain/owner.ts';
import type { PageQuery } from '../../../domain/page.ts';
import type { Recording } from '../../../domain/recording.ts';

export interface NoteStore {
  get(filter: OwnerFilter, id: string): Promise<NoteWithTranscript | undefined>;
  /** Where the note is. */
  place(filter: OwnerFilter, id: string): Promise<Pick<StoredNote, 'space_id' | 'folder_id'> | undefined>;
  /** With transcripts, newest first. */
  listWhole(ownerId: string, page: PageQuery): Promise<NoteWithTranscript[]>;
}

export interface FolderStore {
  list(ownerId: string): Promise<Folder[]>;
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
