import { AppError, notFound } from '../domain/errors.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Plan, Plans } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import {
  maxRecordingNameLength,
  mediaTypeOf,
  type Recording,
  recordingLimitMs,
  unknownMediaType,
} from '../domain/recording.ts';
import { NotAudio } from '../domain/speech-errors.ts';
import { monthOf } from '../domain/usage.ts';
import type { NewId } from '../lib/uuid.ts';
import type { AudioDecoder } from '../ports/audio.ts';
import type { Clock } from '../ports/clock.ts';
import type { RecordingChanges, RecordingStore } from '../ports/recording-store.ts';
import type { SoundStore } from '../ports/sound-store.ts';
import type { Transcriber } from '../ports/transcriber.ts';
import { recordingQuotaExceeded } from './hear-recording.ts';
import type { News } from './news.ts';

export interface RecordingDraft {
  name?: string | undefined;
  language?: string | undefined;
  prompt?: string | undefined;
  speakers?: number | undefined;
  /** Whether a note is made of it. */
  note?: boolean | undefined;
  keep_audio?: boolean | undefined;
}

/** An upload, as it arrives. A form may say what it is after the file, so `draft` is asked again at the end. */
export interface IncomingRecording {
  chunks: AsyncIterable<Uint8Array>;
  draft(): RecordingDraft;
}

interface Dependencies {
  store: { recordings: RecordingStore };
  sounds: SoundStore;
  decoder: Pick<AudioDecoder, 'recognise'>;
  transcriber: Pick<Transcriber, 'checkLanguage'>;
  plans: Plans;
  clock: Clock;
  newId: NewId;
  news: News;
  worker: { wake(): void; cancel(id: string): void };
  sweep(): Promise<void>;
}

export type Recordings = ReturnType<typeof createRecordings>;

export function createRecordings(dependencies: Dependencies) {
  const { store, sounds, decoder, transcriber, plans, clock, newId, worker, news, sweep } = dependencies;
  const now = () => new Date(clock()).toISOString();
  /** Nobody waits for it, and what fails is done by the next hour's housekeeping. */
  const sweepLater = () => void sweep().catch(() => {});

  function detailsOf(draft: RecordingDraft) {
    transcriber.checkLanguage(draft.language);
    return {
      name: draft.name ?? defaultName(clock()),
      language: draft.language ?? null,
      prompt: draft.prompt ?? null,
      speakers: draft.speakers ?? null,
      wants_note: draft.note ?? false,
      keep_audio: draft.keep_audio ?? true,
    };
  }

  async function checkQuota(plan: Plan, userId: string): Promise<void> {
    const limitMs = recordingLimitMs(plan.recordingMinutesPerMonth);
    if (!Number.isFinite(limitMs)) return;
    const month = monthOf(clock());
    if ((await store.recordings.usedMs(userId, month)) >= limitMs)
      throw recordingQuotaExceeded(plan, month.until);
  }

  async function get({ userId }: Principal, id: string): Promise<Recording> {
    const found = await store.recordings.get(userId, id);
    if (!found) throw notFound('Recording');
    return found;
  }

  /** By its content, because what a client says may be wrong. Raises NotAudio. */
  async function typeOf(id: string): Promise<string> {
    const file = await sounds.open(id);
    const container = await (file && decoder.recognise(file).finally(() => file.close()));
    if (!container) throw new NotAudio();
    return mediaTypeOf(container);
  }

  return {
    /**
     * Stores the sound and queues it. It is transcribed later, so this takes as long as the upload.
     * Raises `validation_error` (language, not audio), `payload_too_large`, `quota_exceeded`, and what `chunks` raises.
     * After any error nothing is kept.
     */
    async upload(principal: Principal, incoming: IncomingRecording): Promise<Recording> {
      const plan = plans[principal.plan];
      await checkQuota(plan, principal.userId);
      const id = newId();
      const createdAt = now();
      await store.recordings.insert({
        id,
        user_id: principal.userId,
        ...detailsOf(incoming.draft()),
        media_type: unknownMediaType,
        bytes: 0,
        duration_ms: null,
        state: 'uploading',
        progress: 0,
        error: null,
        transcription_id: null,
        note_id: null,
        has_audio: true,
        created_at: createdAt,
        updated_at: createdAt,
      });
      try {
        const bytes = await sounds.write(id, bounded(incoming.chunks, plan.recordingMaxBytes));
        const media_type = await typeOf(id);
        const queued = await store.recordings.queue(
          id,
          { ...detailsOf(incoming.draft()), bytes, media_type },
          now(),
        );
        if (!queued) throw notFound('Recording');
        worker.wake();
        return queued;
      } catch (cause) {
        await store.recordings.abandon(id).catch(() => {});
        sweepLater();
        throw cause;
      }
    },

    /** Newest first. Raises `validation_error` for a bad cursor. */
    async list(
      { userId }: Principal,
      options: PageOptions & { note_id?: string | undefined },
    ): Promise<Page<Recording>> {
      const query = { ...pageQuery('recordings', options), noteId: options.note_id };
      return toPage('recordings', await store.recordings.list(userId, query), options.limit);
    },

    /** Raises `not_found`. */
    get,

    /** Without `keep_audio`, the sound goes as soon as its words are stored. Raises `not_found` and `conflict`. */
    async update({ userId }: Principal, id: string, changes: RecordingChanges): Promise<Recording> {
      const updated = await store.recordings.update(userId, id, changes, now());
      if (updated === 'not found') throw notFound('Recording');
      if (updated === 'no sound')
        throw new AppError('conflict', 'The sound of this recording is gone and cannot be kept.');
      if (!updated.has_audio) sweepLater();
      news.tell(id);
      return updated;
    },

    /** The sound and the work on it go at once; its transcription stays unless asked. Raises `not_found`. */
    async remove({ userId }: Principal, id: string, options: { withTranscription: boolean }): Promise<void> {
      if (!(await store.recordings.remove(userId, id, options))) throw notFound('Recording');
      worker.cancel(id);
      news.tell(id);
      await sweep().catch(() => {});
    },

    /** Goes on where it failed. Raises `not_found`, and `conflict` for one that did not fail or has no sound. */
    async retry({ userId }: Principal, id: string): Promise<Recording> {
      const queued = await store.recordings.retry(userId, id, now());
      if (queued === 'not found') throw notFound('Recording');
      if (queued === 'not failed') throw new AppError('conflict', 'This recording has not failed.');
      if (queued === 'no sound')
        throw new AppError('conflict', 'The sound of this recording is gone. Upload it again.');
      news.tell(id);
      worker.wake();
      return queued;
    },

    /**
     * A range of the sound, or all of it. Raises `not_found`, and `validation_error` for a range that begins behind the end.
     */
    async audio(principal: Principal, id: string, range?: { start?: number; end?: number; last?: number }) {
      const { bytes, media_type, has_audio, state, name } = await get(principal, id);
      if (!has_audio || state === 'uploading') throw notFound('Sound');
      const start = range?.last === undefined ? (range?.start ?? 0) : Math.max(0, bytes - range.last);
      const end = Math.min(bytes, range?.end ?? bytes);
      if (start >= end) throw new AppError('validation_error', `Range must begin before byte ${bytes}.`);
      return { bytes, media_type, name, start, end, chunks: () => sounds.read(id, { start, end }) };
    },
  };
}

async function* bounded(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw recordingTooLarge(maxBytes);
    yield chunk;
  }
  if (bytes === 0)
    throw new AppError('validation_error', 'The recording is empty. Send the file as the body.');
}

export const recordingTooLarge = (maxBytes: number) =>
  new AppError(
    'payload_too_large',
    `The recording is too large. Send at most ${Math.floor(maxBytes / 1_000_000)} MB: a shorter one, or the same one as MP3 or Opus.`,
  );

const defaultName = (now: number) =>
  `Recording ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')}`.slice(0, maxRecordingNameLength);

/** Removes sounds that no recording needs any more. What fails is tried again by the next call. */
export const createSweep =
  (store: { recordings: RecordingStore }, sounds: SoundStore) => async (): Promise<void> => {
    for (const id of await store.recordings.doomed()) {
      await sounds.remove(id);
      await store.recordings.forget(id);
    }
  };
