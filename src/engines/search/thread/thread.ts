import { platform, setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createFairQueue } from '../../../lib/fair-queue.ts';
import { priorityBelow } from '../../../lib/priority.ts';
import { countRows } from '../../../platform/database/count.ts';
import { indexPending } from '../index/entries.ts';
import { maxFreshAtRest, mergeOwner, scrub } from '../index/merge.ts';
import { createIndexCache } from '../index/stored-index.ts';
import { find, findSpeakers } from './find.ts';
import { openSearchDatabase } from './thread-database.ts';
import type { Asked, Reply, Request, ThreadSettings } from './threads.ts';

// The program of both search threads. One searches, the other analyses and merges, so that neither waits for the other.
const { address, niceness }: ThreadSettings = workerData;
// Process 0 is the caller: on Linux this thread alone.
if (platform() === 'linux' && niceness > 0) setPriority(0, priorityBelow(niceness));
const search = await openSearchDatabase(address);
const cache = createIndexCache();

const indexAllPending = async () => {
  const owners = new Set<string>();
  while (true) {
    const step = await indexPending(search);
    for (const owner of step.owners) owners.add(owner);
    if (step.done === 0) return [...owners];
    for (const owner of step.owners) await mergeIfMany(owner);
  }
};

async function mergeIfMany(ownerId: string): Promise<void> {
  const fresh = await search.snapshot((db) =>
    countRows(db.selectFrom('search_fresh').where('owner_id', '=', ownerId)),
  );
  if (fresh > 4 * maxFreshAtRest) await mergeOwner(search, ownerId, Date.now());
}

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'find':
      return find(search, cache, request.request);
    case 'speakers':
      return findSpeakers(search, cache, request.ownerId, request.limit);
    case 'merge':
      return mergeOwner(search, request.ownerId, Date.now());
    case 'index pending':
      return indexAllPending();
    case 'scrub':
      return scrub(search, Date.now());
    case 'close':
      await search.close();
      setImmediate().then(() => parentPort?.close());
      return undefined;
  }
}

// One request at a time, because a SQLite connection has one snapshot. Owners take turns, so that many searches of one
// delay no other request.
const queue = createFairQueue<Asked>();
let isWorking = false;
let closing: Asked | undefined;
parentPort?.on('message', (asked: Asked) => {
  const { request } = asked;
  if (request.kind === 'close') closing = asked;
  else queue.push(ownerOf(request), asked);
  if (!isWorking) void work();
});

function ownerOf(request: Request): string {
  if (request.kind === 'find') return request.request.ownerId;
  return request.kind === 'speakers' ? request.ownerId : '';
}

async function work(): Promise<void> {
  isWorking = true;
  for (let next = takeNext(); next; next = takeNext()) {
    const { id, request } = next;
    const reply: Reply = await answer(request).then(
      (value) => ({ id, value }),
      (fault: unknown) => ({ id, fault: describe(fault) }),
    );
    parentPort?.postMessage(reply);
    // Lets the messages in that came meanwhile.
    await setImmediate();
  }
  isWorking = false;
}

/** Closing comes last, after everything that was asked. */
function takeNext(): Asked | undefined {
  const next = queue.shift()?.item;
  if (next) return next;
  const last = closing;
  closing = undefined;
  return last;
}

/** An error loses its own fields between threads, but the caller needs the database's code. */
function describe(fault: unknown): { message: string; code?: unknown; errcode?: unknown } {
  if (!(fault instanceof Error)) return { message: String(fault) };
  return {
    message: fault.message,
    ...('code' in fault ? { code: fault.code } : {}),
    ...('errcode' in fault ? { errcode: fault.errcode } : {}),
  };
}
