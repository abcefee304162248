import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import {
  graphFile,
  hashOf,
  isWhole,
  modelFile,
  preparedName,
  readPrepared,
  type Sums,
  sumsFile,
  weightFiles,
  weightsFile,
} from '../../src/engines/speech/prepared.ts';
import { decoderGraph } from './decoder-graph.ts';
import { encoderGraph } from './encoder-graph.ts';
import { openWhisperFile } from './ggml-file.ts';
import { openHubFolder } from './hub-folder.ts';
import type { WeightsSink } from './onnx-writer.ts';
import { speakerGraph } from './speaker-graph.ts';

/** A model that was opened, and its list of tensors read: a damaged one is refused here. */
interface Opened {
  /** Its graphs, whose weights go to the sink, and what else the server reads of it. */
  make(sink: WeightsSink): { graphs: Record<string, Uint8Array>; model: object };
  close(): void;
}

/** A draft that old was left behind by a process that was stopped. */
const abandonedMs = 600_000;

/**
 * Makes the files that the server opens instead of a model, in the first folder that can be written to, unless they are there
 * already and whole. Returns where they are. Raises where the model cannot be used, or no folder can be written to.
 */
export function prepareModel(path: string, folders: readonly string[]): string {
  const name = preparedName(path);
  const opened = open(path);
  try {
    for (const folder of folders) {
      const place = join(folder, name);
      try {
        if (!isWhole(place, true)) build(opened, path, place);
        removeOthers(folder, name, path);
        return place;
      } catch (error) {
        if (!isUnwritable(error)) throw error;
      }
    }
  } finally {
    opened.close();
  }
  throw new Error(`no folder for prepared models can be written to: ${folders.join(', ')}`);
}

function open(path: string): Opened {
  const isFolder = fs.statSync(path).isDirectory();
  if (isFolder && weightFiles(path)[0]?.endsWith('.raw')) return openSpeakers(path);
  const file = isFolder ? openHubFolder(path) : openWhisperFile(path);
  const { shape, tokens, close } = file;
  return {
    make: (sink) => ({
      graphs: {
        [graphFile('encoder')]: encoderGraph(file, sink),
        [graphFile('decoder')]: decoderGraph(file, sink),
      },
      model: { shape, tokens },
    }),
    close,
  };
}

const openSpeakers = (path: string): Opened => ({
  make(sink) {
    const { mean, graph } = speakerGraph(path, sink);
    return { graphs: { [graphFile('speakers')]: graph }, model: { mean: [...mean] } };
  },
  close() {},
});

const unwritable = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOENT', 'ENOTDIR', 'ERR_ACCESS_DENIED'];
const isUnwritable = (error: unknown) =>
  error instanceof Error && 'code' in error && unwritable.includes(String(error.code));

/** Two processes may do this at once: each makes a draft of its own, and one of them becomes the folder. */
function build(opened: Opened, path: string, place: string): void {
  const [draft, damaged] = [`${place}.${randomUUID()}`, `${place}.${randomUUID()}`];
  fs.mkdirSync(draft, { recursive: true });
  try {
    writeFiles(opened, path, draft);
    // What is there is damaged, or was finished by another process in the meantime.
    if (fs.existsSync(place) && !isWhole(place, true)) fs.renameSync(place, damaged);
    fs.renameSync(draft, place);
  } catch (error) {
    if (!isWhole(place, true)) throw error;
  } finally {
    for (const folder of [draft, damaged]) fs.rmSync(folder, { recursive: true, force: true });
  }
}

function writeFiles(opened: Opened, path: string, folder: string): void {
  const weights = fs.openSync(join(folder, weightsFile), 'w');
  try {
    const { graphs, model } = opened.make(createSink(weights));
    for (const [name, bytes] of Object.entries(graphs)) fs.writeFileSync(join(folder, name), bytes);
    fs.writeFileSync(join(folder, modelFile), JSON.stringify({ path, ...model }));
  } finally {
    fs.closeSync(weights);
  }
  const sums: Sums = fs.readdirSync(folder).map((name) => {
    const file = join(folder, name);
    return [name, fs.statSync(file).size, hashOf(file)];
  });
  fs.writeFileSync(join(folder, sumsFile), JSON.stringify(sums));
}

/** Each constant begins a page: the system can map the file then, and the workers share the memory. */
function createSink(file: number): WeightsSink {
  const pageBytes = 4096;
  let end = 0;
  const write = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(file, bytes, done);
  };
  return {
    location: weightsFile,
    append(bytes) {
      const start = Math.ceil(end / pageBytes) * pageBytes;
      write(new Uint8Array(start - end));
      write(bytes);
      end = start + bytes.length;
      return start;
    },
  };
}

/** What was made of other weights at the same place, or by a version of the tool that told no place; and old drafts. */
function removeOthers(folder: string, name: string, path: string): void {
  for (const other of fs.readdirSync(folder)) {
    const place = join(folder, other);
    if (other === name || !/^(model|whisper)-/.test(other)) continue;
    const isLeft = other.includes('.')
      ? Date.now() - fs.statSync(place).mtimeMs > abandonedMs
      : !fs.existsSync(join(place, modelFile)) || readPrepared(place).path === path;
    if (isLeft) fs.rmSync(place, { recursive: true, force: true });
  }
}
