import { endWithParent } from '../../lib/end-with-parent.ts';
import {
  describeVoices,
  type PackedVoices,
  packVoices,
  unpackVoices,
  type VoiceNetwork,
} from '../diarize/describe-voices.ts';
import { tellApart } from '../diarize/tell-apart.ts';
import { type Turn, turnsOf } from '../diarize/turns.ts';
import { createKnownNames } from '../names/known-names.ts';
import { recogniseChunk } from '../recognise-chunk.ts';
import type { ChunkTask, ModelInfo, Recognised, Recogniser, VoicesTask } from '../recogniser.ts';
import { hashModel, type ModelFile } from './model-file.ts';

/** The process that holds a model. Native code runs here and nowhere else. */
export type WorkerCommand =
  | { kind: 'prepare'; model: ModelFile; cacheFolders: readonly string[] }
  | {
      kind: 'load';
      model: ModelFile;
      threads: number;
      checkHash: boolean;
      cacheFolders: readonly string[];
      /** Whether it will be asked to describe voices. */
      hasVoices: boolean;
      /** Where another process was asked to make the graphs; if they are still missing, they are made in memory. */
      isPrepared: boolean;
    }
  | { kind: 'recognise'; chunk: ChunkTask }
  | { kind: 'describe voices'; chunk: VoicesTask }
  /** Who speaks when in a whole recording, from the voices of its chunks; `wanted` is how many people there are, if known. */
  | { kind: 'tell apart'; chunks: readonly ChunkVoices[]; wanted: number | undefined };

export interface ChunkVoices {
  /** Of the chunk, in seconds from the beginning of the recording. */
  start: number;
  voices: PackedVoices;
}

export type WorkerAnswer =
  /** `isCached`: the graphs are in a folder, and whole. */
  | { kind: 'prepared'; isCached: boolean }
  /** The graphs of the model are missing or damaged. */
  | { kind: 'unprepared' }
  | { kind: 'ready'; info: ModelInfo }
  /** On the way to `recognised`: from now on there is work for one core, and room for other work. */
  | { kind: 'encoded' }
  | { kind: 'recognised'; recognised: Recognised }
  | { kind: 'described'; voices: PackedVoices | null }
  | { kind: 'told apart'; turns: Turn[] }
  | { kind: 'failed'; message: string };

let recogniser: Recogniser | undefined;
let namesIn: ReturnType<typeof createKnownNames> | undefined;
let network: Promise<VoiceNetwork | null> = Promise.resolve(null);

type LoadCommand = Extract<WorkerCommand, { kind: 'load' }>;
type TellApartCommand = Extract<WorkerCommand, { kind: 'tell apart' }>;

/** In a process that may write to the cache and hears no recording, so that the others need not write anything. */
async function prepare(model: ModelFile, cacheFolders: readonly string[]): Promise<WorkerAnswer> {
  const whisper = model.format !== 'gguf' ? await loadedWhisper() : null;
  const options = { path: model.path, folders: cacheFolders, checkHash: true };
  // Their folder bears the size and the date of the file, whose hash was compared when they were made.
  if (whisper?.hasGraphs(options)) return { kind: 'prepared', isCached: true };
  await refuseDamaged(model);
  if (!whisper) return { kind: 'prepared', isCached: true };
  // Those who use the cache may run as another user.
  process.umask(0o022);
  return { kind: 'prepared', isCached: whisper.prepareGraphs(options) };
}

async function refuseDamaged(model: ModelFile): Promise<void> {
  if (model.sha256 !== null && (await hashModel(model)) !== model.sha256)
    throw new Error(`${model.path} is damaged: its SHA-256 is not that of ${model.name}`);
}

async function load(command: LoadCommand): Promise<WorkerAnswer> {
  const { model, threads, checkHash, isPrepared, cacheFolders, hasVoices } = command;
  const { path, name } = model;
  const whisper = model.format !== 'gguf' ? await loadedWhisper() : null;
  const graphs = { path, folders: cacheFolders };
  if (whisper && !isPrepared && !whisper.hasGraphs({ ...graphs, checkHash })) return { kind: 'unprepared' };
  const isUnchecked = checkHash && (whisper === null || isPrepared);
  if (isUnchecked) await refuseDamaged(model);
  // ONNX Runtime has no build for Macs with Intel, nor for Alpine. There the second engine reads the same file.
  recogniser = whisper
    ? await whisper.loadWhisper({ ...graphs, name, threads, checkHash: isUnchecked })
    : await loadPhrases(model, threads);
  namesIn = createKnownNames(recogniser.info.runtime);
  if (hasVoices) network = loadNetwork(threads);
  return { kind: 'ready', info: recogniser.info };
}

/** Not where ONNX Runtime has no build. The first chunk need not wait for it. */
const loadNetwork = (threads: number): Promise<VoiceNetwork | null> =>
  import('../diarize/network.ts').then((speakers) => speakers.loadVoiceNetwork(threads)).catch(() => null);

const loadedWhisper = () => import('../whisper/load.ts').catch(() => null);
// While the server finds the model.
void loadedWhisper();

async function loadPhrases({ path, name }: ModelFile, threads: number): Promise<Recogniser> {
  const { loadTranscribeCpp } = await import('./transcribe-cpp-recogniser.ts');
  return loadTranscribeCpp(path, name, threads);
}

function answerTo(command: WorkerCommand): Promise<WorkerAnswer> {
  switch (command.kind) {
    case 'prepare':
      return prepare(command.model, command.cacheFolders);
    case 'load':
      return load(command);
    case 'recognise':
      return recognise(command.chunk);
    case 'describe voices':
      return describe(command.chunk);
    case 'tell apart':
      return tellTurns(command);
  }
}

async function recognise({ nameList, ...chunk }: ChunkTask): Promise<WorkerAnswer> {
  if (recogniser === undefined || namesIn === undefined) throw new Error('no model is loaded');
  const { told, mend } = namesIn(nameList);
  const { pieces, language } = await recogniseChunk(
    { ...chunk, prompt: '', ...told, onEncoded: () => answer({ kind: 'encoded' }) },
    recogniser.recognise,
  );
  return { kind: 'recognised', recognised: { pieces: mend(pieces), language } };
}

async function describe(chunk: VoicesTask): Promise<WorkerAnswer> {
  const known = await network;
  return { kind: 'described', voices: known && packVoices(await describeVoices(chunk, known)) };
}

async function tellTurns({ chunks, wanted }: TellApartCommand): Promise<WorkerAnswer> {
  const voices = chunks.flatMap(({ start, voices }) => unpackVoices(voices, start));
  return { kind: 'told apart', turns: turnsOf(voices, tellApart(voices, wanted)) };
}

const answer = (given: WorkerAnswer) => void process.send?.(given);

process.on('message', (command: WorkerCommand) => {
  answerTo(command)
    .catch((error: unknown): WorkerAnswer => ({ kind: 'failed', message: String(error) }))
    .then(answer);
});
endWithParent();
