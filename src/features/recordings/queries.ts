import { sql } from 'kysely';
import { type OwnerFilter, ownedBy, reachOf } from '../../domain/owner.ts';
import type { PageQuery } from '../../domain/page.ts';
import {
  type ChunkText,
  type Recording,
  type RecordingWishes,
  recording,
  recordingWishes,
} from '../../domain/recording.ts';
import type { Said, Sized } from '../../domain/said.ts';
import { mustFit, mustOpen, type StorageLimits } from '../../domain/storage.ts';
import { type Authorized, authorize, type Reach } from '../../kernel/authorized.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { accountDeleted, recordedFor } from '../../platform/database/owners.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { says } from '../../platform/database/says.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { storageUse, takeReserved, type Within } from './storage.ts';

const { columns, all, first, only } = rowsOf(recording);
/** With what only the server needs to know. */
export const whole = rowsOf(recording.extend(recordingWishes.shape));
const { toRow } = whole;
export const toWaveform = (peaks: Uint8Array) => Buffer.from(peaks).toString('base64');

/** A recording that the caller may read: everybody who may read its note may have it too. */
export const reached = authorize('Recording', ({ db, who }: Reach, id: string) => find(db, reachOf(who), id));
/** A recording that the caller made. */
export const own = authorize('Recording', ({ db, who }: Reach, id: string) =>
  find(db, ownedBy(who.userId), id),
);

export const find = (db: Db, reader: OwnerFilter, id: string): Promise<Recording | undefined> =>
  first(db.selectFrom('recordings').select(columns).where('id', '=', id).where(recordedFor(reader)));

const ofIts = (column: 'text' | 'word_count') =>
  sql`(select ${sql.ref(column)} from transcriptions where transcriptions.id = recordings.transcription_id)`;
const wordCount = sql<number | null>`${ofIts('word_count')}`;
const nameAndWords = sql`(recordings.name || ' ' || coalesce(${ofIts('text')}, ''))`;

type Filter = PageQuery & { noteId?: string | undefined };

function listed(db: Db, reader: OwnerFilter, noteId: string | undefined) {
  const query = db.selectFrom('recordings').where(recordedFor(reader));
  return noteId === undefined ? query : query.where('note_id', '=', noteId);
}

export async function page(
  db: Db,
  reader: OwnerFilter,
  { noteId, said, ...page }: Filter & { said?: Said | undefined },
): Promise<Recording[]> {
  if (said?.among.length === 0) return [];
  let query = listed(db, reader, noteId).select(columns);
  if (said) query = query.where('id', 'in', said.among).where(says(nameAndWords, said.words));
  return all(newestFirst(query, page));
}

/** What `page` would give, with the number of words of each. */
export function sizes(db: Db, reader: OwnerFilter, { noteId, ...page }: Filter): Promise<Sized[]> {
  const query = listed(db, reader, noteId).select(['id', 'created_at', wordCount.as('word_count')]);
  return newestFirst(query, page).execute();
}

/** The user's default for uploads that do not say. */
export async function keepsAudio(db: Db, userId: string): Promise<boolean> {
  const row = await db.selectFrom('users').select('keep_audio').where('id', '=', userId).executeTakeFirst();
  return row?.keep_audio === 1;
}

export const setKeepsAudio = (tx: Tx, userId: string, keepsAudio: boolean) =>
  tx
    .updateTable('users')
    .set({ keep_audio: Number(keepsAudio) })
    .where('id', '=', userId)
    .execute();

export interface NewUpload {
  /** Whether it may arrive in several requests. If not, this server receives it in one. */
  isResumable: boolean;
  /** Null if it is not known. */
  length: number | null;
  /** Of `reserve`, from which its bytes are taken. */
  reservation?: string | undefined;
}

/** Begins an upload. Raises `plan_required` if these limits leave no room for its length, or for one more upload. */
export async function insert(
  { database, tx }: Within,
  draft: Recording & RecordingWishes,
  { isResumable, length, reservation }: NewUpload,
  limits?: StorageLimits,
): Promise<void> {
  if (!(await database.holdAccount(tx, draft.user_id))) throw accountDeleted();
  if (limits) {
    const use = await storageUse(tx, draft.user_id);
    mustOpen(limits, use);
    mustFit(limits, use, length ?? 0);
  }
  if (reservation !== undefined && draft.has_audio) await takeReserved(tx, reservation, draft.bytes);
  await tx
    .insertInto('recordings')
    .values({
      ...toRow(draft),
      is_resumable: Number(isResumable),
      is_live: Number(isResumable && length === null),
      upload_length: length,
      holder: isResumable ? '' : database.processId,
      not_before: draft.created_at,
      faults: 0,
    })
    .execute();
}

/**
 * Queues the recording, because everything has arrived. One that another server has queued meanwhile stays as it is. Undefined
 * if it was deleted.
 */
export async function queue(
  tx: Tx,
  id: string,
  { isStreamable = false, ...changes }: Partial<Recording & RecordingWishes> & { isStreamable?: boolean },
  now: string,
): Promise<Recording | undefined> {
  const before = await tx
    .selectFrom('recordings')
    .select(['worker', 'is_live', 'claimed_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!before) return undefined;
  // A job that began during the upload goes on as live: with other cuts its chunks would not fit those stored.
  const isLive = before.is_live === 1 && before.claimed_at !== null && isStreamable;
  await tx
    .updateTable('recordings')
    .set({
      ...toRow({ ...changes, updated_at: now }),
      state: isLive && before.worker !== '' ? 'transcribing' : 'queued',
      is_live: Number(isLive),
      // Another server may still be transcribing this live upload; clearing `worker` makes it stop.
      ...(isLive ? {} : { worker: '' }),
      holder: '',
      not_before: now,
    })
    .where('id', '=', id)
    .where('state', '=', 'uploading')
    .execute();
  return only(tx.selectFrom('recordings').select(columns).where('id', '=', id));
}

export type RecordingChanges = Partial<Pick<Recording, 'name' | 'keep_audio'>>;

/** Without `keep_audio`, the audio goes as soon as its words are stored. */
export async function update(
  tx: Tx,
  before: Authorized<Recording>,
  { speakers, ...changes }: RecordingChanges & { speakers?: number | null },
  now: string,
): Promise<Recording> {
  const dropsAudio = changes.keep_audio === false && before.state === 'done' && before.has_audio;
  const after = { ...before, ...changes, has_audio: before.has_audio && !dropsAudio, updated_at: now };
  await tx
    .updateTable('recordings')
    .set({
      ...toRow(after),
      ...(changes.name === undefined ? {} : { is_named: 1 }),
      ...(speakers === undefined ? {} : { speakers }),
      ...(dropsAudio ? { waveform: null } : {}),
    })
    .where('id', '=', after.id)
    .execute();
  return after;
}

/** Also marks its audio for removal. */
export async function remove(
  tx: Tx,
  { id, transcription_id }: Authorized<Recording>,
  { withTranscription }: { withTranscription: boolean },
): Promise<void> {
  if (withTranscription && transcription_id !== null)
    await tx.deleteFrom('transcriptions').where('id', '=', transcription_id).execute();
  await tx.deleteFrom('recordings').where('id', '=', id).execute();
}

/** Queues a failed recording again; the chunks that were transcribed stay. */
export async function requeue(tx: Tx, before: Authorized<Recording>, now: string): Promise<Recording> {
  const again = { state: 'queued' as const, error: null, error_code: null, updated_at: now };
  await tx
    .updateTable('recordings')
    .set({ ...again, not_before: now, faults: 0 })
    .where('id', '=', before.id)
    .execute();
  return { ...before, ...again };
}

/** Removes an upload that this server gave up on. */
export const abandon = (tx: Tx, id: string) =>
  tx.deleteFrom('recordings').where('id', '=', id).where('state', '=', 'uploading').execute();

/** Undefined until it is made. */
export async function waveform(db: Db, id: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('recordings').select('waveform').where('id', '=', id).executeTakeFirst();
  return typeof row?.waveform === 'string' ? Buffer.from(row.waveform, 'base64') : undefined;
}

export const keepWaveform = (tx: Tx, id: string, peaks: Uint8Array) =>
  tx
    .updateTable('recordings')
    .set({ waveform: toWaveform(peaks) })
    .where('id', '=', id)
    .where('has_audio', '=', 1)
    .execute();

/** The final words so far, from a position on, without gaps. */
export async function texts(db: Db, id: string, from: number): Promise<ChunkText[]> {
  const found = await db
    .selectFrom('recording_stretches')
    .select(['position', 'start_ms', 'end_ms', 'text'])
    .where('recording_id', '=', id)
    .where('position', '>=', from)
    .orderBy('position')
    .execute();
  // Several chunks are transcribed at once, and a later one may be ready first.
  const gap = found.findIndex(({ position }, at) => position !== from + at);
  return gap < 0 ? found : found.slice(0, gap);
}

/** How much of an upload has arrived. Undefined if it was deleted. */
export async function growth(db: Db, id: string): Promise<{ size: number; isComplete: boolean } | undefined> {
  const query = db.selectFrom('recordings').select(['bytes', 'state']).where('id', '=', id);
  const row = await query.executeTakeFirst();
  return row && { size: row.bytes, isComplete: row.state !== 'uploading' };
}

/** Marks for removal the audio of recordings in these states that were made before this. */
export const dropAudio = (tx: Tx, states: readonly Recording['state'][], before: string, now: string) =>
  tx
    .updateTable('recordings')
    .set({ has_audio: 0, waveform: null, updated_at: now })
    .where('has_audio', '=', 1)
    .where('state', 'in', states)
    .where('created_at', '<', before)
    .execute();

/** Recordings that have audio, for a check of the store. */
export const withAudio = (db: Db) =>
  db.selectFrom('recordings').select(['id', 'bytes']).where('has_audio', '=', 1).execute();

/** Audio that is marked for removal and that no recording has: an import brings a recording back under its old id. */
export async function doomed(db: Db, audioId?: string): Promise<string[]> {
  const found = await db
    .selectFrom('doomed_sounds')
    .select('id')
    .$if(audioId !== undefined, (query) => query.where('id', '=', audioId ?? ''))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('recordings')
            .select('recordings.id')
            .whereRef('recordings.id', '=', 'doomed_sounds.id')
            .where('has_audio', '=', 1),
        ),
      ),
    )
    .execute();
  return found.map(({ id }) => id);
}

export const forget = (tx: Tx, audioId: string) =>
  tx.deleteFrom('doomed_sounds').where('id', '=', audioId).execute();
