import { z } from 'zod';
import type { AudioContainer } from './audio.ts';
import { errorCodes } from './errors.ts';
import { id, timestamp } from './fields.ts';

export const recordingStates = ['uploading', 'queued', 'transcribing', 'done', 'failed'] as const;

export const recording = z.object({
  id,
  user_id: z.string(),
  name: z.string(),
  media_type: z.string().describe('What the file is by its content, such as `audio/mpeg`.'),
  bytes: z.int().describe('Size of the file; while it is uploaded, what has arrived.'),
  duration_ms: z.int().nullable().describe('Null until it is measured.'),
  state: z.enum(recordingStates),
  progress: z.number().min(0).max(1).describe('The share that is transcribed.'),
  error: z.string().nullable().describe('Why it failed, and what to do.'),
  error_code: z
    .enum(errorCodes)
    .nullable()
    .describe(
      'Why it failed: after `validation_error` the same audio fails again, after others a retry may help.',
    ),
  language: z.string().nullable().describe('The language that the caller named.'),
  prompt: z.string().nullable(),
  transcription_id: id.nullable().describe('The words, once the state is `done`.'),
  note_id: id.nullable(),
  keep_audio: z.boolean().describe('Whether the audio is kept once its words are stored.'),
  has_audio: z.boolean().describe('Whether the audio can be played.'),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Recording = z.infer<typeof recording>;

export const recordingSettings = z.object({
  keep_audio: z
    .boolean()
    .describe(
      'Whether the audio of your recordings is kept once its words are stored, unless the upload says.',
    ),
  may_keep_audio: z.boolean().describe('Whether the operator allows audio to be kept.'),
  keep_audio_days: z.int().nullable().describe('Days after which audio is deleted; null: never.'),
});
export type RecordingSettings = z.infer<typeof recordingSettings>;

/** In a list with `include=words`. */
export const listedRecording = recording.extend({
  word_count: z.int().nullable().optional().describe('Only with `include=words`; null until it is `done`.'),
  beginning: z
    .string()
    .nullable()
    .optional()
    .describe('Only with `include=words`: the first words; null until it is `done`.'),
});
export type ListedRecording = z.infer<typeof listedRecording>;

/** What only the server needs to know. */
export const recordingWishes = z.object({
  /** A person named it; otherwise its first words become its name. */
  is_named: z.boolean(),
  speakers: z.int().nullable(),
  /** Whether it becomes a note, and where that note goes. */
  wants_note: z.boolean(),
  note_space_id: z.string().nullable(),
  note_folder_id: z.string().nullable(),
  /** The note that it goes into. */
  into_note_id: z.string().nullable(),
});
export type RecordingWishes = z.infer<typeof recordingWishes>;

/** Of a recording that is only to be kept. */
export const noWishes: RecordingWishes = {
  is_named: true,
  speakers: null,
  wants_note: false,
  note_space_id: null,
  note_folder_id: null,
  into_note_id: null,
};

export const maxRecordingNameLength = 200;

const mediaTypes: Readonly<Record<AudioContainer, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  mp4: 'audio/mp4',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  webm: 'audio/webm',
  aac: 'audio/aac',
  aiff: 'audio/aiff',
  caf: 'audio/x-caf',
};
export const isMediaType = (type: string) => Object.values(mediaTypes).includes(type);
/** The file extension of this type. */
export const endingOf = (mediaType: string) =>
  Object.entries(mediaTypes).find(([, type]) => type === mediaType)?.[0] ?? 'audio';
export const mediaTypeOf = (container: AudioContainer) => mediaTypes[container];
/** While too little of the file has arrived to recognise its type. */
export const unknownMediaType = 'application/octet-stream';

/** The final words of a chunk. */
export interface ChunkText {
  position: number;
  start_ms: number;
  end_ms: number;
  text: string;
}

/** What is being said in a recording that is not over; the next one, or the final words, replace it. */
export interface PartialTranscript {
  start_ms: number;
  text: string;
}

export const recordingLimitMs = (minutesPerMonth: number | null) =>
  minutesPerMonth === null ? Number.POSITIVE_INFINITY : minutesPerMonth * 60_000;
