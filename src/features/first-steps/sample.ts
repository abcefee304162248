import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { newNote } from '../../domain/note.ts';
import { toParagraphs } from '../../domain/subtitles.ts';
import { segment } from '../../domain/transcript.ts';
import { countWords } from '../../domain/transcription.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { projectPath } from '../../lib/program.ts';
import type { NewId } from '../../lib/uuid.ts';
import * as queries from './queries.ts';

const title = 'Sample: ask not what your country can do for you';
/** What the engine heard in the clip, so that no engine is needed. */
const heard = z.object({ duration_ms: z.int(), waveform: z.string(), segments: z.array(segment) });

export const readClip = () => readFile(projectPath('assets/ask-not.ogg'));

/** A voice note to try things on. */
export async function sampleFor(
  userId: string,
  { bytes, keepAudio, now, newId }: { bytes: number; keepAudio: boolean; now: string; newId: NewId },
): Promise<queries.Sample> {
  const { duration_ms, waveform, segments } = heard.parse(
    JSON.parse(await readFile(projectPath('assets/ask-not.json'), 'utf8')),
  );
  const [id, note_id, transcription_id] = [newId(), newId(), newId()];
  const text = segments.map((one) => one.text).join(' ');
  return {
    waveform,
    recording: {
      id,
      user_id: userId,
      name: title,
      media_type: 'audio/ogg',
      bytes,
      duration_ms,
      state: 'done',
      progress: 1,
      error: null,
      error_code: null,
      language: null,
      prompt: null,
      transcription_id,
      note_id,
      keep_audio: keepAudio,
      has_audio: keepAudio,
      created_at: now,
      updated_at: now,
    },
    transcription: {
      id: transcription_id,
      user_id: userId,
      note_id,
      status: 'completed',
      text,
      word_count: countWords(text),
      source: 'cloud',
      provider: 'embedded',
      model: 'whisper-base.en',
      language: 'en',
      reason: null,
      audio_duration_ms: duration_ms,
      processing_ms: 0,
      segments,
      created_at: now,
    },
    note: newNote({
      id: note_id,
      owner_id: userId,
      user_id: userId,
      title,
      content: toParagraphs(segments),
      content_is_transcript: true,
      note_type: 'upload',
      transcript: JSON.stringify(segments),
      created_at: now,
    }),
  };
}

/** From now on the first steps are shown. Stores the sample if the person has no note and no recording, and returns whether it did. */
export async function storeSample(
  { database, tx }: Pick<CommandContext, 'database' | 'tx'>,
  userId: string,
  sample: queries.Sample,
): Promise<boolean> {
  // Of two pages that are opened at once, one makes it.
  if ((await queries.stateOf(tx, userId)) !== 'new') return false;
  await queries.setState(tx, userId, 'shown');
  if (await queries.hasSome(tx, userId)) return false;
  await queries.insertSample(database, tx, sample);
  return true;
}
