import { fstatSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../../domain/errors.ts';
import { audioPath } from '../../../domain/export.ts';
import type { CheckedExport, ImportedRecording, ImportSource, SentExport } from '../../../domain/imported.ts';
import { scriptUrl } from '../../../lib/program.ts';

export interface ThreadSettings {
  fd: number;
  bytes: number;
}
export type Part = { kind: 'check' } | { kind: keyof ImportSource } | { kind: 'audio'; path: string };
/** Asks for the next piece; without a part, for no more. */
export interface Asked {
  id: number;
  part?: Part;
}
export type Reply =
  | { id: number; value: unknown; done: boolean }
  | { id: number; fault: { message: string; code: ErrorCode | undefined } };

interface Waiting {
  resolve(reply: { value: unknown; done: boolean }): void;
  reject(cause: unknown): void;
}

const checkMs = 120_000;
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/**
 * Reads the export in a thread of its own, so that nothing in it holds up a request. The file stays the caller's, and open
 * until `close` resolves. When the signal aborts, all calls raise its reason.
 */
export function openSentExport(fd: number, signal: AbortSignal): SentExport {
  const worker = new Worker(scriptUrl('src/features/import/sent/thread.ts'), {
    workerData: { fd, bytes: fstatSync(fd).size } satisfies ThreadSettings,
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning', '--enable-source-maps'],
    resourceLimits,
  });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let ended: { cause: unknown } | undefined;

  function end(cause: unknown): void {
    ended ??= { cause };
    for (const { reject } of waiting.values()) reject(ended.cause);
    waiting.clear();
    void worker.terminate();
  }
  const stop = () => end(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  worker.on('message', (reply: Reply) => {
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('fault' in reply)
      asked?.reject(new AppError(reply.fault.code ?? 'internal_error', reply.fault.message));
    else asked?.resolve(reply);
  });
  worker.on('error', (cause) => end(isOutOfMemory(cause) ? tooComplex(cause) : cause));
  worker.on('exit', () => end(new Error('the thread of an import ended')));

  function ask(id: number, part: Part): Promise<{ value: unknown; done: boolean }> {
    if (ended) return Promise.reject(ended.cause);
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, part } satisfies Asked);
    });
  }

  /** The pieces have the type that the thread gives for such a part. */
  async function* pieces<Piece>(part: Part): AsyncGenerator<Piece> {
    lastId += 1;
    const id = lastId;
    try {
      for (;;) {
        const { value, done } = await ask(id, part);
        if (done) return;
        yield value as Piece;
      }
    } finally {
      if (!ended) worker.postMessage({ id } satisfies Asked);
    }
  }

  async function* records<Item>(kind: keyof ImportSource): AsyncGenerator<Item> {
    for await (const batch of pieces<Item[]>({ kind })) yield* batch;
  }

  return {
    async check() {
      const late = setTimeout(() => end(tooComplex()), checkMs);
      try {
        const { value } = await ask(0, { kind: 'check' });
        return value as CheckedExport;
      } finally {
        clearTimeout(late);
      }
    },
    folders: () => records('folders'),
    tags: () => records('tags'),
    notes: () => records('notes'),
    transcriptions: () => records('transcriptions'),
    async *recordings() {
      for await (const record of records<ImportedRecording & { audio: unknown }>('recordings')) {
        const audio = () => pieces<Uint8Array>({ kind: 'audio', path: audioPath(record) });
        yield { ...record, audio: record.audio ? audio : undefined };
      }
    },
    dictionary: () => records('dictionary'),
    snippets: () => records('snippets'),
    async close() {
      signal.removeEventListener('abort', stop);
      await worker.terminate();
    },
  };
}

const isOutOfMemory = (cause: unknown) =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooComplex = (cause?: unknown) =>
  new AppError(
    'payload_too_large',
    'The file takes too long to read. Ask the operator to run "steno import" with it.',
    { cause },
  );
