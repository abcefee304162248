import { z } from 'zod';
import { id, idInput, instant, spaceId, text, timestamp } from '../../kernel/schemas.ts';

export const maxQuestionLength = 2_000;
/** Of one person; the oldest goes when another begins. */
export const maxConversations = 100;
export const maxTurns = 50;

export const citation = z
  .object({
    number: z.int().describe('The mark in the answer: 2 for `[2]`.'),
    note_id: id,
    title: z.string().nullable(),
    field: z.enum(['content', 'enhanced_content', 'transcript']),
    seconds: z.number().nullable().describe('When it was said. Null for a text without times.'),
    quote: z.string().describe('The words of the note.'),
  })
  .meta({ id: 'Citation' });
export type Citation = z.infer<typeof citation>;

export const askedAnswer = z.object({
  found: z.boolean().describe('False: the notes do not say it, and `answer` says so.'),
  answer: z.string().describe('With marks such as `[2]`.'),
  citations: z.array(citation),
});
export type AskedAnswer = z.infer<typeof askedAnswer>;

export const finalAnswer = askedAnswer
  .extend({ conversation_id: z.uuid().nullable() })
  .meta({ id: 'Answer' });

export const turn = askedAnswer.extend({ question: z.string(), created_at: timestamp });
export type Turn = z.infer<typeof turn>;

export const conversation = z
  .object({
    id,
    space_id: id.nullable(),
    title: z.string().describe('The beginning of the first question.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof conversation>;

export const question = z.object({
  question: text(maxQuestionLength),
  folder_id: idInput.optional(),
  space_id: spaceId,
  since: instant.optional().describe('Notes created at this time or later.'),
  until: instant.optional().describe('Notes created before this time.'),
  conversation_id: idInput
    .optional()
    .describe('For a question that follows another; `done` has it. Not with a workspace key.'),
});
export type Question = z.infer<typeof question>;
