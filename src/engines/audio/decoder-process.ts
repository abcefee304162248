import { setTimeout as sleep } from 'node:timers/promises';
import { maxUploadBytes, pcmRate } from '../../domain/audio.ts';
import { BadAudio, DecoderUnavailable, damagedAudio, NotAudio } from '../../domain/speech-errors.ts';
import { endWithParent } from '../../lib/box.ts';
import type { Chunk } from '../ports/audio.ts';
import { type PartialSource, toChunks } from './chunks.ts';
import { decodeFile } from './decode-file.ts';
import {
  createRemoteBytes,
  type FileBytes,
  fileInParts,
  growingFile,
  type RemoteBytes,
  wholeFile,
} from './file-bytes.ts';
import { createLevels } from './levels.ts';
import type { AudioLimits, ReadBytes } from './sniff.ts';

/** What a decoding process is told. Files stay where they are: the process asks for the bytes that it needs. */
export type DecoderCommand =
  /** Decode all of it, and stop when it is longer than `limitMs`. */
  | { kind: 'measure'; id: number; size: number; limits: AudioLimits; limitMs: number }
  /** Read the chunks of a file that was measured, from the one after the first `skip` of them. */
  | { kind: 'open'; id: number; size: number; limits: AudioLimits; skip: number }
  | { kind: 'next'; id: number }
  | { kind: 'close'; id: number }
  /** Read the chunks of a file whose length is unknown, from the one after the first `skip` of them. */
  | { kind: 'stream'; id: number; size: number; limits: AudioLimits; skip: number; isLive: boolean }
  | { kind: 'next of stream' }
  /** What it asked for. */
  | { kind: 'bytes'; id: number; start: number; bytes: Uint8Array };

export type DecoderAnswer =
  | { kind: 'decoded'; seconds: number }
  | { kind: 'chunk'; chunk: Chunk }
  /** `isShort`: all its chunks were sent. */
  | { kind: 'measured'; durationMs: number; isShort: boolean }
  /** Still looking for the next chunk; ask again. */
  | { kind: 'searching' }
  | { kind: 'end' }
  | { kind: 'want'; id: number; start: number; end: number }
  | { kind: 'stream open'; expectedMs: number | null }
  | { kind: 'stream end'; durationMs: number; peaks: Uint8Array }
  /** What is being said; not final. */
  | { kind: 'partial'; chunk: Chunk }
  /** Its own files are gone; nothing more can be decoded by this process. */
  | { kind: 'no decoder'; cause: string }
  | { kind: 'not audio' }
  | { kind: 'bad audio'; message: string; cause: string };

/** A recording with no more than these is decoded once; a longer one again, while it is recognised. */
const mostKeptChunks = 2;
const progressSeconds = 30;
/** The container may know the duration a little better than the samples. */
const roundingMs = 100;
const searchMs = 100;
/** A file of up to this size is read at once. */
const smallBytes = maxUploadBytes;

const files = new Map<number, RemoteBytes>();
const reading = new Map<number, Reading>();

interface Reading {
  chunks: AsyncGenerator<Chunk>;
  /** Decoded ahead, so that the engine does not wait for it. */
  next: Promise<IteratorResult<Chunk, unknown>>;
}

const answer = (message: DecoderAnswer) => process.send?.(message);

function ask(id: number, size: number): RemoteBytes {
  const asked = createRemoteBytes(size, (block) => answer({ kind: 'want', id, ...block }));
  files.set(id, asked);
  return asked;
}

/** In parts, looking through 55,000 blocks of FLAC took more than the processor time that the file has. */
const fileOf = async (size: number, read: ReadBytes): Promise<FileBytes> =>
  size <= smallBytes ? wholeFile(await read(0, size)) : fileInParts(size, read);

/** Tells from time to time how much came out, and stops when it is longer than `limitMs`. */
function counted(
  pieces: AsyncIterable<Float32Array>,
  { limitMs = Number.POSITIVE_INFINITY, hear }: { limitMs?: number; hear?(piece: Float32Array): void },
) {
  let samples = 0;
  async function* count(): AsyncGenerator<Float32Array> {
    let told = 0;
    for await (const piece of pieces) {
      samples += piece.length;
      hear?.(piece);
      const seconds = samples / pcmRate;
      if (seconds - told >= progressSeconds) {
        answer({ kind: 'decoded', seconds: seconds - told });
        told = seconds;
      }
      if (seconds * 1000 > limitMs + roundingMs) return;
      yield piece;
    }
  }
  return { pieces: count(), samples: () => samples };
}

async function measure(id: number, size: number, limits: AudioLimits, limitMs: number): Promise<void> {
  const { pieces, durationMs } = await decodeFile(await fileOf(size, ask(id, size).read), limits);
  const output = counted(pieces, { limitMs });
  const chunks: Chunk[] = [];
  // Without `return`, so that the loop below can go on where this one stops.
  for await (const chunk of toChunks({
    [Symbol.asyncIterator]: () => ({ next: () => output.pieces.next() }),
  })) {
    chunks.push(chunk);
    if (chunks.length > mostKeptChunks) break;
  }
  for await (const _ of output.pieces);
  const isShort = chunks.length <= mostKeptChunks;
  if (isShort) for (const chunk of chunks) answer({ kind: 'chunk', chunk });
  files.delete(id);
  answer({ kind: 'measured', durationMs: durationMs(output.samples()), isShort });
}

async function open(id: number, size: number, limits: AudioLimits, skip: number): Promise<void> {
  const { read: readBytes } = ask(id, size);
  async function* read(): AsyncGenerator<Chunk> {
    const { pieces } = await decodeFile(await fileOf(size, readBytes), limits);
    let at = 0;
    for await (const chunk of toChunks(pieces)) if (at++ >= skip) yield chunk;
  }
  const chunks = read();
  reading.set(id, { chunks, next: ahead(chunks) });
}

function ahead(chunks: AsyncGenerator<Chunk>): Reading['next'] {
  const next = chunks.next();
  // Silent: `next` raises it when this chunk is asked for.
  next.catch(() => {});
  return next;
}

async function next(id: number): Promise<void> {
  const read = reading.get(id);
  if (!read) throw new Error('this recording is not open');
  const found = await Promise.race([read.next, sleep(searchMs)]);
  if (!found) answer({ kind: 'searching' });
  else if (found.done) answer({ kind: 'end' });
  else {
    answer({ kind: 'chunk', chunk: found.value });
    read.next = ahead(read.chunks);
  }
}

async function close(id: number): Promise<void> {
  const read = reading.get(id);
  reading.delete(id);
  files.delete(id);
  answer({ kind: 'end' });
  await read?.chunks.return(undefined);
}

let streaming: AsyncGenerator<Chunk, { durationMs: number; peaks: Uint8Array }> | undefined;

const aliveMs = 10_000;
/** After waiting so long for bytes, all that has arrived is read. */
const atTheEdgeMs = 100;

async function stream(
  id: number,
  size: number,
  limits: AudioLimits,
  skip: number,
  isLive: boolean,
): Promise<void> {
  const asked = ask(id, size);
  // An upload may pause: this keeps the deadline away.
  if (isLive) setInterval(() => answer({ kind: 'decoded', seconds: 0 }), aliveMs);
  const partial: PartialSource = {};
  let partialEnd = 0;
  function tellPartial(): void {
    const chunk = told >= skip ? partial.take?.() : undefined;
    const end = chunk ? chunk.start + chunk.pcm.length / pcmRate : 0;
    // Samples may still come out of the decoder while no bytes arrive.
    if (chunk && end !== partialEnd) answer({ kind: 'partial', chunk });
    partialEnd = end;
  }
  let told = 0;
  const next = async () => {
    const edge = setInterval(tellPartial, atTheEdgeMs);
    return asked.next().finally(() => clearInterval(edge));
  };
  const file = isLive ? await growingFile(next) : await fileInParts(size, asked.read);
  const { pieces, durationMs, expectedMs } = await decodeFile(file, limits);
  const levels = createLevels();
  const output = counted(pieces, { hear: levels.add });
  streaming = (async function* () {
    for await (const chunk of toChunks(output.pieces, { isLive, partial })) if (told++ >= skip) yield chunk;
    return { durationMs: durationMs(output.samples()), peaks: levels.peaks() };
  })();
  answer({ kind: 'stream open', expectedMs });
}

/** Not ahead: processor time is limited only during a request. */
async function nextOfStream(): Promise<void> {
  const next = await streaming?.next();
  if (next === undefined) throw new Error('no stream is open');
  answer(next.done ? { kind: 'stream end', ...next.value } : { kind: 'chunk', chunk: next.value });
}

function obey(command: DecoderCommand): void | Promise<void> {
  switch (command.kind) {
    case 'measure':
      return measure(command.id, command.size, command.limits, command.limitMs);
    case 'open':
      return open(command.id, command.size, command.limits, command.skip);
    case 'next':
      return next(command.id);
    case 'close':
      return close(command.id);
    case 'stream':
      return stream(command.id, command.size, command.limits, command.skip, command.isLive);
    case 'next of stream':
      return nextOfStream();
    case 'bytes':
      files.get(command.id)?.give(command.start, command.bytes);
  }
}

process.on('message', async (command: DecoderCommand) => {
  try {
    await obey(command);
  } catch (error) {
    if (error instanceof NotAudio) answer({ kind: 'not audio' });
    else if (error instanceof DecoderUnavailable) answer({ kind: 'no decoder', cause: String(error.cause) });
    else {
      const { message, cause } = error instanceof BadAudio ? error : damagedAudio(error);
      answer({ kind: 'bad audio', message, cause: String(cause ?? message) });
    }
  }
});
endWithParent();
