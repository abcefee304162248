import { AppError, forbidden, invalid, notFound } from '../../domain/errors.ts';
import { reachOf } from '../../domain/owner.ts';
import { mediaTypeOf, type Recording, recordingLimitMs, unknownMediaType } from '../../domain/recording.ts';
import { NotAudio } from '../../domain/speech-errors.ts';
import { monthOf } from '../../domain/usage.ts';
import type { Reach } from '../../kernel/authorized.ts';
import type { GatheredContext } from '../../kernel/context.ts';
import { abortable } from '../../lib/fair-queue.ts';
import * as folders from '../folders/queries.ts';
import { unknownFolder } from '../notes/change.ts';
import * as notes from '../notes/queries.ts';
import { recordedMs } from '../usage/queries.ts';
import { ownerOf } from '../workspaces/access.ts';
import type { IncomingRecording } from './incoming.ts';
import { recordingQuotaExceeded } from './job.ts';
import * as queries from './queries.ts';
import { type Recorder, timeOf } from './recorder.ts';
import type { RecordingDraft } from './schema.ts';
import * as uploads from './uploads/queries.ts';

// What all ways to upload a recording share: its beginning, and its end.

const removalMs = 2_000;

/** Raises `validation_error` and `not_found`, as POST /notes/create does. */
async function placeOf(reach: Reach, { note, space_id, folder_id, note_id }: RecordingDraft) {
  if (note_id !== undefined) {
    if (note === false || (space_id ?? folder_id) !== undefined)
      throw invalid('note_id names the note. Leave out note, space_id and folder_id.');
    return placeInto(reach, note_id);
  }
  if (!note && (space_id ?? folder_id) !== undefined)
    throw invalid('space_id and folder_id say where its note goes. Add note=true, or leave them out.');
  // Without a space it goes to the person who records it.
  const { ownerId, spaceId } = await ownerOf(reach, space_id);
  const known = folder_id === undefined ? [] : await folders.list(reach.db, ownerId);
  if (folder_id !== undefined && !known.some(({ id }) => id === folder_id)) throw unknownFolder();
  return {
    wants_note: note ?? false,
    note_space_id: spaceId,
    note_folder_id: folder_id ?? null,
    into_note_id: null,
  };
}

/** If the note is gone when the words are there, they make a note in its place. */
async function placeInto({ db, who }: Reach, noteId: string) {
  if (!who.scopes.includes('notes:write')) throw forbidden('note_id needs the scope notes:write.');
  const found = await notes.place(db, reachOf(who), noteId);
  if (!found) throw invalid('note_id must be the id of one of your notes.');
  return {
    wants_note: true,
    note_space_id: found.space_id,
    note_folder_id: found.folder_id,
    into_note_id: noteId,
  };
}

/** Raises `validation_error` for a language that the engine does not know, and for a place that is not there. */
async function detailsOf({ transcriber, clock, parts }: Recorder, reach: Reach, draft: RecordingDraft) {
  transcriber.checkLanguage(draft.language);
  const { keepAudio } = parts.config.recordings;
  return {
    name: draft.name ?? `Recording ${new Date(clock()).toISOString().slice(0, 16).replace('T', ' ')}`,
    is_named: draft.name !== undefined,
    language: draft.language ?? null,
    prompt: draft.prompt ?? null,
    speakers: draft.speakers ?? null,
    ...(await placeOf(reach, draft)),
    ...(draft.keep_audio === undefined ? {} : { keep_audio: keepAudio && draft.keep_audio }),
  };
}

async function checkQuota({ clock, parts }: Recorder, { db, who }: Reach): Promise<void> {
  const plan = parts.plans[who.plan];
  const limitMs = recordingLimitMs(plan.recordingMinutesPerMonth);
  if (!Number.isFinite(limitMs)) return;
  const month = monthOf(clock());
  if ((await recordedMs(db, who.userId, month)) >= limitMs) throw recordingQuotaExceeded(plan, month.until);
}

/**
 * Raises `validation_error` (language, folder), `not_found` (space), `quota_exceeded`, `plan_required` (storage, open uploads), and
 * `payload_too_large` for an announced length.
 */
export async function begin(
  recorder: Recorder,
  reach: Reach,
  draft: RecordingDraft,
  upload: queries.NewUpload,
  id = recorder.newId(),
): Promise<Recording> {
  const { database, parts } = recorder;
  const { userId, plan } = reach.who;
  const { recordingMaxBytes } = parts.plans[plan];
  if ((upload.length ?? 0) > recordingMaxBytes) throw recordingTooLarge(recordingMaxBytes);
  await checkQuota(recorder, reach);
  const details = await detailsOf(recorder, reach, draft);
  const createdAt = timeOf(recorder);
  const recording = {
    id,
    user_id: userId,
    keep_audio: parts.config.recordings.keepAudio && (await queries.keepsAudio(reach.db, userId)),
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
  await database.write((tx) => queries.insert({ database, tx }, recording, upload, parts.plans[plan]));
  return recording;
}

/**
 * Stores the audio and queues the recording. It is transcribed later, so this takes as long as the upload.
 * Raises `validation_error` (language, not audio), `payload_too_large`, `quota_exceeded`, and what the chunks raise.
 * After any error nothing is kept.
 */
export async function receive(
  recorder: Recorder,
  reach: Reach & Partial<Pick<GatheredContext, 'complete'>>,
  incoming: IncomingRecording,
): Promise<Recording> {
  const { database, audioStore, receiving, newId, parts } = recorder;
  const plan = parts.plans[reach.who.plan];
  const id = newId();
  // Before the row is visible: `tidy` deletes rows that no request receives.
  receiving.add(id);
  try {
    await begin(recorder, reach, incoming.draft(), { isResumable: false, length: incoming.length }, id);
    try {
      let bytes = 0;
      const chunks = bounded(incoming.chunks, plan.recordingMaxBytes);
      await audioStore
        .append(id, 0, chunks, async (saved) => {
          const grow = () =>
            database.write((tx) => uploads.advance({ database, tx }, id, saved, timeOf(recorder), plan));
          if (incoming.length === null) await grow();
          bytes = saved;
        })
        .catch(async (cause: unknown) => {
          // Before the row: a full disk has no room to write that it is deleted.
          await removeSoon(recorder, id);
          throw cause;
        });
      return await finish(recorder, id, bytes, { reach, draft: incoming.draft() });
    } catch (cause) {
      await abandon(recorder, id);
      throw cause;
    }
  } finally {
    receiving.delete(id);
  }
}

/** Queues what has arrived. Raises `validation_error` and keeps nothing if that is no audio; `not_found` if it was deleted. */
export async function finish(
  recorder: Recorder,
  id: string,
  bytes: number,
  said?: { reach: Reach & Partial<Pick<GatheredContext, 'complete'>>; draft: RecordingDraft },
): Promise<Recording> {
  const { database, signals, worker } = recorder;
  try {
    const type = await typeOf(recorder, id, bytes);
    // A job that began with the growing file would fail; it starts again with the complete one.
    if (!type.isStreamable) worker.cancel(id);
    const details = said ? await detailsOf(recorder, said.reach, said.draft) : {};
    const queued = await database.write(async (tx) => {
      const recording = await queries.queue(tx, id, { ...details, ...type, bytes }, timeOf(recorder));
      if (!recording) throw notFound('Recording');
      // Kept, because the recording does not stay as it is now.
      await said?.reach.complete?.(tx, { id, kept: recording });
      return recording;
    });
    signals.notify(id);
    worker.wake();
    return queued;
  } catch (cause) {
    if (cause instanceof AppError && cause.status < 500) await abandon(recorder, id);
    throw cause;
  }
}

/** By its content, because what a client says may be wrong. */
async function typeOf({ audioStore, decoder }: Recorder, id: string, bytes: number) {
  const file = bytes === 0 ? undefined : await audioStore.open(id, bytes);
  const found = await (file && decoder.identify(file).finally(() => file.close()));
  if (!found) throw new NotAudio();
  return { media_type: mediaTypeOf(found.container), isStreamable: found.isStreamable };
}

/** Nothing of the upload is kept. */
export async function abandon(recorder: Recorder, id: string): Promise<void> {
  const { database, signals, parts } = recorder;
  // Silent: `tidy` deletes the row within a minute, and another server when this one is gone.
  await database.write((tx) => queries.abandon(tx, id)).catch(() => {});
  await removeIfDeleted(recorder, id);
  signals.notify(id);
  // Silent: the next hour's housekeeping sweeps again.
  void parts.sweepAudio().catch(() => {});
}

/** The recording, or its account, may be deleted while bytes arrive. Then no row marks the bytes that came later. */
export async function removeIfDeleted(recorder: Recorder, id: string): Promise<void> {
  try {
    if (!(await queries.growth(recorder.database.db, id))) await removeSoon(recorder, id);
  } catch {
    // `steno doctor` finds it.
  }
}

/** An upload does not wait for a store that hangs: deleting the row marks the audio for removal too. */
const removeSoon = ({ audioStore }: Recorder, id: string) =>
  // Silent: the mark in the database stays, and the next sweep removes it.
  abortable(audioStore.remove(id), AbortSignal.timeout(removalMs)).catch(() => {});

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
