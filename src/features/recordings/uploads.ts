import { AppError, notFound } from '../../domain/errors.ts';
import type { Plans } from '../../domain/plans.ts';
import type { Principal } from '../../domain/principal.ts';
import { dayMs } from '../../domain/rate-limit.ts';
import type { Recording } from '../../domain/recording.ts';
import {
  bounded,
  createNewRecordings,
  type NewRecordingDependencies,
  type RecordingDraft,
  recordingTooLarge,
} from './new-recording.ts';
import type { UploadState } from './store/types.ts';

interface NewUploadDraft extends RecordingDraft {
  /** Null when the client does not know it yet. */
  length: number | null;
  /** How much its first request brings; null if the client does not say. */
  coming: number | null;
}

/** An upload to which nothing is added is deleted after this. */
export const uploadDays = 7;

/** A live upload without a new byte ends after this. */
const silentMs = 300_000;

interface Writer {
  stop: AbortController;
  ended: Promise<void>;
}

export type Uploads = ReturnType<typeof createUploads>;

/** Uploads in several requests (decision 101). What was acknowledged is on disk, and the next request goes on there. */
export function createUploads(dependencies: NewRecordingDependencies & { plans: Plans }) {
  const { store, audioStore, plans, clock, signals, worker } = dependencies;
  const { begin, finish, abandon, removeIfDeleted, now } = createNewRecordings(dependencies);
  const writers = new Map<string, Writer>();

  async function find({ userId }: Principal, id: string): Promise<UploadState> {
    const found = await store.recordings.upload(userId, id);
    if (!found) throw notFound('Upload');
    return found;
  }

  /** Stops a request whose connection was lost, so that the next one can go on. */
  async function stopWriter(id: string): Promise<void> {
    const writer = writers.get(id);
    writer?.stop.abort(takenOver());
    await writer?.ended;
  }

  /** The server may have been killed after the last byte arrived. */
  async function finishIfComplete(state: UploadState): Promise<UploadState> {
    if (state.state !== 'uploading' || state.length === null || state.bytes < state.length) return state;
    const { id, bytes, ...rest } = state;
    await finish(id, bytes);
    return { ...rest, id, bytes, state: 'queued' };
  }

  const mostBytes = ({ plan }: Principal, length: number | null) => length ?? plans[plan].recordingMaxBytes;
  const tooLargeFor = (principal: Principal, length: number | null) =>
    length === null ? recordingTooLarge(mostBytes(principal, null)) : beyondLength(length);

  async function write(
    principal: Principal,
    upload: UploadState,
    coming: number | null,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<number> {
    const { id, length } = upload;
    let { bytes } = upload;
    const most = mostBytes(principal, length);
    const growing = length === null ? plans[principal.plan] : undefined;
    const tooLarge = () => tooLargeFor(principal, length);
    if ((coming ?? 0) > most - bytes) throw tooLarge();
    const rest = bounded(until(chunks, signal), most - bytes, tooLarge);
    await audioStore.append(id, bytes, rest, async (saved) => {
      if (!(await store.recordings.advance(id, saved, now(), growing))) throw takenOver();
      bytes = saved;
      signals.notify(id);
      if (length === null) worker.wake();
    });
    return bytes;
  }

  return {
    /** Raises `validation_error` (language), `payload_too_large` and `quota_exceeded`. */
    async create(principal: Principal, { length, coming, ...draft }: NewUploadDraft): Promise<Recording> {
      if ((coming ?? 0) > mostBytes(principal, length)) throw tooLargeFor(principal, length);
      return begin(principal, draft, { isResumable: true, length });
    },

    /** How much has arrived for good. Raises `not_found`. */
    async state(principal: Principal, id: string): Promise<UploadState> {
      await find(principal, id);
      await stopWriter(id);
      return finishIfComplete(await find(principal, id));
    },

    /**
     * Goes on with an upload at `offset`, and queues the recording when all of it has arrived. If the connection breaks, what
     * arrived is kept. `length` says how long it will be, if the client did not know before, and `coming` how much this request
     * brings, if the client says that.
     * Raises `not_found`, `conflict` (another offset, another writer), `payload_too_large`, and `validation_error` (not audio).
     */
    async append(
      principal: Principal,
      id: string,
      { offset, length, coming }: { offset: number; length?: number | undefined; coming: number | null },
      chunks: AsyncIterable<Uint8Array>,
    ): Promise<UploadState> {
      await find(principal, id);
      await stopWriter(id);
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const stop = new AbortController();
      if (writers.has(id)) throw takenOver();
      writers.set(id, { stop, ended });
      try {
        const upload = await store.recordings.openUpload(
          principal.userId,
          id,
          { offset, length },
          now(),
          plans[principal.plan],
        );
        if (upload === 'not found') throw notFound('Upload');
        if (upload === 'held') throw takenOver();
        if (upload === 'too short')
          throw new AppError('conflict', 'Upload-Length is less than what has arrived.');
        if (typeof upload === 'number') throw wrongOffset(upload);
        const bytes = await write(principal, upload, coming, chunks, stop.signal);
        return await finishIfComplete({ ...upload, bytes });
      } catch (cause) {
        await removeIfDeleted(id);
        throw cause;
      } finally {
        // Silent: this server takes the upload over with the next request, and another one when `tidy` has closed it.
        await store.recordings.closeUpload(id).catch(() => {});
        writers.delete(id);
        resolve();
      }
    },

    /** Raises `not_found`, also for one that is complete: that is a recording, and deleted as one. */
    async remove(principal: Principal, id: string): Promise<void> {
      const { state } = await find(principal, id);
      if (state !== 'uploading') throw notFound('Upload');
      await stopWriter(id);
      await abandon(id);
    },

    /** Deletes abandoned uploads, and queues uploads that are complete, or live and silent for too long. */
    async tidy(): Promise<void> {
      // The database was away when their request ended. Another server may go on with them.
      for (const id of await store.recordings.heldUploads({ isResumable: true }))
        if (!writers.has(id)) await store.recordings.closeUpload(id);
      await store.recordings.removeOldUploads(new Date(clock() - uploadDays * dayMs).toISOString());
      const silentSince = new Date(clock() - silentMs).toISOString();
      // Silent: one that is no audio is deleted by `finish`, and any other is tried again in a minute.
      for (const { id, bytes } of await store.recordings.completeUploads(silentSince))
        await finish(id, bytes).catch(() => {});
    },
  };
}

async function* until(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const stopped = Promise.withResolvers<never>();
  // Silent: the race below raises it; without this line a stop after the race would end the process.
  stopped.promise.catch(() => {});
  const stop = () => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await Promise.race([iterator.next(), stopped.promise]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // Not awaited: it waits for a chunk that may never come.
    void iterator.return?.();
  }
}

const takenOver = () =>
  new AppError('conflict', 'Another request goes on with this upload. Ask for its offset, and go on there.', {
    retryAfterSeconds: 1,
  });

const wrongOffset = (bytes: number) =>
  new AppError('conflict', `Upload-Offset must be ${bytes}: so many bytes have arrived.`);

const beyondLength = (length: number) =>
  new AppError('payload_too_large', `The upload has more than the ${length} bytes that Upload-Length said.`);
