import type { Transcription } from '../../../domain/transcription.ts';
import type { Period } from '../../../domain/usage.ts';

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
