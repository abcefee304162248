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
import { findPrepared } from '../prepared.ts';
import { recogniseChunk } from '../recognise-chunk.ts';
import type { ChunkTask, ModelInfo, Recognised, Recogniser, VoicesTask } from '../recogniser.ts';
import { hashModel, type ModelFile, speakerModel } from './model-file.ts';

/** The process that holds a model. Native code runs here and nowhere else. */
export type WorkerCommand =
  | {
      kind: 'load';
      model: ModelFile;
      threads: number;
      checkHash: boolean;
      cacheFolders: readonly string[];
      /** Whether it will be asked to describe voices. */
      hasVoices: boolean;
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
  /** What tools/prepare-model makes of these models is missing or damaged. */
  | { kind: 'unprepared'; paths: string[] }
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

async function load(command: LoadCommand): Promise<WorkerAnswer> {
  const { model, threads, checkHash, cacheFolders, hasVoices } = command;
  // ONNX Runtime has no build for Macs with Intel, nor for Alpine. There the second engine reads the same file.
  const whisper = model.format !== 'gguf' ? await loadedWhisper() : null;
  if (!whisper) {
    if (checkHash) await refuseDamaged(model);
    recogniser = await loadPhrases(model, threads);
  } else {
    const paths = hasVoices ? [model.path, speakerModel()] : [model.path];
    const places = paths.map((path) => findPrepared({ path, folders: cacheFolders, checkHash }));
    const [place, speakers] = places;
    if (!place || places.includes(null))
      return { kind: 'unprepared', paths: paths.filter((_, i) => places[i] === null) };
    recogniser = await whisper.loadWhisper({ name: model.name, place, threads });
    if (speakers) network = loadNetwork(speakers, threads);
  }
  namesIn = createKnownNames(recogniser.info.runtime);
  return { kind: 'ready', info: recogniser.info };
}

async function refuseDamaged(model: ModelFile): Promise<void> {
  if (model.sha256 !== null && (await hashModel(model)) !== model.sha256)
    throw new Error(`${model.path} is damaged: its SHA-256 is not that of ${model.name}`);
}

/** The first chunk need not wait for it. Without it, nobody is told apart. */
const loadNetwork = (place: string, threads: number): Promise<VoiceNetwork | null> =>
  import('../diarize/network.ts')
    .then((speakers) => speakers.loadVoiceNetwork(place, threads))
    .catch(() => null);

const loadedWhisper = () => import('../whisper/load.ts').catch(() => null);
// While the server finds the model.
void loadedWhisper();

async function loadPhrases({ path, name }: ModelFile, threads: number): Promise<Recogniser> {
  const { loadTranscribeCpp } = await import('./transcribe-cpp-recogniser.ts');
  return loadTranscribeCpp(path, name, threads);
}

function answerTo(command: WorkerCommand): Promise<WorkerAnswer> {
  switch (command.kind) {
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
