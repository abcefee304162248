import { z } from 'zod';
import { id, timestamp } from './fields.ts';

export const noteTypes = ['personal', 'meeting', 'upload'] as const;

/** A note as the API shows it. Its columns in the database have the same names. */
export const note = z.object({
  id,
  user_id: z.string(),
  client_note_id: z.string(),
  title: z.string().nullable(),
  content: z.string(),
  enhanced_content: z.string().nullable(),
  note_type: z.enum(noteTypes),
  folder_id: id.nullable(),
  pinned: z.boolean(),
  participants: z.string().nullable(),
  calendar_event_id: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Note = z.infer<typeof note>;

export const noteWithTranscript = note.extend({
  transcript: z.string().nullable().describe('Plain text, or a JSON array of segments.'),
});
export type NoteWithTranscript = z.infer<typeof noteWithTranscript>;

export const trashedNote = note.extend({ deleted_at: timestamp });
export type TrashedNote = z.infer<typeof trashedNote>;

/** A note as it is stored, with its owner. */
export const storedNote = noteWithTranscript.extend({ owner_id: id, space_id: id.nullable() });
export type StoredNote = z.infer<typeof storedNote>;

export const highlight = z.object({
  field: z.enum(['title', 'content', 'enhanced_content', 'transcript']),
  text: z.string().describe('An excerpt of the field.'),
  marks: z
    .array(z.object({ start: z.int(), end: z.int() }))
    .describe('Where the words of the query are in `text`, in UTF-16 code units.'),
  seconds: z.number().nullable().describe('When the first of them is said, in a transcript with times.'),
});
export type Highlight = z.infer<typeof highlight>;

export const foundNote = note.extend({
  score: z.number().min(0).max(1).describe('How well the note matches. The best match has 1.'),
  highlights: z.array(highlight).optional().describe('When `highlights` was asked for.'),
});
export type FoundNote = z.infer<typeof foundNote>;

/** Which notes a list or search covers; by default all of the owner's. */
export interface NoteFilter {
  folderId?: string | undefined;
  noteType?: Note['note_type'] | undefined;
  /** Created at this time or later. */
  since?: string | undefined;
  /** Created before this time. */
  until?: string | undefined;
}

/** By the time of creation, or of the last change. */
export const noteSorts = ['created', 'updated'] as const;
export type NoteSort = (typeof noteSorts)[number];

/** `more`: there are more than `total`. `complete` is false if time ran out or notes are still being indexed. */
export interface FoundNotes {
  data: FoundNote[];
  total: number;
  more: boolean;
  complete: boolean;
}

export const maxTotal = 1_000;

/** What its owner may change. */
export type NoteChanges = Partial<
  Pick<Note, 'title' | 'content' | 'enhanced_content' | 'folder_id' | 'pinned'>
>;

/** What one request can change on many notes: trash, folder or pin. */
export type ChangeOfMany =
  | { readonly deleted: boolean }
  | { readonly folder_id: string | null }
  | { readonly pinned: boolean };
/** One of many notes, after the change. */
export const changedNote = note.pick({ id: true, updated_at: true });
export type ChangedNote = z.infer<typeof changedNote>;
/** As many as deleting a folder changes in one write. */
export const maxNotesPerChange = 500;

export const maxTitleLength = 500;
export const maxQueryLength = 500;

/** The time of a change: now, or a millisecond after the previous change if the clock has not moved on. */
export const laterThan = (before: string, now: string) =>
  now > before ? now : new Date(Date.parse(before) + 1).toISOString();
