import { endWithParent } from '../../lib/end-with-parent.ts';
import type { ModelInfo, Recognised, Recogniser, Recognition } from '../recogniser.ts';
import { hashFile, type ModelFile } from './model-file.ts';

/** The process that holds a model. Native code runs here and nowhere else. */
export type WorkerCommand =
  | { kind: 'load'; model: ModelFile; threads: number; checkHash: boolean; cacheFolders: readonly string[] }
  | { kind: 'recognise'; recognition: Recognition };

export type WorkerAnswer =
  | { kind: 'ready'; info: ModelInfo }
  | { kind: 'recognised'; recognised: Recognised }
  | { kind: 'failed'; message: string };

let recogniser: Recogniser | undefined;

type LoadCommand = Extract<WorkerCommand, { kind: 'load' }>;

async function load(command: LoadCommand): Promise<WorkerAnswer> {
  const { model, threads, checkHash } = command;
  if (checkHash && model.sha256 !== null && (await hashFile(model.path)) !== model.sha256)
    throw new Error(`${model.path} is damaged: its SHA-256 is not that of ${model.name}`);
  recogniser = model.format === 'gguf' ? await loadPhrases(model, threads) : await loadGgml(command);
  return { kind: 'ready', info: recogniser.info };
}

/** ONNX Runtime has no build for Macs with Intel, nor for Alpine. There the second engine reads the same file. */
async function loadGgml({ model, threads, checkHash, cacheFolders }: LoadCommand): Promise<Recogniser> {
  const whisper = await import('../whisper/load.ts').catch(() => null);
  if (whisper === null) return loadPhrases(model, threads);
  const { path, name } = model;
  return whisper.loadWhisper({ path, name, threads, checkHash, folders: cacheFolders });
}

async function loadPhrases({ path, name }: ModelFile, threads: number): Promise<Recogniser> {
  const { loadTranscribeCpp } = await import('./transcribe-cpp-recogniser.ts');
  return loadTranscribeCpp(path, name, threads);
}

async function recognise(recognition: Recognition): Promise<WorkerAnswer> {
  if (recogniser === undefined) throw new Error('no model is loaded');
  return { kind: 'recognised', recognised: await recogniser.recognise(recognition) };
}

process.on('message', (command: WorkerCommand) => {
  const work = command.kind === 'load' ? load(command) : recognise(command.recognition);
  work
    .catch((error: unknown): WorkerAnswer => ({ kind: 'failed', message: String(error) }))
    .then((answer) => process.send?.(answer));
});
endWithParent();
