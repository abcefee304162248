import { readFile } from 'node:fs/promises';
import { endWithParent } from '../../lib/end-with-parent.ts';
import type { ModelInfo, Recognised, Recogniser, Recognition } from '../recogniser.ts';
import { hashFile, type ModelFile } from './model-file.ts';
import { quantise } from './quantise.ts';

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
    throw new Error(`${model.path} is damaged: its SHA-256 is not that of ${model.name}`);
  const isGguf = model.format === 'gguf';
  recogniser = isGguf ? await loadPhrases(model, threads) : await loadGgml(model, threads);
  return { kind: 'ready', info: recogniser.info };
}

/** npm has whisper.cpp for Linux on x64 and for Macs only. Elsewhere the second engine reads the same file. */
async function loadGgml(model: ModelFile, threads: number): Promise<Recogniser> {
  const whisper = await import('./whisper-recogniser.ts').catch(() => null);
  if (whisper === null) return loadPhrases(model, threads);
  // Only the model that comes with Steno is quantised: measured, it loses nothing by this.
  const isBoxed = model.sha256 !== null;
  if (!isBoxed) return whisper.loadWhisper(model.path, model.name);
  const file = await readFile(model.path);
  const bytes = quantise(file);
  release(file);
  const loaded = whisper.loadWhisper(bytes, model.name);
  release(bytes);
  return loaded;
}

async function loadPhrases({ path, name }: ModelFile, threads: number): Promise<Recogniser> {
  const { loadTranscribeCpp } = await import('./transcribe-cpp-recogniser.ts');
  return loadTranscribeCpp(path, name, threads);
}

/** Frees the memory at once: the garbage collector would keep 230 MB for a while. */
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
