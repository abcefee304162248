import type { Folder } from '../../../domain/folder.ts';
import type { NoteWithTranscript, StoredNote } from '../../../domain/note.ts';
import type { OwnerFilter } from '../../../domain/owner.ts';
import type { PageQuery } from '../../../domain/page.ts';

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
