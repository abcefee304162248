import { z } from 'zod';
import {
  listedRecording,
  maxRecordingNameLength,
  recording,
  recordingSettings,
} from '../../domain/recording.ts';
import { maxSaidLength } from '../../domain/said.ts';
import { maxSpeakers } from '../../domain/transcription.ts';
import { idInput, label } from '../../kernel/schemas.ts';
import { formSchema, uploadFields } from '../../platform/http/upload.ts';

export const shownRecording = recording.meta({ id: 'Recording' });
export const shownListedRecording = listedRecording.meta({ id: 'ListedRecording' });
export const shownRecordingWithTranscript = recording
  .extend({
    transcript: z
      .string()
      .nullable()
      .optional()
      .describe('Only with `include=transcript`: what was said. Null until the state is `done`.'),
  })
  .meta({ id: 'RecordingWithTranscript' });
export const shownSettings = recordingSettings.meta({ id: 'RecordingSettings' });

export const recordingQuery = z.object({
  note_id: idInput
    .optional()
    .describe(
      'Those of this note, for everybody who may read it. Without it: your own. Required with a workspace key.',
    ),
  include: z.literal('words').optional().describe('Adds how many words each has, and how they begin.'),
  q: label(maxSaidLength)
    .optional()
    .describe(
      'Only those in whose name or words each of these words is. An extension of this server. Each request looks through a part of the list, so a page may have fewer items than `limit`, or none, and a `next_cursor`.',
    ),
});

export const recordingChanges = z
  .object({
    name: label(maxRecordingNameLength).exactOptional(),
    keep_audio: z.boolean().exactOptional(),
    speakers: z
      .int()
      .min(1)
      .max(maxSpeakers)
      .nullable()
      .exactOptional()
      .describe('How many people speak, until its words are stored; null to find out.'),
  })
  .refine((changes) => Object.keys(changes).length > 0, {
    message: 'must have name, keep_audio or speakers',
  });

export const waveform = z.object({
  peaks: z
    .array(z.int().min(0).max(255))
    .describe('At most 1,000 parts of equal length, each from 0 to 255; none if it cannot be decoded.'),
});

const yesOrNo = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional();

export const fileName = label(maxRecordingNameLength);

/** As the console names it too. */
export const withoutEnding = (file: string) => file.replace(/(?<=.)\.[a-z0-9]{2,4}$/i, '');

/** What a caller may say of a recording: in the query, or in fields of the form. */
export const recordingFields = z.object({
  name: fileName
    .optional()
    .describe('By default the name of the file without its ending, or the first words that are said.'),
  ...uploadFields.shape,
  note: yesOrNo.describe('`true` makes a note of it.'),
  folder_id: idInput.optional().describe('The folder of that note.'),
  space_id: idInput
    .optional()
    .describe('The space of that note, for people who are signed in. Not allowed with a personal key.'),
  note_id: idInput
    .optional()
    .describe(
      'The note that it goes into, instead of a new one; needs `notes:write`. Its transcript goes on with it.',
    ),
  keep_audio: yesOrNo.describe(
    '`false` deletes the audio once its words are stored. The default is in your settings.',
  ),
});
export type RecordingDraft = z.output<typeof recordingFields>;

/** The form in OpenAPI. The same fields may stand in the query instead. */
export const recordingForm = formSchema({
  name: { type: 'string', maxLength: maxRecordingNameLength },
  language: { type: 'string' },
  prompt: { type: 'string' },
  speakers: { type: 'integer' },
  note: { type: 'boolean' },
  folder_id: { type: 'string' },
  space_id: { type: 'string' },
  note_id: { type: 'string' },
  keep_audio: { type: 'boolean' },
});
