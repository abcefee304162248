import { platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../../domain/errors.ts';
import { priorityBelow } from '../../../lib/priority.ts';
import { sentBounds, zipSource } from '../zip-source.ts';
import { checkExport, lettersOf } from './check.ts';
import type { Asked, Part, Reply, ThreadSettings } from './sent-export.ts';

// The program of the thread that reads one export. It sends what it has checked, piece by piece, as it is asked.
const { fd, bytes }: ThreadSettings = workerData;
// Process 0 is the caller: on Linux this thread alone.
if (platform() === 'linux') setPriority(0, priorityBelow(10));

const maxBatch = { records: 100, letters: 250_000 };
const open = () => zipSource(fd, { name: 'The file', within: sentBounds(bytes) });
let source: ReturnType<typeof open> | undefined;

async function* read(part: Part): AsyncGenerator<unknown> {
  // With a count of its own: what was checked is read a second time.
  if (part.kind === 'check') yield await checkExport(await open());
  else {
    source ??= open();
    const opened = await source;
    if (part.kind === 'audio') yield* opened.audioAt(part.path);
    else if (part.kind === 'notes') yield* inBatches(opened.notes(async () => false));
    else yield* inBatches(opened[part.kind]());
  }
}

async function* inBatches(records: AsyncIterable<object>): AsyncGenerator<object[]> {
  let batch: object[] = [];
  let letters = 0;
  for await (const record of records) {
    // A function cannot be sent; whether there is audio can.
    batch.push('audio' in record ? { ...record, audio: record.audio !== undefined } : record);
    letters += lettersOf(record);
    if (batch.length < maxBatch.records && letters < maxBatch.letters) continue;
    yield batch;
    [batch, letters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

const running = new Map<number, AsyncGenerator<unknown>>();

async function next(id: number, part: Part): Promise<Reply> {
  const pieces = running.get(id) ?? read(part);
  running.set(id, pieces);
  try {
    const { value, done = false } = await pieces.next();
    return { id, value, done };
  } catch (fault) {
    const { message } = fault instanceof Error ? fault : new Error(String(fault));
    return { id, fault: { message, code: fault instanceof AppError ? fault.code : undefined } };
  }
}

parentPort?.on('message', async ({ id, part }: Asked) => {
  if (part) parentPort?.postMessage(await next(id, part));
  else await running.get(id)?.return(undefined);
});
