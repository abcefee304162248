import { type Transcription, wordsHeard } from '../../domain/transcription.ts';
import * as dictionary from '../dictionary/queries.ts';
import { type Acting, takeLease } from './lease.ts';
import { refuseWhilePaused } from './pause.ts';
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

/** Spelling is corrected with all of them; the prompt of the engine gets the few that fit. */
const maxDictionaryWords = 20_000;

/**
 * `receive` reads the upload. Raises, in this order: `service_unavailable` (paused), `concurrency_limit`, the errors of
 * `receive`, `validation_error` (language, not audio), `quota_exceeded`, `service_unavailable` (engine).
 * After any error, or if `client` aborts, nothing is charged and the key is free.
 */
export function transcribe(
  context: Acting,
  receive: (signal: AbortSignal) => Promise<Upload>,
  options: Options,
): Promise<Transcription> {
  const { underWay } = context.parts.speech();
  const work = transcribeOnce(context, receive, options);
  underWay.add(work);
  return work.finally(() => underWay.delete(work));
}

/**
 * The recording is only in memory, from `receive` to the answer of the engine. There are two short transactions: one
 * reserves the minutes before the long work, the other writes the record and the ledger and frees the key after it.
 */
async function transcribeOnce(
  context: Acting,
  receive: (signal: AbortSignal) => Promise<Upload>,
  { client, onText }: Options,
): Promise<Transcription> {
  const { database, parts, newId, who } = context;
  const { decoder, transcriber } = parts.speech();
  const { userId } = who;
  await refuseWhilePaused(context);
  // Before the upload is read: a busy key is refused at once, and no key has two recordings in memory.
  const lease = await takeLease(context, client);
  try {
    const { signal } = lease;
    const { audio, ...hints } = await receive(signal);
    transcriber.checkLanguage(hints.language);
    const startedAt = parts.clock();
    // Decoded once to count the minutes, because a header may lie. Decoding stops when the recording is too long.
    const limitMs = await lease.leftMs();
    const recording = await decoder.open(audio, { userId, limitMs, signal });
    await lease.reserve(recording.durationMs);
    const known = await dictionary.forPrompt(database.db, userId, maxDictionaryWords);
    const { language, prompt, speakers } = hints;
    const transcribed = await transcribeRecording(transcriber, {
      recording,
      userId,
      language,
      prompt,
      speakers,
      dictionary: known,
      onText,
      signal,
    });
    signal.throwIfAborted();
    const endedAt = parts.clock();
    const created_at = new Date(endedAt).toISOString();
    const used = wordsHeard(transcribed.text, known);
    if (used.length > 0) await database.write((tx) => dictionary.markUsed(tx, userId, used, created_at));
    const record = recordOf(transcribed, {
      id: newId(),
      user_id: userId,
      note_id: null,
      audio_duration_ms: recording.durationMs,
      processing_ms: endedAt - startedAt,
      created_at,
    });
    await lease.settle(record);
    return record;
  } finally {
    await lease.end();
  }
}
