import { type AudioFormat, maxUploadBytes } from '../../domain/audio.ts';
import type { Plans } from '../../domain/plans.ts';
import type { Principal } from '../../domain/principal.ts';
import { type Transcription, wordsHeard } from '../../domain/transcription.ts';
import type { AudioDecoder } from '../../engines/ports/audio.ts';
import type { Transcriber } from '../../engines/ports/transcriber.ts';
import type { Clock } from '../../lib/clock.ts';
import type { NewId } from '../../lib/uuid.ts';
import type { Database } from '../../platform/database/database.ts';
import type { LeaseStore } from '../../platform/database/ports/transcription-store.ts';
import * as dictionary from '../dictionary/queries.ts';
import { takeLease } from './lease.ts';
import { recordOf } from './record.ts';
import { transcribeRecording } from './transcribe-recording.ts';

export interface Upload {
  audio: Uint8Array;
  language?: string | undefined;
  prompt?: string | undefined;
  speakers?: number | undefined;
}

interface Options {
  /** Aborts when the client leaves. */
  client: AbortSignal;
  /** Gets the text part by part, as it is recognised. */
  onText?: ((more: string) => void) | undefined;
}

interface Dependencies {
  leases: LeaseStore;
  decoder: AudioDecoder;
  /** What the decoder reads on this machine. */
  formats(): Promise<readonly AudioFormat[]>;
  transcriber: Transcriber;
  database: Database;
  /** `check` raises `service_unavailable` while transcription is paused. */
  pause: { check(): Promise<void> };
  plans: Plans;
  clock: Clock;
  newId: NewId;
}

/** Spelling is corrected with all of them; the prompt of the engine gets the few that fit. */
const maxDictionaryWords = 20_000;

export type Transcribe = ReturnType<typeof createTranscribe>;

export function createTranscribe(dependencies: Dependencies) {
  const { decoder, formats, transcriber, database, pause, plans, clock, newId } = dependencies;
  const running = new Set<Promise<unknown>>();

  /**
   * The recording is only in memory, from `receive` to the answer of the engine. There are two short transactions: one
   * reserves the minutes before the long work, the other writes the record and the ledger and frees the key after it.
   */
  async function transcribe(
    principal: Principal,
    receive: (signal: AbortSignal) => Promise<Upload>,
    { client, onText }: Options,
  ): Promise<Transcription> {
    await pause.check();
    // Before the upload is read: a busy key is refused at once, and no key has two recordings in memory.
    const lease = await takeLease(dependencies, principal, plans[principal.plan], client);
    try {
      const { signal } = lease;
      const { audio, language, prompt, speakers } = await receive(signal);
      transcriber.checkLanguage(language);
      const startedAt = clock();
      // Decoded once to count the minutes, because a header may lie. Decoding stops when the recording is too long.
      const limitMs = await lease.leftMs();
      const recording = await decoder.open(audio, { userId: principal.userId, limitMs, signal });
      await lease.reserve(recording.durationMs);
      const known = await dictionary.forPrompt(database.db, principal.userId, maxDictionaryWords);
      const transcribed = await transcribeRecording(transcriber, {
        recording,
        userId: principal.userId,
        language,
        prompt,
        speakers,
        dictionary: known,
        onText,
        signal,
      });
      signal.throwIfAborted();
      const now = clock();
      const used = wordsHeard(transcribed.text, known);
      if (used.length > 0)
        await database.write((tx) =>
          dictionary.markUsed(tx, principal.userId, used, new Date(now).toISOString()),
        );
      const record = recordOf(transcribed, {
        id: newId(),
        user_id: principal.userId,
        note_id: null,
        audio_duration_ms: recording.durationMs,
        processing_ms: now - startedAt,
        created_at: new Date(now).toISOString(),
      });
      await lease.settle(record);
      return record;
    } finally {
      await lease.end();
    }
  }

  return {
    /**
     * `receive` reads the upload. Raises, in this order: `service_unavailable` (paused), `concurrency_limit`, the errors of
     * `receive`, `validation_error` (language, not audio), `quota_exceeded`, `service_unavailable` (engine).
     * After any error, or if `client` aborts, nothing is charged and the key is free.
     */
    run(...call: Parameters<typeof transcribe>): Promise<Transcription> {
      const result = transcribe(...call);
      // The caller gets the error.
      const ended = result.then(
        () => {},
        () => {},
      );
      running.add(ended);
      void ended.then(() => running.delete(ended));
      return result;
    },

    /** Empty while there is none. */
    model: () => transcriber.status().model,

    /** What a client may send, on this machine. `languages` is empty when the engine does not say. */
    async accepts() {
      const { model, languages } = transcriber.status();
      return {
        model,
        languages: [...languages],
        formats: [...(await formats())],
        max_upload_bytes: maxUploadBytes,
      };
    },

    /** Resolves when every key is free, even if its request was cut off. */
    async idle(): Promise<void> {
      await Promise.all(running);
    },
  };
}
