import type { StoredNote } from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import type { PageQuery } from '../domain/page.ts';
import type { PlanName } from '../domain/plans.ts';
import type { ChunkText, Recording, RecordingWishes } from '../domain/recording.ts';
import type { Transcription } from '../domain/transcription.ts';
import type { Period } from '../domain/usage.ts';
import type { SearchText } from '../search/analyse/note-text.ts';

export type RecordingChanges = Partial<Pick<Recording, 'name' | 'keep_audio'>>;

export interface NewUpload {
  /** Whether it may come in several requests. If not, this server receives it. */
  isResumable: boolean;
  /** Null if it is not known. */
  length: number | null;
}

/** An upload in several requests. */
export interface UploadState extends Pick<Recording, 'id' | 'bytes' | 'state' | 'updated_at'> {
  length: number | null;
}

export interface RecordingStore {
  /** Begins an upload. */
  insert(recording: Recording & RecordingWishes, upload: NewUpload): Promise<void>;
  /** Everything has arrived: the recording is queued. False if it was deleted meanwhile. */
  queue(
    id: string,
    changes: Partial<Recording & RecordingWishes> & { canGrow?: boolean },
    now: string,
  ): Promise<Recording | undefined>;
  /** What the user wants for recordings whose upload does not say. */
  keepsAudio(userId: string): Promise<boolean>;
  setKeepsAudio(userId: string, keepsAudio: boolean): Promise<void>;
  get(reader: OwnerFilter, id: string): Promise<Recording | undefined>;
  list(reader: OwnerFilter, page: PageQuery & { noteId?: string | undefined }): Promise<Recording[]>;
  /** `no sound`: it cannot be kept any more. */
  update(
    userId: string,
    id: string,
    changes: RecordingChanges,
    now: string,
  ): Promise<Recording | 'not found' | 'no sound'>;
  /** Its sound is doomed with it. */
  remove(userId: string, id: string, options: { withTranscription: boolean }): Promise<boolean>;
  /** Queues a failed recording again; what was heard of it stays. */
  retry(
    userId: string,
    id: string,
    now: string,
  ): Promise<Recording | 'not found' | 'not failed' | 'no sound'>;
  /** Removes an upload that this server gave up. */
  abandon(id: string): Promise<void>;
  upload(userId: string, id: string): Promise<UploadState | undefined>;
  /**
   * This server goes on with the upload. A number: another offset, which is the right one. `held`: another server does.
   */
  openUpload(
    userId: string,
    id: string,
    at: { offset: number; length?: number | undefined },
    now: string,
  ): Promise<UploadState | number | 'not found' | 'held' | 'too short'>;
  /** So many bytes are stored for good. False if this server does not go on with the upload any more. */
  advance(id: string, bytes: number, now: string): Promise<boolean>;
  closeUpload(id: string): Promise<void>;
  /** Deletes resumable uploads in which nothing happened since. */
  removeOldUploads(than: string): Promise<void>;
  /** Uploads that have all their bytes and are not queued yet, and those of unknown length in which nothing happened since. */
  completeUploads(silentSince: string): Promise<{ id: string; bytes: number }[]>;
  /** The final words so far, from a position on, without gaps. */
  texts(id: string, from: number): Promise<ChunkText[]>;
  /** Milliseconds of recordings that a user had transcribed in a period. */
  usedMs(userId: string, period: Period): Promise<number>;
  /** Dooms the sounds of recordings in these states that were made before this. */
  silence(states: readonly Recording['state'][], before: string, now: string): Promise<void>;
  /** Recordings that have a sound, for a check of the store. */
  withSound(): Promise<{ id: string; bytes: number }[]>;
  /** How much of an upload has arrived. Undefined if it was deleted. */
  growth(id: string): Promise<{ size: number; isComplete: boolean } | undefined>;
  /** Sounds to be removed from their store. */
  doomed(): Promise<string[]>;
  forget(soundId: string): Promise<void>;
  /** Deletes uploads that no running server receives. */
  removeAbandoned(): Promise<void>;
}

/** A recording that this server works on. */
export interface RecordingJob extends Recording, RecordingWishes {
  plan: PlanName;
  started_at: string;
  faults: number;
  /** Heard during its upload. */
  isLive: boolean;
}

export interface HeardPart extends ChunkText {
  detail: string;
  language: string | null;
}

/**
 * The recordings in work. One of each user at a time, and those that are heard during their upload beside it; the user who had no turn for the longest time is next. A job belongs
 * to its server until it ends or that server is gone, and nobody else can write to it.
 */
export interface RecordingQueue {
  /** Undefined if there is nothing to do. */
  claim(now: string, which: { isLive: boolean }): Promise<RecordingJob | undefined>;
  /** Whether another user's recording could be claimed. */
  othersWait(userId: string, now: string): Promise<boolean>;
  /** Which chunks were heard already, and the language of the first that told one. */
  heardSoFar(id: string): Promise<{ positions: Set<number>; language: string | null }>;
  /** What the engine said of each chunk, in order. */
  details(id: string): Promise<string[]>;
  /** False if the job is lost: deleted, or taken over by another server. */
  keep(id: string, part: HeardPart, progress: number, now: string): Promise<boolean>;
  /**
   * Ends the job: stores the transcription, the note, and the minutes in the ledger. False if the job is lost; then nothing
   * is stored or charged.
   */
  settle(
    id: string,
    result: {
      transcription: Transcription;
      note: { row: StoredNote; text: SearchText | null } | null;
      durationMs: number;
      /** Whether the operator lets the sound stay, if its owner wants it. */
      mayKeepAudio: boolean;
    },
    now: string,
  ): Promise<boolean>;
  fail(id: string, error: string, now: string): Promise<void>;
  /** Back into the queue. */
  release(id: string, again: { notBefore: string; faults: number }, now: string): Promise<void>;
}
