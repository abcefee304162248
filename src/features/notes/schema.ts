import { z } from 'zod';
import {
  maxNotesPerChange,
  maxTitleLength,
  note,
  noteTypes,
  noteWithTranscript,
  preview,
} from '../../domain/note.ts';
import { idInput, instant, optionalBody, spaceId, text } from '../../kernel/schemas.ts';
import { changesOfTags, namesTagsOnce, tagFields, tagFieldsOfMany, tagsTwice } from '../tags/schema.ts';

export const shownNote = note.meta({ id: 'Note' });
export const shownNoteWithTranscript = noteWithTranscript
  .extend({ preview })
  .meta({ id: 'NoteWithTranscript' });
export const listedNote = note.extend({ preview }).meta({ id: 'ListedNote' });

/** Clients make up both names. */
const clientName = text(255);
const editInput = z
  .object({ session: clientName, seq: z.int().min(0) })
  .describe(
    'Your edit: a random name for each opening of the note, and a number that grows with each edit. The same edit again answers with the note and changes nothing. Text of another session is kept as a revision.',
  );
const fieldUpdate = z.enum(['set', 'clear']).exactOptional();
const title = z.string().max(maxTitleLength).nullable();
const enhancedContent = z.string().nullable();

export const noteDraft = z
  .object({
    content: z.string().describe('May be empty if there is a title.'),
    title: title.optional(),
    enhanced_content: enhancedContent.optional(),
    note_type: z.enum(noteTypes).default('personal'),
    folder_id: idInput.nullable().optional(),
    ...tagFields,
    space_id: spaceId,
    transcription_id: idInput
      .optional()
      .describe(
        'Id of one of your transcriptions. The note gets its transcript; its `note_id` names the note.',
      ),
    content_is_transcript: z
      .boolean()
      .optional()
      .describe(
        'With `transcription_id`: `content` is its text, and follows corrections until somebody changes it. An extension of this server.',
      ),
    client_note_id: clientName
      .optional()
      .describe('Your own id for the note. If it has made a note before, the answer is 200 with that note.'),
    edit: editInput.optional(),
  })
  .refine(({ content, title }) => content !== '' || Boolean(title), {
    path: ['content'],
    message: 'must not be empty unless there is a title',
  })
  .refine((body) => !body.content_is_transcript || body.transcription_id !== undefined, {
    path: ['content_is_transcript'],
    message: 'must come with transcription_id',
  })
  .refine(namesTagsOnce, tagsTwice);
export type NoteDraft = z.output<typeof noteDraft>;

export const changeOfMany = z
  .object({
    ids: z.array(idInput).min(1).max(maxNotesPerChange),
    deleted: z.boolean().optional().describe('true moves the notes to the trash, false takes them out.'),
    folder_id: idInput.nullable().optional().describe('null removes the notes from their folders.'),
    pinned: z.boolean().optional(),
    ...tagFieldsOfMany,
  })
  .transform(({ ids, deleted, folder_id, pinned, ...tagging }, context) => {
    const [change, ...more] = [
      ...(deleted === undefined ? [] : [{ deleted }]),
      ...(folder_id === undefined ? [] : [{ folder_id }]),
      ...(pinned === undefined ? [] : [{ pinned }]),
      ...changesOfTags(tagging).map((tags) => ({ tags })),
    ];
    if (change && more.length === 0) return { ids, change };
    context.addIssue(
      'must have exactly one of deleted, folder_id, pinned, tags, tag_ids, add_tags and remove_tags',
    );
    return z.NEVER;
  });

type FieldUpdates = Partial<Record<'content' | 'enhanced_content', 'set' | 'clear'>>;

/** `set` needs the text, and `clear` allows none. */
function checkFieldUpdates(
  body: { content?: string; enhanced_content?: string | null; field_updates?: FieldUpdates },
  context: z.RefinementCtx,
): void {
  for (const field of ['content', 'enhanced_content'] as const) {
    const update = body.field_updates?.[field];
    if (update === 'set' && typeof body[field] !== 'string')
      context.addIssue({ code: 'custom', path: [field], message: 'must be a string: field_updates sets it' });
    if (update === 'clear' && body[field])
      context.addIssue({
        code: 'custom',
        path: [field],
        message: 'must be left out: field_updates clears it',
      });
  }
}

/** What `clear` of `field_updates` means. */
export const clearedBy = ({ content, enhanced_content }: FieldUpdates) => ({
  ...(content === 'clear' ? { content: '' } : {}),
  ...(enhanced_content === 'clear' ? { enhanced_content: null } : {}),
});

export const noteChange = optionalBody(
  z
    .object({
      title: title.exactOptional(),
      content: z.string().exactOptional().describe('An empty text clears the note.'),
      enhanced_content: enhancedContent.exactOptional(),
      folder_id: idInput.nullable().exactOptional().describe('null removes the note from its folder.'),
      ...tagFields,
      pinned: z.boolean().exactOptional().describe('An extension of this server.'),
      space_id: spaceId.describe('No effect: a note stays in its space. Not allowed with a personal key.'),
      expected_updated_at: instant
        .exactOptional()
        .describe(
          'The `updated_at` that you last read. If the note has changed since, the answer is 409 and nothing changes.',
        ),
      base_revision: z
        .int()
        .exactOptional()
        .describe(
          'The `revision` that you last read. If the note has another, the answer is 409 with the note, and nothing changes.',
        ),
      edit: editInput.exactOptional(),
      field_updates: z
        .object({ content: fieldUpdate, enhanced_content: fieldUpdate })
        .exactOptional()
        .describe('What is meant to happen to a text: `set` it to the given one, or `clear` it.'),
    })
    .superRefine(checkFieldUpdates)
    .refine(namesTagsOnce, tagsTwice),
);
