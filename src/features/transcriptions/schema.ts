import { z } from 'zod';
import { maxSaidLength } from '../../domain/said.ts';
import {
  listedTranscription,
  maxCorrections,
  maxSegmentLength,
  maxSpeakerLength,
  maxSpeakers,
  transcription,
} from '../../domain/transcription.ts';
import { idInput, instant, label } from '../../kernel/schemas.ts';

export const shownTranscription = transcription.meta({ id: 'Transcription' });
export const shownListedTranscription = listedTranscription.meta({ id: 'ListedTranscription' });

export const transcriptionQuery = z.object({
  note_id: idInput.optional(),
  language: z
    .string()
    .toLowerCase()
    .optional()
    .describe('`en` also finds `en-US` and all others of its family.'),
  since: instant.optional().describe('Those made at this time or later; an extension of this server.'),
  until: instant.optional().describe('Those made before this time; an extension of this server.'),
  sort: z
    .enum(['newest', 'oldest'])
    .default('newest')
    .describe('Which come first; an extension of this server.'),
  include: z.literal('segments').optional(),
  q: label(maxSaidLength)
    .optional()
    .describe(
      'Only those in which each of these words was said. An extension of this server. Each request looks through a part of the list, so a page may have fewer items than `limit`, or none, and a `next_cursor`.',
    ),
  recorded: z
    .literal('false')
    .optional()
    .describe('`false` leaves out those of recordings; an extension of this server.'),
});

const speakerNames = z
  .record(z.string().max(maxSpeakerLength), label(maxSpeakerLength))
  .refine((names) => {
    const count = Object.keys(names).length;
    return count >= 1 && count <= maxSpeakers;
  }, `must name 1 to ${maxSpeakers} speakers`)
  .describe('The new name of each speaker, by the current one: `{"Speaker 1": "Interviewer"}`.');

const correction = z.object({
  position: z.int().min(0).describe('Which of the segments, from 0.'),
  expected_text: z
    .string()
    .describe('The text that you read; if it has changed since, nothing is changed (409).'),
  text: z
    .string()
    .max(maxSegmentLength)
    .exactOptional()
    .describe('What was really said. Words that stay keep their times. An empty text removes the segment.'),
  confirmed: z
    .boolean()
    .exactOptional()
    .describe('true: these are the words; none of them has a score any more.'),
  speaker: label(maxSpeakerLength)
    .exactOptional()
    .describe('Who says it: one of the speakers, or a new one.'),
});
export type Correction = z.infer<typeof correction>;

const corrections = z
  .array(correction)
  .min(1)
  .max(maxCorrections)
  .refine(
    (all) => new Set(all.map(({ position }) => position)).size === all.length,
    'must name each position once',
  );

export const transcriptionChanges = z
  .object({ segments: corrections.exactOptional(), speakers: speakerNames.exactOptional() })
  .refine(({ segments, speakers }) => segments !== undefined || speakers !== undefined, {
    message: 'must have segments, speakers or both',
  });
