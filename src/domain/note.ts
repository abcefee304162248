import { z } from 'zod';
import { type ChangeOfTags, type NoteTag, noteTag } from '../features/tags/schema.ts';
import { id, timestamp } from './fields.ts';
import type { Principal } from './principal.ts';

export const noteTypes = ['personal', 'meeting', 'upload'] as const;

/** One edit: a random name for each opening of the note, and a number that grows with each edit. */
export const edit = z.object({ session: z.string(), seq: z.int() });
export type Edit = z.infer<typeof edit>;

/** A note as the API shows it. Its columns in the database have the same names. */
export const note = z.object({
  id,
  user_id: z.string(),
  client_note_id: z.string(),
  title: z.string().nullable(),
  content: z.string(),
  content_is_transcript: z
    .boolean()
    .describe(
      'Whether `content` is still the text of the transcript. It follows corrections until a person changes it.',
    ),
  enhanced_content: z.string().nullable(),
  enhancement_template_id: z
    .string()
    .nullable()
    .describe('The action that wrote `enhanced_content`: a UUID, or the name of a built-in one.'),
  enhancement_prompt: z.string().nullable().describe('What the language model was asked to write.'),
  enhanced_at_content_hash: z
    .string()
    .nullable()
    .describe(
      'SHA-256 of the `content` that it was written from. Another one now: it is from an earlier text.',
    ),
  note_type: z.enum(noteTypes),
  folder_id: id.nullable(),
  tags: z.array(noteTag).describe('By their names. An extension of this server.'),
  pinned: z.boolean(),
  participants: z.string().nullable(),
  calendar_event_id: z.string().nullable(),
  revision: z.int().describe('Grows by one with each change of text, title, folder, tags or pin.'),
  edit: edit.nullable().describe('The edit that wrote the text, if its client named one.'),
  edited_by: id.nullable().describe('Id of the user who wrote the text last.'),
  edited_with: z.string().nullable().describe('The name of their key, if a program wrote it.'),
  edited_at: timestamp.nullable().describe('When the text was written.'),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Note = z.infer<typeof note>;

export const noteWithTranscript = note.extend({
  transcript: z.string().nullable().describe('Plain text, or a JSON array of segments.'),
});
export type NoteWithTranscript = z.infer<typeof noteWithTranscript>;

/** Only there when it is asked for. */
export const preview = z
  .string()
  .optional()
  .describe('How the text begins, in one plain line of up to 200 letters. Only if `fields` names it.');
/** Some fields of a note, and always those that give its place in a list. */
export type NotePart = Partial<Note> &
  Pick<Note, 'id' | 'pinned' | 'created_at' | 'updated_at'> & { preview?: string };

export const trashedNote = note.extend({ deleted_at: timestamp });

/** A note as it is stored, with its owner. */
export const storedNote = noteWithTranscript.extend({
  owner_id: id,
  space_id: id.nullable(),
  other_edit: edit.nullable().describe('The last edit that changed something else than the text.'),
});
export type StoredNote = z.infer<typeof storedNote>;

/** The fields of a note before its first edit. */
export const unedited = {
  content_is_transcript: false,
  tags: [] as NoteTag[],
  revision: 1,
  edit: null,
  edited_by: null,
  edited_with: null,
  edited_at: null,
  other_edit: null,
  enhancement_template_id: null,
  enhancement_prompt: null,
  enhanced_at_content_hash: null,
} as const satisfies Partial<StoredNote>;

/** A new note of an owner. */
export const newNote = (
  given: Pick<StoredNote, 'id' | 'owner_id' | 'user_id' | 'content' | 'created_at'> & Partial<StoredNote>,
): StoredNote => ({
  ...unedited,
  client_note_id: given.id,
  space_id: null,
  title: null,
  enhanced_content: null,
  note_type: 'personal',
  folder_id: null,
  pinned: false,
  participants: null,
  calendar_event_id: null,
  transcript: null,
  updated_at: given.created_at,
  ...given,
});

/** Who writes, and as which edit. Without one the call is a session of its own. */
export type Writer = Pick<Note, 'edit'> & { edited_by: string; edited_with: string | null };

export const writerOf = ({ userId, key }: Principal, edit: Edit | null = null): Writer => ({
  edit,
  edited_by: userId,
  edited_with: key?.name ?? null,
});

/** What a client last read of the note that it changes. Any that is given must still be true. */
export interface Expectation {
  readonly revision?: number | undefined;
  readonly updatedAt?: string | undefined;
  /** Of `If-Match`: one of them must be the current one. */
  readonly revisions?: readonly number[] | undefined;
}

export const isAsExpected = (note: Note, { revision, updatedAt, revisions }: Expectation) =>
  (revision === undefined || revision === note.revision) &&
  (updatedAt === undefined || updatedAt === note.updated_at) &&
  (revisions === undefined || revisions.includes(note.revision));

/** Whether an edit has been carried out: it wrote the text, or was the last to change something else. */
export const isCarriedOut = ({ session, seq }: Edit, ...known: (Edit | null)[]) =>
  known.some((one) => one?.session === session && one.seq === seq);

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
  tagId?: string | undefined;
  noteType?: Note['note_type'] | undefined;
  /** Created at this time or later. */
  since?: string | undefined;
  /** Created before this time. */
  until?: string | undefined;
}

/** Which notes a search covers. */
export interface SearchFilter extends NoteFilter {
  /** Those with a transcript, or those without one. */
  voice?: boolean | undefined;
  /** One of the speakers has this name; case and accents do not matter. */
  speaker?: string | undefined;
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

/** What its owner may change. Only a restored revision says what its text was. */
export type NoteChanges = Partial<
  Pick<
    Note,
    | 'title'
    | 'content'
    | 'content_is_transcript'
    | 'enhanced_content'
    | 'enhancement_template_id'
    | 'enhancement_prompt'
    | 'enhanced_at_content_hash'
    | 'folder_id'
    | 'tags'
    | 'pinned'
  >
>;

/** What one request can change on many notes: trash, folder, pin or tags. */
export type ChangeOfMany =
  | { readonly deleted: boolean }
  | { readonly folder_id: string | null }
  | { readonly pinned: boolean }
  | { readonly tags: ChangeOfTags };
/** One of many notes, after the change. */
export const changedNote = note.pick({ id: true, updated_at: true });
export type ChangedNote = z.infer<typeof changedNote>;
/** As many as deleting a folder changes in one write. */
export const maxNotesPerChange = 500;

export const maxTitleLength = 500;
export const maxQueryLength = 500;
export const maxSpeakersListed = 500;

/** Only the changes that make a difference. */
export const realChanges = (note: Note, changes: NoteChanges): NoteChanges =>
  Object.fromEntries(
    Object.entries(changes).filter(([field, value]) => !isSame(value, note[field as keyof NoteChanges])),
  );

/** Tags are always in the order of their names. */
const isSame = (value: unknown, before: unknown) =>
  value === before || (Array.isArray(value) && JSON.stringify(value) === JSON.stringify(before));

/** The time of a change: now, or a millisecond after the previous change if the clock has not moved on. */
export const laterThan = (before: string, now: string) =>
  now > before ? now : new Date(Date.parse(before) + 1).toISOString();
