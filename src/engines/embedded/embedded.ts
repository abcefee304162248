import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { TranscriberUnavailable, tooManyRecordings } from '../../domain/speech-errors.ts';
import { termsOf } from '../../domain/vocabulary.ts';
import type { Stretch } from '../../ports/audio.ts';
import type {
  ConcludeRequest,
  Transcribed,
  TranscribeRequest,
  Transcriber,
} from '../../ports/transcriber.ts';
import { eachStretch } from '../each-stretch.ts';
import { engineLanguage } from '../languages.ts';
import type { ModelInfo, Piece, StretchTask } from '../recogniser.ts';
import { followingText, textOf, toSegments } from '../segments.ts';
import type { PackedVoices } from '../speakers/describe-voices.ts';
import { keepKnown } from '../unknown-language.ts';
import { type Heard, packHeard, unpackHeard } from './heard.ts';
import { locateModel, type ModelFile } from './model-file.ts';
import { createPool, type Pool, type PoolTask } from './pool.ts';

export interface EmbeddedOptions {
  /** Path of a GGML or GGUF model; empty for the one that was chosen in `modelsFolder`, or that comes with Steno. */
  model?: string;
  modelsFolder?: string;
  workers?: number;
  /** For what is made of the model once, where the folder of the packages cannot be written to. */
  cacheFolder?: string;
  /** The rest is for tests. Threads of each worker. */
  threads?: number;
  /** Requests under way at once, waiting ones included; the next one is refused. */
  maxRequests?: number;
  /** A worker that takes more is replaced. */
  memoryCapBytes?: number;
  /** Worker code that misbehaves, and how long it may take for so many seconds of speech. */
  workerScript?: URL;
  deadlineMs?: (seconds: number) => number;
}

const provider = 'embedded';
/** Beside the packages, so that a new installation begins anew. */
const installedCache = fileURLToPath(new URL('../../../node_modules/.cache/steno', import.meta.url));
export const cacheFolders = (other = '') => (other === '' ? [installedCache] : [installedCache, other]);
/** A model of this size gains nothing from more. */
const mostThreads = 8;
/** Measured with the model that comes with Steno: 220 to 260 MB at rest, up to 340 MB on a full window of 30 s. */
const boxedWorkerBytes = 340_000_000;

/** Well above what the model needs, also while the graphs are made. */
const memoryCapBytes = (workerBytes: number) => Math.max(1_500_000_000, 3 * workerBytes);

interface Machine {
  cores?: number;
  memoryBytes?: number;
  workerBytes?: number;
}

/** One for each core, at most four, and together at most two fifths of the memory, with half as much again to spare. */
export const defaultWorkers = ({
  cores = availableParallelism(),
  memoryBytes = totalmem(),
  workerBytes = boxedWorkerBytes,
}: Machine = {}) => Math.max(1, Math.min(cores, 4, Math.floor((memoryBytes * 0.4) / (workerBytes * 1.5))));

/** A stretch takes a fifth of its length on two free cores. After a minute and fifty times that it hangs. */
const defaultDeadlineMs = (seconds: number) => 60_000 + seconds * 10_000;

/** Whisper in processes of its own, which begin to load the model at once, in the background. */
export function createEmbeddedTranscriber(options: EmbeddedOptions = {}): Transcriber {
  const find = () => locateModel(options.model ?? '', options.modelsFolder);
  const maxRequests = options.maxRequests ?? 64;
  let model = findNow(find);
  const workerBytes = model?.workerBytes ?? boxedWorkerBytes;
  const workers = options.workers ?? defaultWorkers({ workerBytes });
  let info: ModelInfo | undefined;
  let requests = 0;
  const pool = createPool({
    model: async () => {
      model ??= find();
      return model;
    },
    workers,
    threads: options.threads ?? Math.min(availableParallelism(), mostThreads),
    cacheFolders: cacheFolders(options.cacheFolder),
    memoryCapBytes: options.memoryCapBytes ?? memoryCapBytes(workerBytes),
    deadlineMs: options.deadlineMs ?? defaultDeadlineMs,
    ...(options.workerScript && { script: options.workerScript }),
  });
  void pool.info.then((loaded) => {
    info = loaded;
  }, ignore);

  const languages = () => info?.languages ?? model?.languages ?? [];

  async function transcribe(request: TranscribeRequest): Promise<Transcribed> {
    request.signal?.throwIfAborted();
    engineLanguage(request.language, languages());
    if (requests >= maxRequests) throw tooManyRecordings();
    requests += 1;
    try {
      return await transcribeAdmitted(request, pool);
    } finally {
      requests -= 1;
    }
  }

  return {
    transcribe,
    async hear({ stretch, userId, isBackground, isProvisional, signal, heardLanguage, ...request }) {
      const loadedModel = await loaded(pool, signal);
      const language = engineLanguage(request.language, loadedModel.languages) ?? heardLanguage;
      const words = { language, nameList: nameListOf(request) };
      const task = { owner: userId, isBackground, signal };
      const heard = await hear(pool, stretch, words, task, !isProvisional);
      const { pieces } = heard;
      return { text: textOf(pieces), words: pieces, language: heard.language, detail: packHeard(heard) };
    },
    async conclude(details, request) {
      return conclude(details.map(unpackHeard), request, pool, await loaded(pool, request.signal));
    },
    checkLanguage: (language) => void engineLanguage(language, languages()),
    status() {
      const { ready, busy, problem } = pool.state();
      const state = ready > 0 ? 'ready' : problem === null ? 'starting' : 'failed';
      return {
        state,
        model: info?.model ?? model?.name ?? '',
        runtime: info?.runtime,
        languages: languages(),
        workers: { wanted: workers, ready, busy },
        requests,
        problem: ready > 0 ? null : problem,
      };
    },
    close: () => pool.close(),
  };
}

/** A model that cannot be read yet is looked for again when a worker starts, and the problem told there. */
function findNow(find: () => ModelFile): ModelFile | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

async function transcribeAdmitted(request: TranscribeRequest, pool: Pool): Promise<Transcribed> {
  const { signal, userId, onText } = request;
  const info = await loaded(pool, signal);
  const nameList = nameListOf(request);
  const isJudged =
    info.languages.length === 1 && engineLanguage(request.language, info.languages) === undefined;
  let language = engineLanguage(request.language, info.languages);
  let first: Promise<unknown> | undefined;

  async function recognise(stretch: Stretch, stop: AbortSignal): Promise<Heard> {
    // It tells the language of all: what is heard at the same time must not disagree, or be another each time.
    if (first && language === undefined && info.languages.length > 1) await first;
    const hearing = hear(pool, stretch, { language, nameList }, { owner: userId, signal: stop });
    first ??= hearing;
    const heard = await hearing;
    language ??= heard.language ?? undefined;
    return heard;
  }

  const before: Piece[][] = [];
  let isFirst = true;
  /** Few words of a stretch are judged together with those before it; in the end, with all of them. */
  function tell({ pieces }: Heard): void {
    before.push(pieces);
    const more = followingText(isJudged ? (keepKnown(before).at(-1) ?? []) : pieces, isFirst);
    if (more === '') return;
    isFirst = false;
    onText?.(more);
  }

  return conclude(await eachStretch(request, pool.workers, recognise, onText && tell), request, pool, info);
}

const nameListOf = ({ prompt = '', dictionary = [] }: Pick<TranscribeRequest, 'prompt' | 'dictionary'>) =>
  [...new Set([...termsOf(prompt), ...dictionary])].join('\n');

/**
 * The words and the voices of a stretch. Choosing the words takes one core, so another worker that has nothing to do
 * describes the voices meanwhile; not sooner, since both are slower while the words' work is for all cores.
 */
async function hear(
  pool: Pool,
  { start, pcm, voice }: Stretch,
  words: Pick<StretchTask, 'language' | 'nameList'>,
  task: PoolTask,
  wantsVoices = true,
): Promise<Heard> {
  let describing: Promise<PackedVoices | null> | undefined;
  const describe = () => {
    if (!wantsVoices) return null;
    describing ??= pool.describeVoices({ pcm, voice }, task);
    // Told below, if the words do not fail first.
    describing.catch(ignore);
    return describing;
  };
  const heard = await pool.recognise({ pcm, voice, ...words }, task, describe);
  const voices = await describe();
  const pieces = heard.pieces.map((piece) => ({
    ...piece,
    start: start + piece.start,
    end: start + piece.end,
  }));
  return { language: heard.language, start, pieces, voices };
}

async function conclude(
  heard: readonly Heard[],
  request: ConcludeRequest,
  pool: Pool,
  { model, languages }: ModelInfo,
): Promise<Transcribed> {
  const { userId, signal } = request;
  const named = engineLanguage(request.language, languages);
  const language = named ?? heard.find((stretch) => stretch.language !== null)?.language ?? undefined;
  // Who names the language knows better than the model.
  const isJudged = languages.length === 1 && named === undefined;
  const all = heard.map(({ pieces }) => pieces);
  const known = isJudged ? keepKnown(all) : all;
  const pieces = known.flat();
  const isForeign =
    isJudged && (heard.some((stretch) => stretch.language === null) || pieces.length < all.flat().length);
  const stretches = heard.flatMap(({ start, voices }) => (voices ? [{ start, voices }] : []));
  const isTold = pieces.length > 0 && stretches.length === heard.length;
  const turns = isTold
    ? await pool.tellApart({ stretches, wanted: request.speakers }, { owner: userId, signal })
    : null;
  return {
    text: textOf(pieces),
    language: isForeign ? null : (language ?? (languages.length === 1 ? (languages[0] ?? null) : null)),
    reason: isForeign ? 'unknown_language' : null,
    segments: toSegments(pieces, turns),
    provider,
    model,
  };
}

/** Waits until the model is loaded, the caller gives up, or it takes too long. */
function loaded(pool: Pool, signal: AbortSignal | undefined): Promise<ModelInfo> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const refusal = setTimeout(() => reject(starting()), startPatienceMs);
    pool.info.then(resolve, reject).finally(() => {
      clearTimeout(refusal);
      signal?.removeEventListener('abort', abort);
    });
  });
}

const startPatienceMs = 30_000;

const ignore = () => {};

const starting = () =>
  new TranscriberUnavailable('The speech engine is still starting. Try again in a moment.', {
    retryAfterSeconds: 10,
  });
