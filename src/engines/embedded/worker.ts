import { readFile } from 'node:fs/promises';
import { endWithParent } from '../../lib/end-with-parent.ts';
import type { ModelInfo, Recognised, Recogniser, Recognition } from '../recogniser.ts';
import { hashFile, type ModelFile } from './model-file.ts';
import { quantise } from './quantise.ts';
import { loadTranscribeCpp } from './transcribe-cpp-recogniser.ts';
import { loadWhisper } from './whisper-recogniser.ts';

/** The process that holds a model. Native code runs here and nowhere else. */
export type WorkerCommand =
  | { kind: 'load'; model: ModelFile; threads: number; checkHash: boolean }
  | { kind: 'recognise'; recognition: Recognition };

export type WorkerAnswer =
  | { kind: 'ready'; info: ModelInfo }
  | { kind: 'recognised'; recognised: Recognised }
  | { kind: 'failed'; message: string };

let recogniser: Recogniser | undefined;

async function load({
  model,
  threads,
  checkHash,
}: Extract<WorkerCommand, { kind: 'load' }>): Promise<WorkerAnswer> {
  if (checkHash && model.sha256 !== null && (await hashFile(model.path)) !== model.sha256)
    throw new Error(`${model.path} is damaged: its SHA-256 is not the one of ${model.name}`);
  recogniser =
    model.format === 'gguf'
      ? await loadTranscribeCpp(model.path, model.name, threads)
      : await loadGgml(model, threads);
  return { kind: 'ready', info: recogniser.info };
}

/** whisper.cpp of npm is built for x64 with AVX2 and for Macs; elsewhere the second engine reads the same file. */
async function loadGgml(model: ModelFile, threads: number): Promise<Recogniser> {
  const isBuiltFor =
    process.platform === 'darwin' || (process.platform === 'linux' && process.arch === 'x64');
  if (!isBuiltFor) return loadTranscribeCpp(model.path, model.name, threads);
  const isBoxed = model.sha256 !== null;
  return isBoxed ? loadQuantised(model) : loadWhisper(model.path, model.name);
}

/** A file of the operator's choice is used as it is; the one in the box is known to lose nothing by this. */
async function loadQuantised({ path, name }: ModelFile): Promise<Recogniser> {
  const file = await readFile(path);
  const bytes = quantise(file);
  release(file);
  const whisper = loadWhisper(bytes, name);
  release(bytes);
  return whisper;
}

/** At once: the collector would keep 230 MB until it comes by. */
const release = ({ buffer }: Uint8Array<ArrayBuffer>) => buffer.transfer(0);

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
