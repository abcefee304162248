import { Worker } from 'node:worker_threads';
import { scriptUrl } from '../../../lib/program.ts';
import type { FindRequest } from './find.ts';
import type { SearchDatabaseAddress } from './thread-database.ts';

export type Request =
  | { kind: 'find'; request: FindRequest }
  | { kind: 'speakers'; ownerId: string; limit: number }
  | { kind: 'merge'; ownerId: string }
  | { kind: 'index pending' }
  | { kind: 'scrub' }
  | { kind: 'close' };

export interface Asked {
  id: number;
  request: Request;
}

export type Reply =
  | { id: number; value: unknown }
  | { id: number; fault: { message: string; code?: unknown; errcode?: unknown } };

interface Waiting {
  resolve(value: unknown): void;
  reject(cause: unknown): void;
}

export interface ThreadSettings {
  address: SearchDatabaseAddress;
  /** Added to the nice value of the thread, where threads have one (Linux). */
  niceness: number;
}

const maxHeapMegabytes = 768;
// Without it, merging 4,000 notes left the process 200 MB larger; with it, 76 MB (docs/scaling.md, "Memory").
const youngMegabytes = 24;

/** Starts with its first request, and again after a fault. While it has nothing to do it keeps no process alive. */
export function createSearchThread(settings: ThreadSettings) {
  let worker: Worker | undefined;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(scriptUrl('src/engines/search/thread/thread.ts'), {
      workerData: settings,
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning', '--enable-source-maps'],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes, maxYoungGenerationSizeMb: youngMegabytes },
    });
    started.on('message', (reply: Reply) => {
      const asked = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (waiting.size === 0) started.unref();
      if ('value' in reply) asked?.resolve(reply.value);
      else if ('fault' in reply) asked?.reject(Object.assign(new Error(reply.fault.message), reply.fault));
    });
    const end = (cause: Error) => {
      if (worker === started) worker = undefined;
      for (const { reject } of waiting.values()) reject(cause);
      waiting.clear();
    };
    started.on('error', (cause) => end(cause instanceof Error ? cause : new Error(String(cause))));
    started.on('exit', () => end(new Error('the search thread ended')));
    return started;
  }

  function ask(request: Request): Promise<unknown> {
    worker ??= start();
    const asked = worker;
    lastId += 1;
    const id = lastId;
    asked.ref();
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      asked.postMessage({ id, request } satisfies Asked);
    });
  }

  return {
    ask,
    /** Answers what was asked before. */
    async close(): Promise<void> {
      if (!worker) return;
      const closing = worker;
      const ended = new Promise((resolve) => closing.once('exit', resolve));
      // A thread that has died needs no closing.
      await ask({ kind: 'close' }).catch(() => {});
      closing.ref();
      await ended;
    },
  };
}
