import { endWithParent } from '../../../lib/box.ts';
import { clusterSpeakers } from '../diarize/cluster.ts';
import {
  embedSpeakers,
  type PackedEmbeddings,
  packEmbeddings,
  type SpeakerNetwork,
  unpackEmbeddings,
} from '../diarize/embed.ts';
import { type Turn, turnsOf } from '../diarize/turns.ts';
import { createKnownNames } from '../names/known-names.ts';
import { findPrepared } from '../prepared.ts';
import { recogniseChunk } from '../recognise-chunk.ts';
import type { ChunkTask, EmbedTask, ModelInfo, Recognised, Recogniser } from '../recogniser.ts';
import { hashModel, type ModelFile, speakerModel } from './model-file.ts';

/** The process that holds a model. Native code runs here and nowhere else. */
export type WorkerCommand =
  | {
      kind: 'load';
      model: ModelFile;
      threads: number;
      checkHash: boolean;
      cacheFolders: readonly string[];
      /** Whether it will be asked for speaker embeddings. */
      hasDiarization: boolean;
    }
  | { kind: 'recognise'; chunk: ChunkTask }
  | { kind: 'embed'; chunk: EmbedTask }
  /** Who speaks when in a whole recording, from the embeddings of its chunks; `wanted` is how many people there are, if known. */
  | { kind: 'diarize'; chunks: readonly ChunkEmbeddings[]; wanted: number | undefined };

export interface ChunkEmbeddings {
  /** Of the chunk, in seconds from the beginning of the recording. */
  start: number;
  embeddings: PackedEmbeddings;
}

export type WorkerAnswer =
  /** What tools/prepare-model makes of these models is missing or damaged. */
  | { kind: 'unprepared'; paths: string[] }
  | { kind: 'ready'; info: ModelInfo }
  /** On the way to `recognised`: from now on there is work for one core, and room for other work. */
  | { kind: 'encoded' }
  | { kind: 'recognised'; recognised: Recognised }
  | { kind: 'embedded'; embeddings: PackedEmbeddings | null }
  | { kind: 'diarized'; turns: Turn[] }
  | { kind: 'failed'; message: string };

let recogniser: Recogniser | undefined;
let namesIn: ReturnType<typeof createKnownNames> | undefined;
let network: Promise<SpeakerNetwork | null> = Promise.resolve(null);

type LoadCommand = Extract<WorkerCommand, { kind: 'load' }>;
type DiarizeCommand = Extract<WorkerCommand, { kind: 'diarize' }>;

async function load(command: LoadCommand): Promise<WorkerAnswer> {
  const { model, threads, checkHash, cacheFolders, hasDiarization } = command;
  // ONNX Runtime has no build for Macs with Intel, nor for Alpine. There the second engine reads the same file.
  const whisper = model.format !== 'gguf' ? await loadedWhisper() : null;
  if (!whisper) {
    if (checkHash) await refuseDamaged(model);
    recogniser = await loadPhrases(model, threads);
  } else {
    const paths = hasDiarization ? [model.path, speakerModel()] : [model.path];
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
    throw new Error(`${model.path} is damaged: its SHA-256 is not the one of ${model.name}`);
}

/** The first chunk need not wait for it. Without it, speakers are not told apart. */
const loadNetwork = (place: string, threads: number): Promise<SpeakerNetwork | null> =>
  import('../diarize/embed.ts')
    .then((speakers) => speakers.loadSpeakerNetwork(place, threads))
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
    case 'embed':
      return embed(command.chunk);
    case 'diarize':
      return diarize(command);
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

async function embed(chunk: EmbedTask): Promise<WorkerAnswer> {
  const known = await network;
  return { kind: 'embedded', embeddings: known && packEmbeddings(await embedSpeakers(chunk, known)) };
}

async function diarize({ chunks, wanted }: DiarizeCommand): Promise<WorkerAnswer> {
  const all = chunks.flatMap(({ start, embeddings }) => unpackEmbeddings(embeddings, start));
  return { kind: 'diarized', turns: turnsOf(all, clusterSpeakers(all, wanted)) };
}

const answer = (given: WorkerAnswer) => void process.send?.(given);

process.on('message', (command: WorkerCommand) => {
  answerTo(command)
    .catch((error: unknown): WorkerAnswer => ({ kind: 'failed', message: String(error) }))
    .then(answer);
});
endWithParent();
