import { pcmRate } from '../../../domain/audio.ts';
import { TranscriberUnavailable, UnsupportedLanguage } from '../../../domain/speech-errors.ts';
import type { Segment } from '../../../domain/transcript.ts';
import type { Chunk } from '../../ports/audio.ts';
import type {
  AssembleRequest,
  ChunkRequest,
  ChunkWord,
  Transcribed,
  Transcriber,
} from '../../ports/transcriber.ts';
import { engineLanguage } from '../languages.ts';
import { choosePrompt, expectedNames } from '../names/vocabulary.ts';
import { createSegmentMender } from '../segments.ts';
import { toWav } from '../wav.ts';
import { type Answer, readAnswer } from './answer.ts';
import { createPrecedence, createTurns } from './queue.ts';

export interface HttpTranscriberOptions {
  /** Of the server, with or without `/v1`. Requests go to `/v1/audio/transcriptions`. */
  url: string;
  key?: string;
  model?: string;
  /** Gets the reason when the server stops answering, for the log. */
  onProblem?: ((problem: string) => void) | undefined;
  /** Gets the reason of each call that fails. */
  onFault?: ((reason: string) => void) | undefined;
  /** Gets the seconds that each answer took. */
  onWorked?: ((seconds: number) => void) | undefined;
  /** For a chunk of so many seconds. */
  deadlineMs?: (seconds: number) => number;
  /** Others are refused here. Empty: the server decides. */
  languages?: readonly string[];
}

const provider = 'http';
const defaultDeadlineMs = (seconds: number) => 60_000 + seconds * 2_000;
const mostAnswerBytes = 50_000_000;

/** Any server with OpenAI's transcription call. It is asked for words and their times; some give only the text. */
export function createHttpTranscriber(options: HttpTranscriberOptions): Transcriber {
  const { model = 'whisper-1', deadlineMs = defaultDeadlineMs, languages = [] } = options;
  const endpoint = `${options.url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/audio/transcriptions`;
  const inTurn = createTurns();
  const { urgently, whenFree } = createPrecedence();
  let problem: string | null = null;

  function assemble(answers: readonly Answer[], request: AssembleRequest): Transcribed {
    const segments = answers.flatMap((answer) => answer.segments);
    const language = answers.find((answer) => answer.language !== null)?.language;
    return {
      text: textOf(segments),
      language: language ?? engineLanguage(request.language, languages) ?? null,
      segments,
      provider,
      model,
    };
  }

  /** All chunks of a recording come with the same dictionary; the index of 20,000 names takes some tenths of a second. */
  const menders = new WeakMap<object, ReturnType<typeof createSegmentMender>>();
  function menderOf(request: Vocabulary) {
    const key = request.dictionary ?? request;
    const mender = menders.get(key) ?? createSegmentMender(expectedNames(request));
    menders.set(key, mender);
    return mender;
  }

  function explained(error: unknown, signal: AbortSignal | undefined): unknown {
    if (error instanceof TranscriberUnavailable) {
      const reason = reasonOf(error.cause ?? error);
      if (!signal?.aborted) options.onFault?.(`${new URL(endpoint).host}: ${reason}`);
      if (problem === null) options.onProblem?.(reason);
      problem = reason;
    }
    return signal?.aborted ? signal.reason : error;
  }

  /** The server runs Whisper too, which writes "you" for silence: it gets nothing but chunks with speech. */
  async function ask(
    { start, pcm }: Chunk,
    request: Vocabulary,
    language: string | undefined,
    stop: AbortSignal | undefined,
  ): Promise<Answer> {
    const seconds = pcm.length / pcmRate;
    const fields = {
      model,
      temperature: '0',
      ...(language !== undefined && { language }),
      ...promptField(request),
    };
    const late = AbortSignal.timeout(Math.ceil(deadlineMs(seconds)));
    const signal = stop ? AbortSignal.any([stop, late]) : late;
    const file = new Blob([toWav(pcm)], { type: 'audio/wav' });
    const send = (response_format: string) =>
      inTurn(() => post(file, { ...fields, response_format }, signal), signal).catch((cause: unknown) => {
        throw cause instanceof TranscriberUnavailable ? cause : unavailable(cause);
      });
    const verbose = await send('verbose_json');
    // Some models give plain JSON only, and answer 400 about the format.
    const response =
      verbose.status === 400 && /response_format|verbose_json|timestamp_granularities/.test(verbose.body)
        ? await send('json')
        : verbose;
    const answer = understand(response, seconds, language);
    return { ...answer, segments: answer.segments.map((segment) => later(segment, start)) };
  }

  async function post(file: Blob, fields: Fields, signal: AbortSignal): Promise<Response> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    if (fields.response_format === 'verbose_json')
      for (const kind of ['word', 'segment']) form.append('timestamp_granularities[]', kind);
    form.append('file', file, 'audio.wav');
    const startedAt = performance.now();
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        body: form,
        // A redirect would send the recording and the key somewhere else.
        redirect: 'error',
        headers: options.key ? { authorization: `Bearer ${options.key}` } : {},
        signal,
      });
      if (Number(response.headers.get('content-length') ?? 0) > mostAnswerBytes)
        throw new Error('answer too large');
      const body = await response.text();
      options.onWorked?.((performance.now() - startedAt) / 1_000);
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  return {
    async transcribeChunk({ chunk, signal, detectedLanguage, isBackground, isPartial, ...request }) {
      const language = engineLanguage(request.language, languages) ?? detectedLanguage;
      try {
        const work = () => ask(chunk, request, language, signal);
        if (isBackground) await whenFree(signal);
        // Partial transcripts of a live upload follow one another, so recordings would wait for as long as a person speaks.
        const given = await (isBackground || isPartial ? work() : urgently(work));
        const answer = { ...given, segments: given.segments.map(menderOf(request)) };
        problem = null;
        return {
          text: textOf(answer.segments),
          words: answer.segments.flatMap(wordsOf),
          language: answer.language,
          detail: JSON.stringify(answer),
        };
      } catch (error) {
        throw explained(error, signal);
      }
    },
    // Written above.
    assemble: async (details, request) =>
      assemble(
        details.map((detail) => JSON.parse(detail) as Answer),
        request,
      ),
    checkLanguage: (language) => void engineLanguage(language, languages),
    status: () => ({
      // Taken to be there until a request fails.
      state: problem === null ? 'ready' : 'failed',
      model,
      languages,
      workers: { wanted: 0, ready: 0, busy: 0 },
      problem,
    }),
    close: async () => {},
  };
}

/** "fetch failed" says nothing; what is behind it does. */
const reasonOf = (cause: unknown): string =>
  cause instanceof Error && cause.cause instanceof Error
    ? `${cause.message}: ${reasonOf(cause.cause)}`
    : String(cause);

const textOf = (segments: readonly Segment[]) => segments.map(({ text }) => text).join(' ');

const wordsOf = ({ text, words, start, end }: Segment): ChunkWord[] =>
  words.length > 0
    ? words.map(({ word, ...when }) => ({ text: ` ${word}`, ...when }))
    : [{ text: ` ${text}`, start, end }];

const later = (segment: Segment, seconds: number): Segment => ({
  ...segment,
  start: segment.start + seconds,
  end: segment.end + seconds,
  words: segment.words.map((word) => ({ ...word, start: word.start + seconds, end: word.end + seconds })),
});

type Fields = { response_format: string } & Record<string, string>;

interface Response {
  status: number;
  retryAfter: string | null;
  body: string;
}

type Vocabulary = Pick<ChunkRequest, 'prompt' | 'dictionary'>;

function promptField({ prompt = '', dictionary = [] }: Vocabulary): { prompt?: string } {
  const chosen = choosePrompt({ prompt, dictionary });
  return chosen === '' ? {} : { prompt: chosen };
}

function understand(
  { status, retryAfter, body }: Response,
  seconds: number,
  language: string | undefined,
): Answer {
  if (status === 400 && language !== undefined && /language/i.test(body))
    throw new UnsupportedLanguage(language, []);
  if (status < 200 || status > 299)
    throw unavailable(
      new Error(`the server answered ${status}: ${body.slice(0, 300)}`),
      Number(retryAfter) || undefined,
    );
  try {
    return readAnswer(JSON.parse(body), seconds);
  } catch (cause) {
    throw unavailable(cause);
  }
}

const unavailable = (cause: unknown, retryAfterSeconds = 10) =>
  new TranscriberUnavailable('The speech engine cannot be reached. Try again in a moment.', {
    retryAfterSeconds: Math.min(300, Math.max(1, retryAfterSeconds)),
    cause,
  });
