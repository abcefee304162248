import type { StoredNote } from '../domain/note.ts';
import type { NoteStore } from './note-store.ts';

export type NoteOutcome = Awaited<ReturnType<NoteStore['insert']>>;

/** Each function is one write for all rows. `keep` says what a later request with the same Idempotency-Key needs. */
export interface BulkStore {
  /** One outcome for each note, as `notes.insert` has it. */
  insertNotes(
    rows: readonly { note: StoredNote; transcriptionId: string | undefined }[],
    keep: (outcomes: readonly NoteOutcome[]) => object,
  ): Promise<NoteOutcome[]>;
}
