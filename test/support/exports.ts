import { randomUUID } from 'node:crypto';
import { audioPath, exportFormat } from '../../src/domain/export.ts';
import type { Note, NoteWithTranscript } from '../../src/domain/note.ts';
import type { Recording } from '../../src/domain/recording.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { zipOf } from '../../src/lib/zip.ts';
import { at } from './rows.ts';

/** What makes a zip an export. */
export const ours = { 'manifest.json': JSON.stringify(exportFormat) };

type Content = string | Uint8Array | Iterable<string>;

/** A zip with these files; bytes are stored as they are, like audio. */
export async function zipped(files: Record<string, Content>): Promise<Buffer> {
  async function* bytesOf(content: Uint8Array) {
    yield content;
  }
  async function* entries() {
    for (const [path, content] of Object.entries(files))
      if (content instanceof Uint8Array) yield { path, chunks: bytesOf(content), isCompressed: true };
      else yield { path, chunks: typeof content === 'string' ? [content] : content };
  }
  return Buffer.concat(await zipOf(entries()).toArray());
}

export const jsonLines = (...records: object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');

export const noteRecord = (fields: Partial<NoteWithTranscript> = {}): NoteWithTranscript => ({
  id: newUuid(),
  user_id: 'somebody',
  client_note_id: randomUUID(),
  title: null,
  content: 'some words',
  content_is_transcript: false,
  enhanced_content: null,
  enhancement_template_id: null,
  enhancement_prompt: null,
  enhanced_at_content_hash: null,
  note_type: 'personal' satisfies Note['note_type'],
  folder_id: null,
  tags: [],
  pinned: false,
  participants: null,
  calendar_event_id: null,
  transcript: null,
  revision: 1,
  edit: null,
  edited_by: null,
  edited_with: null,
  edited_at: null,
  created_at: at(0),
  updated_at: at(0),
  ...fields,
});

let seconds = 0;
/** A time of its own: what was made in the same millisecond and says the same counts as the same. */
export function ownTime(): string {
  seconds += 1;
  return at(seconds);
}

export const recordingRecord = (fields: Partial<Recording> = {}): Recording => ({
  id: newUuid(),
  user_id: 'somebody',
  name: 'Plan.wav',
  media_type: 'audio/wav',
  bytes: 0,
  duration_ms: null,
  state: 'queued',
  progress: 0,
  error: null,
  error_code: null,
  language: null,
  prompt: null,
  transcription_id: null,
  note_id: null,
  keep_audio: true,
  has_audio: true,
  created_at: ownTime(),
  updated_at: at(1),
  ...fields,
});

/** The files of an export with this recording and its audio. */
export const recordingFiles = (audio: Uint8Array, fields: Partial<Recording> = {}) => {
  const record = recordingRecord({ bytes: audio.length, ...fields });
  return { 'data/recordings.jsonl': jsonLines(record), [audioPath(record)]: audio };
};
