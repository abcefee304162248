import { createHash } from 'node:crypto';
import { z } from 'zod';
import { characterCount } from '../lib/text.ts';
import { dictionaryEntry, maxWordLength } from './dictionary.ts';
import { AppError } from './errors.ts';
import { folder, maxFolderNameLength } from './folder.ts';
import { maxTitleLength, note, noteWithTranscript } from './note.ts';
import { isMediaType, maxRecordingNameLength, recording, recordingStates } from './recording.ts';
import { maxReplacementLength, maxTriggerLength, snippet } from './snippet.ts';
import { transcription } from './transcription.ts';

/** The form in which ids are stored. */
const id = z.uuid().toLowerCase();

/** Fields that other servers of the contract leave out get a default. */
export const importedFolder = folder.extend({
  id,
  sort_order: z.int32(),
  is_default: z.boolean().default(false),
  space_id: z.string().nullable().default(null),
});
export const importedNote = noteWithTranscript.extend({
  id,
  folder_id: id.nullable(),
  pinned: z.boolean().default(false),
  transcript: z.string().nullable().default(null),
  revision: note.shape.revision.default(1),
  edit: note.shape.edit.default(null),
  edited_by: note.shape.edited_by.default(null),
  edited_with: note.shape.edited_with.default(null),
  edited_at: note.shape.edited_at.default(null),
});
export const importedTranscription = transcription.extend({
  id,
  note_id: id.nullable().default(null),
  word_count: z.int32(),
  segments: transcription.shape.segments.default(null),
  reason: transcription.shape.reason.default(null),
});
export const importedRecording = recording.extend({
  id,
  transcription_id: id.nullable(),
  note_id: id.nullable(),
  name: z.string().max(maxRecordingNameLength),
  // Browsers get this as the Content-Type, so it must not be one that runs scripts.
  media_type: z.string().refine(isMediaType),
  state: z.enum(recordingStates).exclude(['uploading']),
});
export const importedWord = dictionaryEntry.extend({ id });
export const importedSnippet = snippet.extend({ id });

export type ImportedNote = z.infer<typeof importedNote>;

export type ImportedRecording = z.infer<typeof importedRecording> & {
  /** Its bytes; undefined if the source does not have them. */
  audio?: (() => AsyncIterable<Uint8Array>) | undefined;
};

const maxLengths: Record<string, number> = {
  name: maxFolderNameLength,
  title: maxTitleLength,
  word: maxWordLength,
  trigger: maxTriggerLength,
  replacement: maxReplacementLength,
};

/** Raises `validation_error` for a record that no other route would accept. */
export function checkLengths(record: object): void {
  for (const [field, value] of Object.entries(record)) {
    const max = maxLengths[field];
    if (max !== undefined && typeof value === 'string' && value.length > max && characterCount(value) > max)
      throw new AppError('validation_error', `The export has a ${field} of more than ${max} characters.`);
  }
}

/** What an import reads; each list can be read more than once. */
export interface ImportSource {
  folders(): AsyncIterable<z.infer<typeof importedFolder>>;
  /** With `isKnown` a source can skip notes that are already here. */
  notes(isKnown: (id: string) => Promise<boolean>): AsyncIterable<ImportedNote>;
  transcriptions(): AsyncIterable<z.infer<typeof importedTranscription>>;
  recordings(): AsyncIterable<ImportedRecording>;
  dictionary(): AsyncIterable<z.infer<typeof importedWord>>;
  snippets(): AsyncIterable<z.infer<typeof importedSnippet>>;
}

/** The same owner and text always give the same id, so a repeated import creates nothing twice. */
export function idFor(ownerId: string, text: string): string {
  const hex = createHash('sha256').update(`${ownerId}\n${text}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
