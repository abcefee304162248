import type { PageQuery } from '../domain/page.ts';
import type { ListedTranscription, Transcription } from '../domain/transcription.ts';
import type { Period, UsageTotal } from '../domain/usage.ts';

export interface TranscriptionStore {
  get(userId: string, id: string): Promise<Transcription | undefined>;
  list(
    userId: string,
    options: PageQuery & {
      noteId?: string | undefined;
      language?: string | undefined;
      withSegments: boolean;
    },
  ): Promise<ListedTranscription[]>;
  remove(userId: string, id: string): Promise<boolean>;
}

/**
 * The right to run one transcription on a key, and the minutes set aside for it. A lease that is not renewed before
 * `expiresAt` is as good as gone: nobody has to clean up after a crash.
 */
export interface LeaseStore {
  /** `runningUntil`: another transcription is running on the key, and its lease ends then unless it is renewed. */
  acquire(
    lease: { id: string; keyId: string; userId: string; expiresAt: string },
    now: string,
  ): Promise<'taken' | { runningUntil: string }>;
  /** False when the lease has been lost. */
  renew(id: string, expiresAt: string, now: string): Promise<boolean>;
  /** Sets the minutes aside, counting the ledger of the month and what the user's other leases have reserved in it. */
  reserve(
    id: string,
    wanted: { audioMs: number; limitMs: number; month: Period },
    now: string,
  ): Promise<{ outcome: 'ok' | 'lost' } | { outcome: 'quota exceeded'; leftMs: number }>;
  /** Record, ledger and release at once. False, and nothing written, when the lease has been lost. */
  settle(id: string, record: Transcription, now: string): Promise<boolean>;
  release(id: string): Promise<void>;
}

export interface UsageStore {
  total(userId: string, period: Period): Promise<UsageTotal>;
}
