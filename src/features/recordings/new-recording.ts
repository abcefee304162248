import { AppError, notFound } from '../../domain/errors.ts';
import { reachOf } from '../../domain/owner.ts';
import type { Plans } from '../../domain/plans.ts';
import type { Principal } from '../../domain/principal.ts';
import { mediaTypeOf, type Recording, recordingLimitMs, unknownMediaType } from '../../domain/recording.ts';
import { NotAudio } from '../../domain/speech-errors.ts';
import { monthOf } from '../../domain/usage.ts';
import type { AudioDecoder } from '../../engines/ports/audio.ts';
import type { Transcriber } from '../../engines/ports/transcriber.ts';
import type { Clock } from '../../lib/clock.ts';
import { abortable } from '../../lib/fair-queue.ts';
import type { NewId } from '../../lib/uuid.ts';
import type { AudioStore } from '../../platform/audio-store/audio-store.ts';
import type { FolderStore, NoteStore } from '../../platform/database/ports/note-store.ts';
import type { SpaceStore } from '../../platform/database/ports/workspace-store.ts';
import { unknownFolder } from '../notes/change.ts';
import type { RecordingSignals } from './events.ts';
import { recordingQuotaExceeded } from './job.ts';
import { ownerOf } from './owners.ts';
import type { NewUpload, RecordingStore } from './store/types.ts';

export interface RecordingDraft {
  name?: string | undefined;
  language?: string | undefined;
  prompt?: string | undefined;
  speakers?: number | undefined;
  /** Whether a note is made of it. */
  note?: boolean | undefined;
  /** Where that goes, as for a new note. */
  space_id?: string | undefined;
  folder_id?: string | undefined;
  /** The note that it goes into, instead. */
  note_id?: string | undefined;
  keep_audio?: boolean | undefined;
}

const removalMs = 2_000;

export interface NewRecordingDependencies {
  store: {
    recordings: RecordingStore;
    spaces: SpaceStore;
    folders: FolderStore;
    notes: Pick<NoteStore, 'place'>;
  };
  audioStore: AudioStore;
  decoder: Pick<AudioDecoder, 'identify'>;
  transcriber: Pick<Transcriber, 'checkLanguage'>;
  plans: Plans;
  clock: Clock;
  newId: NewId;
  signals: RecordingSignals;
  /** Whether the operator lets audio stay once its words are stored. */
  keepAudio: boolean;
  worker: { wake(): void; cancel(id: string): void };
  sweep(): Promise<void>;
}

/** What all ways to upload a recording share: its beginning, and its end. */
export function createNewRecordings(dependencies: NewRecordingDependencies) {
  const { store, audioStore, decoder, transcriber, plans, clock, newId, signals, worker, sweep, keepAudio } =
    dependencies;
  const now = () => new Date(clock()).toISOString();

  /** Raises `validation_error` and `not_found`, as POST /notes/create does. */
  async function placeOf(principal: Principal, { note, space_id, folder_id, note_id }: RecordingDraft) {
    if (note_id !== undefined) {
      if (note === false || (space_id ?? folder_id) !== undefined)
        throw new AppError(
          'validation_error',
          'note_id names the note. Leave out note, space_id and folder_id.',
        );
      return placeInto(principal, note_id);
    }
    if (!note && (space_id ?? folder_id) !== undefined)
      throw new AppError(
        'validation_error',
        'space_id and folder_id say where its note goes. Add note=true, or leave them out.',
      );
    // Without a space it goes to whoever records it.
    const { ownerId, spaceId } = await ownerOf(store.spaces, principal, space_id);
    const folders = folder_id === undefined ? [] : await store.folders.list(ownerId);
    if (folder_id !== undefined && !folders.some(({ id }) => id === folder_id)) throw unknownFolder();
    return {
      wants_note: note ?? false,
      note_space_id: spaceId,
      note_folder_id: folder_id ?? null,
      into_note_id: null,
    };
  }

  /** If the note is gone when the words are there, they make a note in its place. */
  async function placeInto(principal: Principal, noteId: string) {
    if (!principal.scopes.includes('notes:write'))
      throw new AppError('forbidden', 'note_id needs the scope notes:write.');
    const found = await store.notes.place(reachOf(principal), noteId);
    if (!found) throw new AppError('validation_error', 'note_id must be the id of one of your notes.');
    return {
      wants_note: true,
      note_space_id: found.space_id,
      note_folder_id: found.folder_id,
      into_note_id: noteId,
    };
  }

  /** Raises `validation_error` for a language that the engine does not know, and for a place that is not there. */
  async function detailsOf(principal: Principal, draft: RecordingDraft) {
    transcriber.checkLanguage(draft.language);
    return {
      name: draft.name ?? defaultName(clock()),
      is_named: draft.name !== undefined,
      language: draft.language ?? null,
      prompt: draft.prompt ?? null,
      speakers: draft.speakers ?? null,
      ...(await placeOf(principal, draft)),
      ...(draft.keep_audio === undefined ? {} : { keep_audio: keepAudio && draft.keep_audio }),
    };
  }

  async function checkQuota(principal: Principal): Promise<void> {
    const plan = plans[principal.plan];
    const limitMs = recordingLimitMs(plan.recordingMinutesPerMonth);
    if (!Number.isFinite(limitMs)) return;
    const month = monthOf(clock());
    if ((await store.recordings.usedMs(principal.userId, month)) >= limitMs)
      throw recordingQuotaExceeded(plan, month.until);
  }

  /** By its content, because what a client says may be wrong. */
  async function typeOf(id: string, bytes: number) {
    const file = bytes === 0 ? undefined : await audioStore.open(id, bytes);
    const found = await (file && decoder.identify(file).finally(() => file.close()));
    if (!found) throw new NotAudio();
    return { media_type: mediaTypeOf(found.container), isStreamable: found.isStreamable };
  }

  /** An upload does not wait for a store that hangs: deleting the row marks the audio for removal too. */
  const removeSoon = (id: string) =>
    // Silent: the mark in the database stays, and the next sweep removes it.
    abortable(audioStore.remove(id), AbortSignal.timeout(removalMs)).catch(() => {});

  /** The recording, or its account, may be deleted while bytes arrive. Then no row marks the bytes that came later. */
  async function removeIfDeleted(id: string): Promise<void> {
    try {
      if (!(await store.recordings.growth(id))) await removeSoon(id);
    } catch {
      // `steno doctor` finds it.
    }
  }

  /** Nothing of the upload is kept. */
  async function abandon(id: string): Promise<void> {
    // Silent: `tidy` deletes the row within a minute, and another server when this one is gone.
    await store.recordings.abandon(id).catch(() => {});
    await removeIfDeleted(id);
    signals.notify(id);
    // Silent: the next hour's housekeeping sweeps again.
    void sweep().catch(() => {});
  }

  return {
    now,
    abandon,
    removeSoon,
    removeIfDeleted,

    /**
     * Raises `validation_error` (language, folder), `not_found` (space), `quota_exceeded`, `plan_required` (storage, open uploads), and
     * `payload_too_large` for an announced length.
     */
    async begin(
      principal: Principal,
      draft: RecordingDraft,
      upload: NewUpload = { isResumable: false, length: null },
      id = newId(),
    ): Promise<Recording> {
      const { recordingMaxBytes } = plans[principal.plan];
      if ((upload.length ?? 0) > recordingMaxBytes) throw recordingTooLarge(recordingMaxBytes);
      await checkQuota(principal);
      const details = await detailsOf(principal, draft);
      const createdAt = now();
      const recording = {
        id,
        user_id: principal.userId,
        keep_audio: keepAudio && (await store.recordings.keepsAudio(principal.userId)),
        ...details,
        media_type: unknownMediaType,
        bytes: 0,
        duration_ms: null,
        state: 'uploading' as const,
        progress: 0,
        error: null,
        error_code: null,
        transcription_id: null,
        note_id: null,
        has_audio: true,
        created_at: createdAt,
        updated_at: createdAt,
      };
      await store.recordings.insert(recording, upload, plans[principal.plan]);
      return recording;
    },

    /** Queues what has arrived. Raises `validation_error` and keeps nothing if that is no audio; `not_found` if it was deleted. */
    async finish(
      id: string,
      bytes: number,
      said?: { principal: Principal; draft: RecordingDraft },
    ): Promise<Recording> {
      try {
        const type = await typeOf(id, bytes);
        // A job that began with the growing file would fail; it starts again with the complete one.
        if (!type.isStreamable) worker.cancel(id);
        const details = said ? await detailsOf(said.principal, said.draft) : {};
        const queued = await store.recordings.queue(id, { ...details, ...type, bytes }, now());
        if (!queued) throw notFound('Recording');
        signals.notify(id);
        worker.wake();
        return queued;
      } catch (cause) {
        if (cause instanceof AppError && cause.status < 500) await abandon(id);
        throw cause;
      }
    },
  };
}

/** Raises `payload_too_large` as soon as there are more bytes than this. */
export async function* bounded(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => AppError = () => recordingTooLarge(maxBytes),
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    yield chunk;
  }
}

export const recordingTooLarge = (maxBytes: number) =>
  new AppError(
    'payload_too_large',
    `The recording is too large. Send at most ${Math.floor(maxBytes / 1_000_000)} MB: a shorter one, or the same one as MP3 or Opus.`,
  );

const defaultName = (now: number) =>
  `Recording ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')}`;
