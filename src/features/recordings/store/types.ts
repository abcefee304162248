import type { AppError } from '../../../domain/errors.ts';
import type { StoredNote } from '../../../domain/note.ts';
import type { OwnerFilter } from '../../../domain/owner.ts';
import type { PageQuery } from '../../../domain/page.ts';
import type { PlanName } from '../../../domain/plans.ts';
import type { ChunkText, Recording, RecordingWishes } from '../../../domain/recording.ts';
import type { Writing } from '../../../domain/revision.ts';
import type { Said, Sized } from '../../../domain/said.ts';
import type { StorageLimits, StorageUse } from '../../../domain/storage.ts';
import type { Transcription } from '../../../domain/transcription.ts';
import type { Period } from '../../../domain/usage.ts';

export type RecordingChanges = Partial<Pick<Recording, 'name' | 'keep_audio'>>;

export interface NewUpload {
  /** Whether it may arrive in several requests. If not, this server receives it in one. */
  isResumable: boolean;
  /** Null if it is not known. */
  length: number | null;
  /** Of `reserveStorage`, from which its bytes are taken. */
  reservation?: string | undefined;
}

/** An upload in several requests. */
export interface UploadState extends Pick<Recording, 'id' | 'bytes' | 'state' | 'updated_at'> {
  length: number | null;
}

export interface RecordingStore {
  /** Begins an upload. Raises `plan_required` if these limits leave no room for its length, or for one more upload. */
  insert(recording: Recording & RecordingWishes, upload: NewUpload, limits?: StorageLimits): Promise<void>;
  storageUse(userId: string): Promise<StorageUse>;
  /**
   * Promises room for audio that comes later. The promise ends with `freeStorage`, or with this server. Raises `plan_required`
   * if these limits leave no room.
   */
  reserveStorage(id: string, userId: string, bytes: number, limits: StorageLimits): Promise<void>;
  freeStorage(id: string): Promise<void>;
  /** Those of this server. */
  storageReservations(): Promise<string[]>;
  /**
   * Queues the recording, because everything has arrived. One that another server has queued meanwhile stays as it is. Undefined
   * if it was deleted.
   */
  queue(
    id: string,
    changes: Partial<Recording & RecordingWishes> & { isStreamable?: boolean },
    now: string,
  ): Promise<Recording | undefined>;
  /** The user's default for uploads that do not say. */
  keepsAudio(userId: string): Promise<boolean>;
  setKeepsAudio(userId: string, keepsAudio: boolean): Promise<void>;
  get(reader: OwnerFilter, id: string): Promise<Recording | undefined>;
  list(
    reader: OwnerFilter,
    page: PageQuery & { noteId?: string | undefined; said?: Said | undefined },
  ): Promise<Recording[]>;
  /** What `list` would give, with the number of words of each. */
  sizes(reader: OwnerFilter, page: PageQuery & { noteId?: string | undefined }): Promise<Sized[]>;
  /** `no audio`: the audio is gone, so it cannot be kept any more. */
  update(
    userId: string,
    id: string,
    changes: RecordingChanges,
    now: string,
  ): Promise<Recording | 'not found' | 'no audio'>;
  /** Undefined until it is made. */
  waveform(id: string): Promise<Uint8Array | undefined>;
  keepWaveform(id: string, peaks: Uint8Array): Promise<void>;
  /** Also marks its audio for removal. */
  remove(userId: string, id: string, options: { withTranscription: boolean }): Promise<boolean>;
  /** Queues a failed recording again; the chunks that were transcribed stay. */
  retry(
    userId: string,
    id: string,
    now: string,
  ): Promise<Recording | 'not found' | 'not failed' | 'no audio'>;
  /** Removes an upload that this server gave up on. */
  abandon(id: string): Promise<void>;
  upload(userId: string, id: string): Promise<UploadState | undefined>;
  /**
   * This server continues the upload. A number is the right offset, if the caller's is wrong. `held`: another server has it.
   */
  openUpload(
    userId: string,
    id: string,
    at: { offset: number; length?: number | undefined },
    now: string,
    limits?: StorageLimits,
  ): Promise<UploadState | number | 'not found' | 'held' | 'too short'>;
  /**
   * This many bytes are durable. False if this server no longer has the upload. Raises `plan_required` if they do not fit into
   * these limits, which are for an upload whose length was not announced.
   */
  advance(id: string, bytes: number, now: string, limits?: StorageLimits): Promise<boolean>;
  closeUpload(id: string): Promise<void>;
  /** Those that name this server. It may have stopped receiving one while the database was away. */
  heldUploads(which: { isResumable: boolean }): Promise<string[]>;
  /** Deletes resumable uploads in which nothing happened since. */
  removeOldUploads(than: string): Promise<void>;
  /** Uploads that are complete but not queued, and that no request is finishing; and live uploads without activity since then. */
  completeUploads(silentSince: string): Promise<{ id: string; bytes: number }[]>;
  /** The final words so far, from a position on, without gaps. */
  texts(id: string, from: number): Promise<ChunkText[]>;
  /** Milliseconds of recordings that a user had transcribed in a period. */
  usedMs(userId: string, period: Period): Promise<number>;
  /** Marks for removal the audio of recordings in these states that were made before this. */
  dropAudio(states: readonly Recording['state'][], before: string, now: string): Promise<void>;
  /** Recordings that have audio, for a check of the store. */
  withAudio(): Promise<{ id: string; bytes: number }[]>;
  /** How much of an upload has arrived. Undefined if it was deleted. */
  growth(id: string): Promise<{ size: number; isComplete: boolean } | undefined>;
  /** Audio that is marked for removal and that no recording has: an import brings a recording back under its old id. */
  doomed(audioId?: string): Promise<string[]>;
  forget(audioId: string): Promise<void>;
  /** Deletes uploads and promises of storage of servers that are gone. */
  removeAbandoned(): Promise<void>;
}

/** A recording that this server works on. */
export interface RecordingJob extends Recording, RecordingWishes {
  plan: PlanName;
  started_at: string;
  faults: number;
  /** Transcribed during its upload. */
  isLive: boolean;
}

export interface TranscribedChunk extends ChunkText {
  detail: string;
  language: string | null;
}

/**
 * The queue of recordings: one per user at a time, with live uploads beside it. The user who has waited longest is next.
 * A job belongs to its server until it ends, that server gives it back or is gone, and no other server can write to it.
 */
export interface RecordingQueue {
  /**
   * Puts back the jobs that name this server and that it does not run: the database failed before it could say so. Returns
   * how many.
   */
  giveBack(running: readonly string[], now: string): Promise<number>;
  /** Undefined if there is nothing to do. Never one of those that this server still runs. */
  claim(
    now: string,
    which: { isLive: boolean; running: readonly string[] },
  ): Promise<RecordingJob | undefined>;
  /** How many wait and since when the first of them does; how many are worked on, and the longest time without progress. */
  inQueue(): Promise<Record<'queued' | 'transcribing', { count: number; since: string | null }>>;
  /** A live job of this server whose upload is silent, the longest silent one, if somebody who speaks waits for a place. */
  silentJob(now: string): Promise<string | undefined>;
  /** Whether another user's recording could be claimed. */
  othersWait(userId: string, now: string): Promise<boolean>;
  /** Which chunks were transcribed already, and the first language that one of them had. */
  transcribedSoFar(id: string): Promise<{ positions: Set<number>; language: string | null }>;
  /** The engine's details of each chunk, in order. */
  details(id: string): Promise<string[]>;
  /** False if the job is lost: deleted, or taken over by another server. */
  keep(id: string, part: TranscribedChunk, progress: number, now: string): Promise<boolean>;
  /**
   * Ends the job: stores the transcription, the note, and the minutes in the ledger. False if the job is lost; then nothing
   * is stored or charged.
   */
  settle(
    id: string,
    result: {
      transcription: Transcription;
      note: StoredNote | null;
      /** The note that it goes into, if it is still there for this user; otherwise `note` is made. */
      into: { noteId: string; writing: Writing } | null;
      peaks: Uint8Array;
      /** What it is called, and its note, unless somebody has named it. */
      name: string;
      durationMs: number;
      /** Whether the operator allows audio to be kept, if its owner wants that. */
      mayKeepAudio: boolean;
      /** Whether there is a language model, for what the user chose to have written. */
      isLanguageOn: boolean;
    },
    now: string,
  ): Promise<boolean>;
  fail(id: string, error: Pick<AppError, 'code' | 'message'>, now: string): Promise<void>;
  /** Back into the queue. */
  release(id: string, again: { notBefore: string; faults?: number }, now: string): Promise<void>;
}

/** The queue as operators see it. */
export interface QueueState {
  /** Seconds since the first was queued. */
  queued: { count: number; oldestSeconds: number };
  /** Seconds since the one that is stuck longest made progress. */
  transcribing: { count: number; oldestSeconds: number };
  /** Why nothing happens, though it should. */
  problem: string | null;
}
