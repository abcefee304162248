import { AppError, invalid } from '../../domain/errors.ts';
import { firstWords } from '../../domain/first-words.ts';
import { newNote, type StoredNote } from '../../domain/note.ts';
import type { Plan } from '../../domain/plans.ts';
import { recordingLimitMs } from '../../domain/recording.ts';
import { revisionLimits, type Writing } from '../../domain/revision.ts';
import { toParagraphs } from '../../domain/subtitles.ts';
import { wordsHeard } from '../../domain/transcription.ts';
import { dayInWords, monthOf } from '../../domain/usage.ts';
import type { AudioFile, Chunk } from '../../engines/ports/audio.ts';
import type { Transcribed } from '../../engines/ports/transcriber.ts';
import { abortable } from '../../lib/fair-queue.ts';
import { JobLost } from '../../lib/runner.ts';
import * as dictionary from '../dictionary/queries.ts';
import { settle as indexLater } from '../notes/queries.ts';
import { recordOf } from '../transcribe/record.ts';
import { recordedMs } from '../usage/queries.ts';
import { createPartials } from './partial.ts';
import { growth } from './queries.ts';
import type { RecordingJob } from './queue.ts';
import type { Engine } from './recorder.ts';
import * as results from './results.ts';

const maxDictionaryWords = 20_000;
const mostLanes = 4;
const lookEveryMs = 1_000;
/** Audio is resampled to 16,000 samples a second. */
const samplesPerMs = 16;

/**
 * Transcribes a recording from its first missing chunk, and stores each chunk at once. So no chunk is transcribed twice,
 * whatever is killed. `checkTurn` may raise TurnOver between two chunks.
 * Raises `validation_error` and `quota_exceeded` for the recording's own faults, and `service_unavailable` for ours.
 */
export async function transcribeRecording(
  engine: Engine,
  job: RecordingJob,
  signal: AbortSignal,
  checkTurn: () => Promise<void>,
): Promise<void> {
  const { database, audioStore, decoder, transcriber, clock, newId, signals, parts } = engine;
  const { plans, writer } = parts;
  const now = () => new Date(clock()).toISOString();
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const audio = job.isLive
    ? growing(engine, job.id, both)
    : await abortable(audioStore.open(job.id, job.bytes), both);
  if (!audio) throw invalid('The audio of this recording is gone. Upload it again.');

  try {
    const { positions, language: known } = await results.transcribedSoFar(database.db, job.id);
    const skip = firstMissing(positions);
    const plan = plans[job.plan];
    const maxSeconds = plan.recordingMaxMinutes * 60;
    const asked = {
      userId: job.user_id,
      language: job.language ?? undefined,
      prompt: job.prompt ?? undefined,
      dictionary: await dictionary.forPrompt(database.db, job.user_id, maxDictionaryWords),
    };
    let detectedLanguage = known ?? undefined;
    let next = skip;
    const ask = (chunk: Chunk, isPartial: boolean) =>
      transcriber.transcribeChunk({
        ...asked,
        chunk,
        detectedLanguage,
        // A speaker waits for live words.
        isBackground: !job.isLive,
        isPartial,
        signal: both,
      });
    const partials = createPartials({
      isWanted: () => signals.isFollowed(job.id),
      transcribe: ask,
      tell: (text) => signals.setPartial(job.id, text),
      language: () => detectedLanguage,
    });
    const onPartial = (chunk: Chunk) => {
      const finalSoFar = next;
      partials.offer(chunk, () => finalSoFar !== next);
    };
    const stream = await decoder.stream(audio, { skip, maxSeconds, onPartial, signal: both });
    const checkQuota = await quotaOf(plan, job.user_id);
    checkQuota(stream.expectedMs ?? 0);
    const iterator = stream.chunks()[Symbol.asyncIterator]();
    let progress = job.progress;

    async function transcribeChunk(chunk: Chunk, position: number): Promise<void> {
      const startMs = Math.round(chunk.start * 1000);
      const endMs = startMs + Math.round(chunk.pcm.length / samplesPerMs);
      checkQuota(endMs);
      // A partial that failed is transcribed again here, and that raises.
      const transcribed =
        (await partials.transcribedOf(chunk)?.catch(() => null)) ?? (await ask(chunk, false));
      detectedLanguage ??= transcribed.language ?? undefined;
      if (stream.expectedMs) progress = Math.max(progress, Math.min(0.99, endMs / stream.expectedMs));
      const { text, language, detail } = transcribed;
      const part = { text, language, detail, position, start_ms: startMs, end_ms: endMs };
      await database.write((tx) => results.keep({ database, tx }, job.id, part, progress, now()));
      signals.setPartial(job.id, undefined);
    }

    /** False when there is no further chunk. */
    async function transcribeNext(): Promise<boolean> {
      await checkTurn();
      const found = await iterator.next();
      if (found.done) return false;
      const position = next++;
      if (!positions.has(position)) await transcribeChunk(found.value, position);
      return true;
    }

    async function lane(): Promise<void> {
      while (await transcribeNext());
    }

    try {
      // The language of the first chunk is used for all.
      if (asked.language === undefined && detectedLanguage === undefined) await transcribeNext();
      const lanes = Math.min(mostLanes, transcriber.status().workers.wanted || 2);
      await allOrNone(Array.from({ length: lanes }, lane), stop);
    } finally {
      await iterator.return?.();
    }
    const durationMs = stream.durationMs();
    checkQuota(durationMs);
    const details = await results.details(database.db, job.id);
    const speakers = await results.speakers(database.db, job.id);
    const result = await transcriber.assemble(details, { ...asked, speakers, signal: both });
    const ended = {
      ...recordsOf(job, result, durationMs),
      durationMs,
      peaks: stream.peaks(),
      mayKeepAudio: parts.config.recordings.keepAudio,
      isLanguageOn: writer.isOn,
    };
    const { isLarge } = await database.write((tx) => results.settle({ database, tx }, job.id, ended, now()));
    if (isLarge) await indexLater(database);
    parts.languageJobs.wake();
    const used = wordsHeard(result.text, asked.dictionary);
    if (used.length > 0) await database.write((tx) => dictionary.markUsed(tx, job.user_id, used, now()));
  } finally {
    await audio.close();
  }

  async function quotaOf(plan: Plan, userId: string) {
    const month = monthOf(clock());
    const limitMs = recordingLimitMs(plan.recordingMinutesPerMonth);
    const leftMs = Number.isFinite(limitMs)
      ? limitMs - (await recordedMs(database.db, userId, month))
      : limitMs;
    return (ms: number) => {
      if (ms > leftMs) throw recordingQuotaExceeded(plan, month.until);
    };
  }

  function writingOf({ user_id, plan }: RecordingJob, at: number): Writing {
    return {
      by: { edit: null, edited_by: user_id, edited_with: null },
      limits: revisionLimits(newId(), plans[plan], at),
    };
  }

  function recordsOf(of: RecordingJob, transcribed: Transcribed, durationMs: number) {
    const at = clock();
    const createdAt = new Date(at).toISOString();
    const name = firstWords(transcribed.text) ?? of.name;
    const note = of.wants_note ? noteOf(of, transcribed, newId(), createdAt) : null;
    const transcription = recordOf(transcribed, {
      id: newId(),
      user_id: of.user_id,
      note_id: note?.id ?? null,
      audio_duration_ms: durationMs,
      processing_ms: Math.max(0, at - Date.parse(of.started_at)),
      created_at: createdAt,
    });
    const into = of.into_note_id === null ? null : { noteId: of.into_note_id, writing: writingOf(of, at) };
    return { transcription, note, into, name };
  }
}

/** The file of an upload that is still under way. */
function growing(
  { database, audioStore, signals }: Engine,
  id: string,
  signal: AbortSignal,
): AudioFile & { close(): Promise<void> } {
  return {
    size: 0,
    async read(start, end) {
      const file = await audioStore.open(id, end);
      if (!file) throw new JobLost();
      return file.read(start, end).finally(file.close);
    },
    async grown(beyond) {
      for (;;) {
        signal.throwIfAborted();
        const now = await growth(database.db, id);
        if (!now) throw new JobLost();
        if (now.isComplete || now.size > beyond) return now;
        // Another server may receive it.
        await signals.wait(id, lookEveryMs, signal);
      }
    },
    close: async () => {},
  };
}

function noteOf(job: RecordingJob, transcribed: Transcribed, id: string, createdAt: string): StoredNote {
  return newNote({
    edited_by: job.user_id,
    edited_at: createdAt,
    id,
    owner_id: job.note_space_id ?? job.user_id,
    user_id: job.user_id,
    space_id: job.note_space_id,
    title: job.name,
    content: toParagraphs(transcribed.segments),
    content_is_transcript: true,
    note_type: 'upload',
    folder_id: job.note_folder_id,
    transcript: JSON.stringify(transcribed.segments),
    created_at: createdAt,
  });
}

function firstMissing(positions: ReadonlySet<number>): number {
  let at = 0;
  while (positions.has(at)) at += 1;
  return at;
}

/** The first failure stops the others, and is raised when they have stopped. */
async function allOrNone(running: readonly Promise<void>[], stop: AbortController): Promise<void> {
  try {
    await Promise.all(running);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(running);
    throw error;
  }
}

export const recordingQuotaExceeded = ({ recordingMinutesPerMonth }: Plan, resetsAt: string) =>
  new AppError(
    'quota_exceeded',
    `The ${recordingMinutesPerMonth} minutes of recordings of this month are not enough for it; the quota resets on ${dayInWords(resetsAt)}.`,
  );
