import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { FirstSteps } from '../domain/first-steps.ts';
import { unedited } from '../domain/note.ts';
import type { Principal } from '../domain/principal.ts';
import { toParagraphs } from '../domain/subtitles.ts';
import { segment } from '../domain/transcript.ts';
import { projectPath } from '../lib/program.ts';
import type { NewId } from '../lib/uuid.ts';
import type { AudioStore } from '../ports/audio-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Sample } from '../ports/first-step-store.ts';
import type { Store } from '../ports/store.ts';
import { recordOf } from './transcription-record.ts';

interface Dependencies {
  store: Pick<Store, 'firstSteps'>;
  clock: Clock;
  newId: NewId;
  audioStore(): Promise<AudioStore>;
  keepAudio: boolean;
  /** The operator may not want them. */
  isOn: boolean;
}

export type FirstStepsService = ReturnType<typeof createFirstSteps>;

const title = 'Sample: ask not what your country can do for you';
/** What the engine heard in the clip, so that no engine is needed. */
const heard = z.object({ duration_ms: z.int(), waveform: z.string(), segments: z.array(segment) });

/** The first minutes of a new account: a voice note to try things on, and three steps. */
export function createFirstSteps({ store, clock, newId, audioStore, keepAudio, isOn }: Dependencies) {
  const get = async (userId: string): Promise<FirstSteps> => {
    const { isNew: _, ...steps } = await store.firstSteps.get(userId);
    return { ...steps, shown: steps.shown && isOn };
  };

  return {
    /** What they have done. The first call also makes the sample, if the account is empty. */
    async begin({ userId }: Principal): Promise<FirstSteps> {
      if (!isOn || !(await store.firstSteps.get(userId)).isNew) return get(userId);
      const clip = await readFile(projectPath('assets/ask-not.ogg'));
      const sample = await sampleFor(userId, clip.length);
      const { id } = sample.recording;
      const audio = await audioStore();
      // Before its row: a recording that says it has audio must have it. What a killed server leaves is 45 kB.
      if (keepAudio) await audio.append(id, 0, oneChunk(clip), async () => {});
      const isMade = await store.firstSteps.begin(userId, sample);
      if (!isMade && keepAudio) await audio.remove(id);
      return get(userId);
    },

    /** They are not shown again. The sample stays until it is deleted. */
    end: ({ userId }: Principal): Promise<void> => store.firstSteps.end(userId),
  };

  async function sampleFor(userId: string, bytes: number): Promise<Sample> {
    const { duration_ms, waveform, segments } = heard.parse(
      JSON.parse(await readFile(projectPath('assets/ask-not.json'), 'utf8')),
    );
    const [id, note_id, transcription_id] = [newId(), newId(), newId()];
    const now = new Date(clock()).toISOString();
    const text = segments.map((one) => one.text).join(' ');
    const transcribed = {
      segments,
      text,
      provider: 'embedded',
      model: 'whisper-base.en',
      language: 'en',
      reason: null,
    };
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
      transcription: recordOf(transcribed, {
        id: transcription_id,
        user_id: userId,
        note_id,
        audio_duration_ms: duration_ms,
        processing_ms: 0,
        created_at: now,
      }),
      note: {
        ...unedited,
        id: note_id,
        owner_id: userId,
        user_id: userId,
        space_id: null,
        client_note_id: note_id,
        title,
        content: toParagraphs(segments),
        content_is_transcript: true,
        enhanced_content: null,
        note_type: 'upload',
        folder_id: null,
        pinned: false,
        participants: null,
        calendar_event_id: null,
        transcript: JSON.stringify(segments),
        created_at: now,
        updated_at: now,
      },
    };
  }
}

async function* oneChunk(bytes: Uint8Array) {
  yield bytes;
}
