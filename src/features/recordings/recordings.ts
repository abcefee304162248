import { AppError, notFound } from '../../domain/errors.ts';
import { reachOf, reachOfRecorded } from '../../domain/owner.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../../domain/page.ts';
import type { Principal } from '../../domain/principal.ts';
import { dayMs } from '../../domain/rate-limit.ts';
import type { ListedRecording, Recording, RecordingSettings } from '../../domain/recording.ts';
import { lookThrough, sizedLimit } from '../../domain/said.ts';
import { toParagraphs } from '../../domain/subtitles.ts';
import type { AudioDecoder } from '../../engines/ports/audio.ts';
import type { AudioStore } from '../../platform/audio-store/audio-store.ts';
import type { TranscriptionStore } from '../../platform/database/ports/transcription-store.ts';
import {
  bounded,
  createNewRecordings,
  type NewRecordingDependencies,
  type RecordingDraft,
} from './new-recording.ts';
import type { RecordingChanges, RecordingStore } from './store/types.ts';
import { createWaveforms } from './waveforms.ts';

/** An upload, as it arrives. A form may say what it is after the file, so `draft` is asked again at the end. */
export interface IncomingRecording {
  /** Of its bytes; null if the client did not say. */
  length: number | null;
  chunks: AsyncIterable<Uint8Array>;
  draft(): RecordingDraft;
}

export type Recordings = ReturnType<typeof createRecordings>;

interface Dependencies extends NewRecordingDependencies {
  keepAudioDays: number | null;
  /** Whether an import receives this recording, or has this promise of storage. */
  isImporting?: (id: string) => boolean;
  decoder: Pick<AudioDecoder, 'identify' | 'stream'>;
  store: NewRecordingDependencies['store'] & {
    transcriptions: Pick<TranscriptionStore, 'get' | 'beginnings'>;
  };
}

export function createRecordings(dependencies: Dependencies) {
  const { store, audioStore, plans, worker, signals, sweep, keepAudio, keepAudioDays, clock, newId } =
    dependencies;
  const { isImporting = () => false } = dependencies;
  const waveformOf = createWaveforms(dependencies);
  const { now, begin, finish, abandon, removeSoon } = createNewRecordings(dependencies);
  /** What arrives now in one request. */
  const receiving = new Set<string>();
  /** Silent: the next hour's housekeeping sweeps again, and logs what fails there. */
  const sweepLater = () => void sweep().catch(() => {});

  async function get(principal: Principal, id: string): Promise<Recording> {
    const found = await store.recordings.get(reachOf(principal), id);
    if (!found) throw notFound('Recording');
    return found;
  }

  function checkMayKeep(): void {
    if (!keepAudio) throw new AppError('forbidden', 'This server keeps no audio; ask its operator.');
  }

  const settings = async ({ userId }: Principal): Promise<RecordingSettings> => ({
    keep_audio: keepAudio && (await store.recordings.keepsAudio(userId)),
    may_keep_audio: keepAudio,
    keep_audio_days: keepAudioDays,
  });

  async function withBeginnings(found: readonly Recording[]): Promise<ListedRecording[]> {
    const ids = found.flatMap(({ transcription_id }) => transcription_id ?? []);
    const begun = new Map((await store.transcriptions.beginnings(ids)).map((one) => [one.id, one]));
    return found.map((recording) => {
      const words = begun.get(recording.transcription_id ?? '');
      return { ...recording, word_count: words?.word_count ?? null, beginning: words?.beginning ?? null };
    });
  }

  async function receive(principal: Principal, id: string, incoming: IncomingRecording): Promise<Recording> {
    const { recordingMaxBytes } = plans[principal.plan];
    try {
      let bytes = 0;
      const chunks = bounded(incoming.chunks, recordingMaxBytes);
      try {
        await audioStore.append(id, 0, chunks, async (saved) => {
          if (incoming.length === null)
            await store.recordings.advance(id, saved, now(), plans[principal.plan]);
          bytes = saved;
        });
      } catch (cause) {
        // Before the row: a full disk has no room to write that it is deleted.
        await removeSoon(id);
        throw cause;
      }
      return await finish(id, bytes, { principal, draft: incoming.draft() });
    } catch (cause) {
      await abandon(id);
      throw cause;
    }
  }

  return {
    settings,

    /** For recordings whose upload does not say. Raises `forbidden` if the operator lets no audio stay. */
    async changeSettings(
      principal: Principal,
      { keep_audio }: Pick<RecordingSettings, 'keep_audio'>,
    ): Promise<RecordingSettings> {
      if (keep_audio) checkMayKeep();
      await store.recordings.setKeepsAudio(principal.userId, keep_audio);
      return settings(principal);
    },

    /**
     * Stores the audio and queues the recording. It is transcribed later, so this takes as long as the upload.
     * Raises `validation_error` (language, not audio), `payload_too_large`, `quota_exceeded`, and what `chunks` raises.
     * After any error nothing is kept.
     */
    async upload(principal: Principal, incoming: IncomingRecording): Promise<Recording> {
      const id = newId();
      // Before the row is visible: `tidy` deletes rows that nothing receives.
      receiving.add(id);
      try {
        await begin(principal, incoming.draft(), { isResumable: false, length: incoming.length }, id);
        return await receive(principal, id, incoming);
      } finally {
        receiving.delete(id);
      }
    },

    /** Deletes uploads that broke off while the database was away, and frees what an import had been promised. */
    async tidy(): Promise<void> {
      for (const id of await store.recordings.heldUploads({ isResumable: false }))
        if (!receiving.has(id) && !isImporting(id)) await abandon(id);
      for (const id of await store.recordings.storageReservations())
        if (!isImporting(id)) await store.recordings.freeStorage(id);
    },

    /** Newest first: one's own, or those of a note that one may read. Raises `validation_error` for a bad cursor. */
    async list(
      principal: Principal,
      options: PageOptions & {
        note_id?: string | undefined;
        include?: 'words' | undefined;
        q?: string | undefined;
      },
    ): Promise<Page<ListedRecording>> {
      const query = { ...pageQuery('recordings', options), noteId: options.note_id };
      const reader = reachOfRecorded(principal, options.note_id);
      const search = await lookThrough(options.q, () =>
        store.recordings.sizes(reader, { ...query, limit: sizedLimit }),
      );
      const found = await store.recordings.list(reader, { ...query, said: search?.said });
      const shown = options.include === 'words' ? await withBeginnings(found) : found;
      return toPage('recordings', shown, options.limit, undefined, search?.until);
    },

    /** Whoever may read its note may have it too. Raises `not_found`. */
    get,

    /** With its words, null while there are none. Raises `not_found`. */
    async getWithTranscript(principal: Principal, id: string) {
      const found = await get(principal, id);
      const { transcription_id: words } = found;
      const record = words === null ? undefined : await store.transcriptions.get(reachOf(principal), words);
      const transcript = record ? (record.segments ? toParagraphs(record.segments) : record.text) : null;
      return { ...found, transcript };
    },

    /** Without `keep_audio`, the audio is deleted as soon as its words are stored. Raises `not_found`, `forbidden` and `conflict`. */
    async update({ userId }: Principal, id: string, changes: RecordingChanges): Promise<Recording> {
      if (changes.keep_audio) checkMayKeep();
      const updated = await store.recordings.update(userId, id, changes, now());
      if (updated === 'not found') throw notFound('Recording');
      if (updated === 'no audio')
        throw new AppError('conflict', 'The audio of this recording is gone and cannot be kept.');
      if (!updated.has_audio) sweepLater();
      signals.notify(id);
      return updated;
    },

    /** Deletes the audio and stops the work on it; the transcription stays unless asked. Raises `not_found`. */
    async remove({ userId }: Principal, id: string, options: { withTranscription: boolean }): Promise<void> {
      if (!(await store.recordings.remove(userId, id, options))) throw notFound('Recording');
      worker.cancel(id);
      signals.notify(id);
      // Silent: the recording is deleted, and the next hour's housekeeping sweeps again.
      await sweep().catch(() => {});
    },

    /** Deletes audio that the operator does not let stay, or not so long. The recordings stay. */
    async dropOld(): Promise<void> {
      // One that failed can be tried again.
      if (!keepAudio) await store.recordings.dropAudio(['done'], now(), now());
      if (keepAudioDays === null) return;
      const oldest = new Date(clock() - keepAudioDays * dayMs).toISOString();
      await store.recordings.dropAudio(['done', 'failed'], oldest, now());
    },

    /** Goes on where it failed. Raises `not_found`, and `conflict` for one that did not fail or has no audio. */
    async retry({ userId }: Principal, id: string): Promise<Recording> {
      const queued = await store.recordings.retry(userId, id, now());
      if (queued === 'not found') throw notFound('Recording');
      if (queued === 'not failed') throw new AppError('conflict', 'This recording has not failed.');
      if (queued === 'no audio')
        throw new AppError('conflict', 'The audio of this recording is gone. Upload it again.');
      signals.notify(id);
      worker.wake();
      return queued;
    },

    /** How loud it is from beginning to end. Raises `not_found` without audio or words, and `service_unavailable`. */
    async waveform(principal: Principal, id: string) {
      const found = await get(principal, id);
      if (!found.has_audio || found.state !== 'done') throw notFound('Waveform');
      return { peaks: [...(await waveformOf(found))] };
    },

    /**
     * A range of the audio, or all of it. Raises `not_found`, and `validation_error` for a range that begins after the end.
     */
    async audio(principal: Principal, id: string, range?: { start?: number; end?: number; last?: number }) {
      const { bytes, media_type, has_audio, state, name } = await get(principal, id);
      if (!has_audio || state === 'uploading') throw notFound('Audio');
      const start = range?.last === undefined ? (range?.start ?? 0) : Math.max(0, bytes - range.last);
      const end = Math.min(bytes, range?.end ?? bytes);
      return { bytes, media_type, name, start, end, chunks: () => audioStore.read(id, { start, end }) };
    },
  };
}

/** Removes audio that no recording needs any more. What fails is tried again by the next call. */
export const createSweep =
  (store: { recordings: RecordingStore }, audioStore: AudioStore) => async (): Promise<void> => {
    for (const id of await store.recordings.doomed()) {
      // Removing the others took its time, and an import may have brought this one back.
      if ((await store.recordings.doomed(id)).length === 0) continue;
      await audioStore.remove(id);
      await store.recordings.forget(id);
    }
  };
