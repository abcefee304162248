import { AppError, conflict, notFound } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';
import { dayMs } from '../../../domain/rate-limit.ts';
import type { Reach } from '../../../kernel/authorized.ts';
import { isoAfter } from '../../../lib/clock.ts';
import { abortable } from '../../../lib/fair-queue.ts';
import { abandon, begin, bounded, finish, recordingTooLarge, removeIfDeleted } from '../receive.ts';
import { type Recorder, timeOf } from '../recorder.ts';
import type { RecordingDraft } from '../schema.ts';
import type { Within } from '../storage.ts';
import * as queries from './queries.ts';

// Uploads in several requests (decision 101). What was acknowledged is on disk, and the next request goes on there.

/** What a client says of an upload. `length`: null while it does not know it; `coming`: how much this request brings, if it says so. */
interface Announced {
  length: number | null;
  coming: number | null;
}

/** An upload to which nothing is added is deleted after this. */
export const uploadDays = 7;

/** A live upload without a new byte ends after this. */
const silentMs = 300_000;

async function find({ db, who }: Reach, id: string): Promise<queries.Upload> {
  const found = await queries.findUpload(db, who.userId, id);
  if (!found) throw notFound('Upload');
  return found;
}

/** Stops a request whose connection was lost, so that the next one can go on. */
async function stopWriter({ writers }: Recorder, id: string): Promise<void> {
  const writer = writers.get(id);
  writer?.stop.abort(takenOver());
  await writer?.ended;
}

/** The server may have been killed after the last byte arrived. */
async function finishIfComplete(recorder: Recorder, upload: queries.Upload): Promise<queries.Upload> {
  const { id, bytes, state, upload_length: length } = upload;
  if (state !== 'uploading' || length === null || bytes < length) return upload;
  await finish(recorder, id, bytes);
  return { ...upload, state: 'queued' };
}

/** How many bytes may still come. Raises `payload_too_large` if this request brings more. */
function boundOf(recorder: Recorder, { plan }: Principal, { length, coming }: Announced, bytes = 0) {
  const most = length ?? recorder.parts.plans[plan].recordingMaxBytes;
  const tooLarge = () => (length === null ? recordingTooLarge(most) : beyondLength(length));
  if ((coming ?? 0) > most - bytes) throw tooLarge();
  return { left: most - bytes, tooLarge };
}

/** Raises `validation_error` (language), `payload_too_large` and `quota_exceeded`. */
export async function create(
  recorder: Recorder,
  reach: Reach,
  draft: RecordingDraft,
  { length, coming }: Announced,
) {
  boundOf(recorder, reach.who, { length, coming });
  return begin(recorder, reach, draft, { isResumable: true, length });
}

/** How much has arrived for good. Raises `not_found`. */
export async function stateOf(recorder: Recorder, reach: Reach, id: string): Promise<queries.Upload> {
  await find(reach, id);
  await stopWriter(recorder, id);
  return finishIfComplete(recorder, await find(reach, id));
}

/**
 * Goes on with an upload at `offset`, and queues the recording when all of it has arrived. If the connection breaks, what
 * arrived is kept. Raises `not_found`, `conflict` (another offset, another writer), `payload_too_large`, and `validation_error`
 * (not audio).
 */
export async function append(
  recorder: Recorder,
  reach: Reach,
  id: string,
  { offset, ...announced }: Announced & { offset: number },
  chunks: AsyncIterable<Uint8Array>,
): Promise<queries.Upload> {
  const { database, writers } = recorder;
  await find(reach, id);
  await stopWriter(recorder, id);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const stop = new AbortController();
  if (writers.has(id)) throw takenOver();
  writers.set(id, { stop, ended });
  try {
    const upload = await database.write((tx) =>
      open({ database, tx }, recorder, reach.who, id, offset, announced.length),
    );
    const bytes = await write(recorder, reach.who, upload, announced.coming, until(chunks, stop.signal));
    return await finishIfComplete(recorder, { ...upload, bytes });
  } catch (cause) {
    await removeIfDeleted(recorder, id);
    throw cause;
  } finally {
    // Silent: this server takes the upload over with the next request, and another one when `tidy` has closed it.
    await database.write((tx) => queries.close({ database, tx }, id)).catch(() => {});
    writers.delete(id);
    resolve();
  }
}

/** This server goes on with the upload. */
async function open(
  within: Within,
  recorder: Recorder,
  who: Principal,
  id: string,
  offset: number,
  length: number | null,
): Promise<queries.Upload> {
  const upload = await find({ db: within.tx, who }, id);
  if (upload.state !== 'uploading' || upload.bytes !== offset) throw wrongOffset(upload.bytes);
  if (await queries.isHeldElsewhere(within, upload)) throw takenOver();
  const known = upload.upload_length ?? length;
  if (known !== null && known < upload.bytes) throw conflict('Upload-Length is less than what has arrived.');
  const limits = recorder.parts.plans[who.plan];
  await queries.open(within, upload, { userId: who.userId, length: known, limits }, timeOf(recorder));
  return { ...upload, upload_length: known };
}

/** Returns how many bytes have arrived in all. */
async function write(
  recorder: Recorder,
  who: Principal,
  { id, bytes: before, upload_length: length }: queries.Upload,
  coming: number | null,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { database, audioStore, signals, worker, parts } = recorder;
  const { left, tooLarge } = boundOf(recorder, who, { length, coming }, before);
  const limits = length === null ? parts.plans[who.plan] : undefined;
  let bytes = before;
  await audioStore.append(id, bytes, bounded(chunks, left, tooLarge), async (saved) => {
    const isOurs = await database.write((tx) =>
      queries.advance({ database, tx }, id, saved, timeOf(recorder), limits),
    );
    if (!isOurs) throw takenOver();
    bytes = saved;
    signals.notify(id);
    if (length === null) worker.wake();
  });
  return bytes;
}

/** Raises `not_found`, also for one that is complete: that is a recording, and deleted as one. */
export async function remove(recorder: Recorder, reach: Reach, id: string): Promise<void> {
  const { state } = await find(reach, id);
  if (state !== 'uploading') throw notFound('Upload');
  await stopWriter(recorder, id);
  await abandon(recorder, id);
}

/** Deletes abandoned uploads, and queues uploads that are complete, or live and silent for too long. */
export async function tidyUploads(recorder: Recorder): Promise<void> {
  const { database, writers } = recorder;
  const now = timeOf(recorder);
  // The database was away when their request ended. Another server may go on with them.
  for (const { id } of await queries.held(database, { isResumable: true }))
    if (!writers.has(id)) await database.write((tx) => queries.close({ database, tx }, id));
  await database.write((tx) => queries.removeOld(tx, isoAfter(now, -uploadDays * dayMs)));
  // Silent: one that is no audio is deleted by `finish`, and any other is tried again in a minute.
  for (const { id, bytes } of await queries.complete(database, isoAfter(now, -silentMs)))
    await finish(recorder, id, bytes).catch(() => {});
}

async function* until(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await abortable(iterator.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: it waits for a chunk that may never come.
    void iterator.return?.();
  }
}

const takenOver = () =>
  conflict('Another request goes on with this upload. Ask for its offset, and go on there.', {
    retryAfterSeconds: 1,
  });

const wrongOffset = (bytes: number) =>
  conflict(`Upload-Offset must be ${bytes}: so many bytes have arrived.`);

const beyondLength = (length: number) =>
  new AppError('payload_too_large', `The upload has more than the ${length} bytes that Upload-Length said.`);
