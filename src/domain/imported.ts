import { createHash } from 'node:crypto';
import { z } from 'zod';
import { dictionaryEntry } from './dictionary.ts';
import { folder } from './folder.ts';
import { noteWithTranscript } from './note.ts';
import { snippet } from './snippet.ts';
import { transcription } from './transcription.ts';

/** What other servers of the contract leave out gets a default. */
export const importedFolder = folder.extend({
  is_default: z.boolean().default(false),
  space_id: z.string().nullable().default(null),
});
export const importedNote = noteWithTranscript.extend({
  pinned: z.boolean().default(false),
  transcript: z.string().nullable().default(null),
});
export const importedTranscription = transcription.extend({
  note_id: z.uuid().nullable().default(null),
  segments: transcription.shape.segments.default(null),
  reason: transcription.shape.reason.default(null),
});
export const importedWord = dictionaryEntry;
export const importedSnippet = snippet;

export type ImportedNote = z.infer<typeof importedNote>;

/** What an import reads; each list is read once, in this order. */
export interface ImportSource {
  folders(): AsyncIterable<z.infer<typeof importedFolder>>;
  /** `isKnown` spares a source the work of reading a note that is here already. */
  notes(isKnown: (id: string) => Promise<boolean>): AsyncIterable<ImportedNote>;
  transcriptions(): AsyncIterable<z.infer<typeof importedTranscription>>;
  dictionary(): AsyncIterable<z.infer<typeof importedWord>>;
  snippets(): AsyncIterable<z.infer<typeof importedSnippet>>;
}

/** The same for the same owner and text, so that a repeated import makes nothing twice. */
export function idFor(ownerId: string, text: string): string {
  const hex = createHash('sha256').update(`${ownerId}\n${text}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
