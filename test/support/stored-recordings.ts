import { AppError } from '../../src/domain/errors.ts';
import { type OwnerFilter, ownedBy } from '../../src/domain/owner.ts';
import type { PageQuery } from '../../src/domain/page.ts';
import type { Recording, RecordingWishes } from '../../src/domain/recording.ts';
import type { StorageLimits } from '../../src/domain/storage.ts';
import type { Period } from '../../src/domain/usage.ts';
import * as queries from '../../src/features/recordings/queries.ts';
import * as queue from '../../src/features/recordings/queue.ts';
import * as results from '../../src/features/recordings/results.ts';
import * as storage from '../../src/features/recordings/storage.ts';
import * as uploads from '../../src/features/recordings/uploads/queries.ts';
import { recordedMs } from '../../src/features/usage/queries.ts';
import { authorize } from '../../src/kernel/authorized.ts';
import { JobLost } from '../../src/lib/runner.ts';
import type { Database, Tx } from '../../src/platform/database/database.ts';
import type { Made } from '../../src/platform/database/idempotency.ts';

const own = authorize('Recording', ({ tx, userId }: { tx: Tx; userId: string }, id) =>
  queries.find(tx, ownedBy(userId), id),
);
const lost = (cause: unknown) => {
  if (cause instanceof JobLost) return false;
  throw cause;
};

/** The queries of recordings, each in a transaction of its own, at a time that the test says. */
export function storedRecordings(database: Database) {
  const { db } = database;
  const write = <Result>(work: (within: storage.Within) => Promise<Result>) =>
    database.write((tx) => work({ database, tx }));
  const release = (id: string, again: { notBefore: string; faults?: number }, now: string) =>
    write((within) => results.release(within, id, again, now));

  const recordings = {
    insert: (row: Recording & RecordingWishes, upload: queries.NewUpload, limits?: StorageLimits) =>
      write((within) => queries.insert(within, row, upload, limits)),
    queue: (
      id: string,
      changes: Parameters<typeof queries.queue>[2],
      now: string,
      complete?: (tx: Tx, made: Made) => Promise<void>,
    ) =>
      write(async ({ tx }) => {
        const queued = await queries.queue(tx, id, changes, now);
        if (queued) await complete?.(tx, { id, kept: queued });
        return queued;
      }),
    get: (reader: OwnerFilter, id: string) => queries.find(db, reader, id),
    list: (reader: OwnerFilter, page: PageQuery) => queries.page(db, reader, page),
    texts: (id: string, from: number) => queries.texts(db, id, from),
    update: (userId: string, id: string, changes: queries.RecordingChanges, now: string) =>
      write(async ({ tx }) => queries.update(tx, await own({ tx, userId }, id), changes, now)),
    remove: (userId: string, id: string, options: { withTranscription: boolean }) =>
      write(async ({ tx }) => queries.remove(tx, await own({ tx, userId }, id), options)),
    usedMs: (userId: string, period: Period) => recordedMs(db, userId, period),
    withAudio: () => queries.withAudio(db),
    doomed: () => queries.doomed(db),
    forget: (id: string) => write(({ tx }) => queries.forget(tx, id)),
    removeAbandoned: () => write(uploads.removeAbandoned),
    reserveStorage: (id: string, userId: string, bytes: number, limits: StorageLimits) =>
      write((within) => storage.reserve(within, { id, userId, bytes, limits })),
    advance: (id: string, bytes: number, now: string) =>
      write((within) => uploads.advance(within, id, bytes, now)),
    openUpload: (userId: string, id: string, limits: StorageLimits, now: string) =>
      write(async (within) => {
        const upload = await uploads.findUpload(within.tx, userId, id);
        if (!upload) throw new AppError('not_found', 'The test has no such upload.');
        await uploads.open(within, upload, { userId, length: upload.upload_length, limits }, now);
      }),
  };

  const recordingQueue = {
    /** As a worker that runs these does it. */
    async giveBack(running: readonly string[], now: string) {
      const left = (await queue.held(database)).filter((id) => !running.includes(id));
      for (const id of left) await release(id, { notBefore: now }, now);
      return left.length;
    },
    claim: (now: string, which: Parameters<typeof queue.claim>[2]) => queue.claim(database, now, which),
    othersWait: (userId: string, now: string) => queue.othersWait(db, userId, now),
    transcribedSoFar: (id: string) => results.transcribedSoFar(db, id),
    details: (id: string) => results.details(db, id),
    release,
    fail: (id: string, error: Pick<AppError, 'code' | 'message'>, now: string) =>
      write((within) => results.fail(within, id, error, now)),
    /** False if the job is lost. */
    keep: (id: string, part: results.TranscribedChunk, progress: number, now: string) =>
      write((within) => results.keep(within, id, part, progress, now)).then(() => true, lost),
    /** False if the job is lost. */
    settle: (id: string, result: Parameters<typeof results.settle>[2], now: string) =>
      write((within) => results.settle(within, id, result, now)).then(() => true, lost),
  };
  return { recordings, recordingQueue };
}
