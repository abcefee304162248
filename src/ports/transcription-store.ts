import type { OwnerFilter } from '../domain/owner.ts';
import type { PageQuery } from '../domain/page.ts';
import type { Writing } from '../domain/revision.ts';
import type { Said, Sized } from '../domain/said.ts';
import type { Segment } from '../domain/transcript.ts';
import type { ListedTranscription, Transcription } from '../domain/transcription.ts';
import type { Period } from '../domain/usage.ts';

export interface TranscriptionBeginning {
  id: string;
  word_count: number;
  beginning: string;
}

export interface TranscriptionFilter {
  noteId?: string | undefined;
  /** In lower case. `en` also finds `en-US`. */
  language?: string | undefined;
  /** Made at this time or later. */
  since?: string | undefined;
  /** Made before this time. */
  until?: string | undefined;
  oldestFirst?: boolean | undefined;
  /** Leaves out those that a recording has. */
  withoutRecorded?: boolean | undefined;
}

export interface TranscriptionStore {
  get(reader: OwnerFilter, id: string): Promise<Transcription | undefined>;
  list(
    reader: OwnerFilter,
    options: PageQuery & TranscriptionFilter & { withSegments: boolean; said?: Said | undefined },
  ): Promise<ListedTranscription[]>;
  /** What `list` would give, without the words. */
  sizes(reader: OwnerFilter, options: PageQuery & TranscriptionFilter): Promise<Sized[]>;
  /** How many words each has, and how it begins. For callers that may read them. */
  beginnings(ids: readonly string[]): Promise<TranscriptionBeginning[]>;
  /**
   * Stores the segments that `change` returns; if it raises, everything stays as it was. The note of the
   * transcription, if `note` reaches it, changes in the same transaction.
   */
  changeSegments(
    userId: string,
    id: string,
    change: (segments: Segment[]) => Segment[],
    now: string,
    note?: Writing & { reach: OwnerFilter },
  ): Promise<Transcription | undefined>;
  remove(userId: string, id: string): Promise<boolean>;
}

/**
 * The right to run one transcription on a key, and the minutes reserved for it. A lease that is not renewed before
 * `expiresAt` no longer counts, so nobody has to clean up after a crash.
 */
export interface LeaseStore {
  /** `runningUntil`: another transcription is running on the key. Its lease ends then, unless it is renewed. */
  acquire(
    lease: { id: string; keyId: string; userId: string; expiresAt: string },
    now: string,
  ): Promise<'taken' | { runningUntil: string }>;
  /** False if the lease was lost. */
  renew(id: string, expiresAt: string, now: string): Promise<boolean>;
  /** What the month still has after its ledger and the user's other reservations; 0 if the lease was lost. */
  left(id: string, quota: { limitMs: number; month: Period }, now: string): Promise<number>;
  /** Reserves the minutes, if the month still has room after its ledger and the user's other reservations. */
  reserve(
    id: string,
    wanted: { audioMs: number; limitMs: number; month: Period },
    now: string,
  ): Promise<{ outcome: 'ok' | 'lost' } | { outcome: 'quota exceeded'; leftMs: number }>;
  /** Writes the record and the ledger and frees the key. If the lease was lost, writes nothing and returns false. */
  settle(id: string, record: Transcription, now: string): Promise<boolean>;
  release(id: string): Promise<void>;
}
