import { createHash } from 'node:crypto';
import { z } from 'zod';
import { dictionaryEntry, maxWordLength } from '../features/dictionary/schema.ts';
import { maxReplacementLength, maxTriggerLength, snippet } from '../features/snippets/schema.ts';
import { maxTagNameLength, maxTagsPerNote } from '../features/tags/schema.ts';
import { characterCount, isOneLine, sameTextKey } from '../lib/text.ts';
import { timestamp } from './fields.ts';
import { folder, maxFolderNameLength } from './folder.ts';
import { maxTitleLength, note, noteWithTranscript } from './note.ts';
import { isMediaType, maxRecordingNameLength, recording, recordingStates } from './recording.ts';
import { segment } from './transcript.ts';
import { maxPromptLength, transcription } from './transcription.ts';

/** The form in which ids are stored. */
const id = z.uuid().toLowerCase();

/** Other programs give these; nothing in Steno needs more. */
const maxLabelLength = 200;
const maxListLength = 10_000;
/** An index entry of PostgreSQL has at most 2,704 bytes. */
const maxKeyLength = 600;
/** As much as a request can bring (`maxJsonBytes`). */
const maxTextLength = 1_048_576;
/** With the times of all words, ten hours have about 7 million. */
const maxTranscriptLength = 10_000_000;

const text = (max: number) =>
  z
    .string()
    .refine((value) => value.length <= max || (value.length <= 2 * max && characterCount(value) <= max), {
      error: `must have at most ${max} characters`,
      abort: true,
    });
const count = z.int().min(0);

/** A change sets a time a millisecond after the one before: in the year 9999 it would have five digits and sort as an early one. */
export const lastImportedYear = 2199;
const time = timestamp.refine((value) => Number(value.slice(0, 4)) <= lastImportedYear, {
  error: `must be a time before the year ${lastImportedYear + 1}`,
});
const times = { created_at: time, updated_at: time };
/** The column has 32 bits, and each change adds one. */
const maxImportedRevision = 1_000_000_000;

/** The rules of `label` in a request. */
const label = (max: number) =>
  text(max).refine((value) => sameTextKey(value) !== '' && isOneLine(value), {
    error: 'must be one line with a visible character',
  });

const maxWordsPerSegment = 20_000;
const boundedSegment = segment.extend({ words: z.array(z.unknown()).max(maxWordsPerSegment) }).pipe(segment);

/** As JSON, because they are stored so: ten hours have 100,000 objects. Stops at the first that is wrong. */
function toStoredSegments(given: unknown[] | null, context: z.RefinementCtx): string | null {
  if (given === null) return null;
  const stored: string[] = [];
  for (const one of given) {
    const { data } = boundedSegment.safeParse(one);
    if (data === undefined) {
      context.addIssue(`must be segments; number ${stored.length + 1} is none`);
      return z.NEVER;
    }
    stored.push(JSON.stringify(data));
  }
  return `[${stored.join(',')}]`;
}

/** Fields that other servers of the contract leave out get a default. Each limit is the limit of the route for such a record. */
export const importedFolder = folder.extend({
  id,
  ...times,
  name: label(maxFolderNameLength),
  sort_order: z.int32(),
  is_default: z.boolean().default(false),
  space_id: z.string().nullable().default(null),
});
/** A tag is the same by its name. */
export const importedTag = z.object({ name: label(maxTagNameLength), created_at: time });
export const importedNote = noteWithTranscript.extend({
  id,
  ...times,
  client_note_id: text(maxKeyLength),
  title: text(maxTitleLength).nullable(),
  content: text(maxTextLength),
  content_is_transcript: z.boolean().default(false),
  enhanced_content: text(maxTextLength).nullable(),
  enhancement_template_id: text(maxLabelLength).nullable().default(null),
  enhancement_prompt: text(maxPromptLength).nullable().default(null),
  enhanced_at_content_hash: text(maxLabelLength).nullable().default(null),
  folder_id: id.nullable(),
  tags: z
    .array(importedTag.pick({ name: true }))
    .max(maxTagsPerNote)
    .default([]),
  pinned: z.boolean().default(false),
  participants: text(maxListLength).nullable(),
  calendar_event_id: text(maxListLength).nullable(),
  transcript: text(maxTranscriptLength).nullable().default(null),
  revision: z.int32().min(1).max(maxImportedRevision).default(1),
  edit: note.shape.edit.default(null),
  edited_by: note.shape.edited_by.default(null),
  edited_with: text(maxLabelLength).nullable().default(null),
  edited_at: time.nullable().default(null),
});
export const importedTranscription = transcription.extend({
  id,
  created_at: time,
  note_id: id.nullable().default(null),
  text: text(maxTextLength),
  word_count: z.int32().min(0),
  source: text(maxLabelLength),
  provider: text(maxLabelLength).nullable(),
  model: text(maxLabelLength).nullable(),
  language: text(maxLabelLength).nullable(),
  audio_duration_ms: count.nullable(),
  processing_ms: count.nullable(),
  segments: z.array(z.unknown()).nullable().default(null).transform(toStoredSegments),
  reason: transcription.shape.reason.default(null),
});
export const importedRecording = recording.extend({
  id,
  ...times,
  transcription_id: id.nullable(),
  note_id: id.nullable(),
  name: label(maxRecordingNameLength),
  bytes: count,
  duration_ms: count.nullable(),
  error: text(maxListLength).nullable(),
  // Older exports do not say it.
  error_code: recording.shape.error_code.default(null),
  language: text(maxLabelLength).nullable(),
  prompt: text(maxPromptLength).nullable(),
  // Browsers get this as the Content-Type, so it must not be one that runs scripts.
  media_type: z.string().refine(isMediaType, 'must be the type of an audio file'),
  state: z.enum(recordingStates).exclude(['uploading']),
});
export const importedWord = dictionaryEntry.extend({ id, ...times, word: label(maxWordLength) });
export const importedSnippet = snippet.extend({
  id,
  ...times,
  trigger: label(maxTriggerLength),
  replacement: text(maxReplacementLength),
});

export type ImportedNote = z.infer<typeof importedNote>;
export type ImportedTranscription = z.infer<typeof importedTranscription>;

export type ImportedRecording = z.infer<typeof importedRecording> & {
  /** Its bytes; undefined if the source does not have them. */
  audio?: (() => AsyncIterable<Uint8Array>) | undefined;
};

/** What an import reads; each list can be read more than once. */
export interface ImportSource {
  folders(): AsyncIterable<z.infer<typeof importedFolder>>;
  tags(): AsyncIterable<z.infer<typeof importedTag>>;
  /** With `isKnown` a source can skip notes that are already here. */
  notes(isKnown: (id: string) => Promise<boolean>): AsyncIterable<ImportedNote>;
  transcriptions(): AsyncIterable<ImportedTranscription>;
  recordings(): AsyncIterable<ImportedRecording>;
  dictionary(): AsyncIterable<z.infer<typeof importedWord>>;
  snippets(): AsyncIterable<z.infer<typeof importedSnippet>>;
}

/** An uploaded export. */
export interface SentExport extends ImportSource {
  /** Reads all of it. Raises `validation_error`, `payload_too_large` and `limit_reached` (folders, tags). */
  check(): Promise<CheckedExport>;
  close(): Promise<unknown>;
}

export interface CheckedExport {
  /** By `sameTextKey`. */
  folderNames: string[];
  tagNames: string[];
  /** Those whose audio is in the export. */
  recordings: CheckedRecording[];
  /** Of all texts and audio. */
  bytes: number;
}

export type CheckedRecording = Pick<ImportedRecording, 'id' | 'created_at' | 'name' | 'bytes' | 'state'>;

/** The same owner and text always give the same id, so a repeated import creates nothing twice. */
export function idFor(ownerId: string, text: string): string {
  const hex = createHash('sha256').update(`${ownerId}\n${text}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
