import { pcmRate } from '../../domain/audio.ts';
import { tooManyRecordings } from '../../domain/speech-errors.ts';
import type { Chunk, Recording } from '../../engines/ports/audio.ts';
import type {
  AssembleRequest,
  ChunkRequest,
  Transcribed,
  Transcriber,
} from '../../engines/ports/transcriber.ts';

export interface TranscribeRequest
  extends Pick<ChunkRequest, 'userId' | 'language' | 'prompt' | 'dictionary' | 'signal'>,
    Pick<AssembleRequest, 'speakers'> {
  /** Decodes its next chunk when it is asked for. */
  recording: Recording;
  /**
   * Gets the text part by part, in order, as soon as it is recognised. Together they are the text, but for words that
   * prove to be of a language that the model does not know.
   */
  onText?: ((more: string) => void) | undefined;
  /** Gets the share that is done: from 0 to 1, never less than before. */
  onProgress?: ((done: number) => void) | undefined;
}

/** Under way at once on one engine, waiting ones included; the next one is refused. */
const mostRequests = 64;
const underWay = new WeakMap<Transcriber, number>();
/** Chunks that an engine elsewhere has at once. */
const lanesElsewhere = 2;

/**
 * Transcribes a recording that is in memory. Silence gives an empty text and no segments. Raises what the transcriber
 * raises, and TranscriberUnavailable when too many recordings wait.
 */
export async function transcribeRecording(
  transcriber: Transcriber,
  request: TranscribeRequest,
  maxRequests = mostRequests,
): Promise<Transcribed> {
  request.signal?.throwIfAborted();
  const others = underWay.get(transcriber) ?? 0;
  if (others >= maxRequests) throw tooManyRecordings();
  underWay.set(transcriber, others + 1);
  try {
    return await transcribeAdmitted(transcriber, request);
  } finally {
    underWay.set(transcriber, (underWay.get(transcriber) ?? 1) - 1);
  }
}

async function transcribeAdmitted(
  transcriber: Transcriber,
  request: TranscribeRequest,
): Promise<Transcribed> {
  const { recording, onText, onProgress, signal: asked, ...hints } = request;
  const iterator = recording.chunks()[Symbol.asyncIterator]();
  /** Of the chunks under way. One that failed is not aborted: `fetch` fails once more, where no code can catch it. */
  const working = new Set<AbortController>();
  const details: string[] = [];
  const tell = createTeller(details, (partial) =>
    transcriber.assemble(partial, { ...hints, isPartial: true, signal: asked }),
  );
  let started = 0;
  let done = 0;
  let detectedLanguage: string | undefined;

  async function transcribeNext(): Promise<boolean> {
    const next = await iterator.next();
    if (next.done) return false;
    const at = started++;
    const chunk: Chunk = next.value;
    const stop = new AbortController();
    const signal = asked ? AbortSignal.any([asked, stop.signal]) : stop.signal;
    working.add(stop);
    const { language, detail } = await transcriber
      .transcribeChunk({ ...hints, chunk, detectedLanguage, signal })
      .finally(() => working.delete(stop));
    detectedLanguage ??= language ?? undefined;
    details[at] = detail;
    if (onText) await tell(onText);
    const end = chunk.start + chunk.pcm.length / pcmRate;
    done = Math.max(done, Math.min(0.99, (end * 1000) / recording.durationMs));
    onProgress?.(done);
    return true;
  }

  async function lane(): Promise<void> {
    while (await transcribeNext());
  }

  const running: Promise<unknown>[] = [];
  try {
    // The first chunk tells the language of all.
    if (request.language === undefined) await transcribeNext();
    const lanes = transcriber.status().workers.wanted || lanesElsewhere;
    running.push(...Array.from({ length: lanes }, lane));
    await Promise.all(running);
  } catch (error) {
    for (const stop of working) stop.abort(error);
    await Promise.allSettled(running);
    throw asked?.aborted ? asked.reason : error;
  } finally {
    await iterator.return?.();
  }
  onProgress?.(1);
  return transcriber.assemble(details, { ...hints, signal: asked });
}

/** Tells the text of chunks in their order, though they are ready in any order. */
function createTeller(details: readonly string[], assemble: (details: string[]) => Promise<Transcribed>) {
  let before = '';
  let chunks = 0;
  let last: Promise<void> = Promise.resolve();
  const tellReady = async (onText: (more: string) => void) => {
    while (details[chunks] !== undefined) {
      chunks += 1;
      const { text } = await assemble(details.slice(0, chunks));
      const more = text.slice(text.startsWith(before) ? before.length : sameLength(before, text));
      before = text;
      if (more !== '') onText(more);
    }
  };
  return (onText: (more: string) => void) => {
    last = last.then(() => tellReady(onText));
    return last;
  };
}

/** Few words of a chunk may be dropped when those after them are known; what was told cannot be taken back. */
function sameLength(before: string, after: string): number {
  let at = 0;
  while (at < after.length && after[at] === before[at]) at += 1;
  return at === after.length ? at : Math.max(0, after.lastIndexOf(' ', at));
}
