import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { type BoxOptions, boxedCommand } from './box.ts';
import { priorityBelow } from './priority.ts';

/**
 * `killed`: from outside, for example by a system that is out of memory. `not started`: it ended before its first message,
 * so its input is not to blame.
 */
export type FaultReason = 'not started' | 'crashed' | 'killed' | 'too slow' | 'too large' | 'closed';

/** Why a worker process ended before it answered. */
export class WorkerFault extends Error {
  readonly reason: FaultReason;

  constructor(reason: FaultReason, detail: string) {
    super(`worker ${reason}: ${detail}`);
    this.name = 'WorkerFault';
    this.reason = reason;
  }
}

/** It ended by itself or was killed; a retry in another process may succeed. */
export const hasDied = (error: unknown): error is WorkerFault =>
  error instanceof WorkerFault && ['not started', 'crashed', 'killed'].includes(error.reason);

export interface WorkerProcessOptions extends BoxOptions {
  /** How often to check the memory of a working process. */
  memoryCheckMs?: number;
  /** The only variables that it sees. */
  env?: Record<string, string>;
  /** Gets every message of the process, also between requests. */
  onMessage?(message: unknown, send: (message: object) => void): void;
}

export interface WorkerRequest<Reply> {
  messages: Iterable<object>;
  /** Gets each message of the worker. The request ends when this returns something other than undefined, or throws. */
  receive(message: unknown, giveCpuMs: (ms: number) => void): Reply | undefined;
  /** Time until the answer, counted from the last message of the worker: one that makes progress may continue. */
  deadlineMs: number;
  /** Processor time for a request, on Linux. It does not run out faster on a busy machine, and stops endless loops early. */
  cpuMs?: number;
  signal?: AbortSignal | undefined;
}

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** One at a time. A fault or an abort kills the process, because native code cannot be interrupted in any other way. */
  request<Reply>(request: WorkerRequest<Reply>): Promise<Reply>;
  /** Sends the running request what it has asked for. */
  send(message: object): void;
  residentBytes(): number | null;
  hasEnded(): boolean;
  readonly exited: Promise<void>;
  kill(): void;
}

const stderrKeptBytes = 2_000;
const niceness = 5;

/** A process for code that may crash, hang, leak or be taken over: in a box, and without environment variables. */
export function startWorkerProcess(options: WorkerProcessOptions): WorkerProcess {
  const { script, memoryCapBytes, memoryCheckMs = 100, env = {} } = options;
  const child = fork(script, {
    env,
    ...boxedCommand(options),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let hasSpoken = false;
  child.on('message', (message) => {
    hasSpoken = true;
    options.onMessage?.(message, send);
  });
  lowerPriority(child);
  const lastWords = keepTail(child);
  let failRunning: ((fault: unknown) => void) | undefined;
  let gone: WorkerFault | undefined;
  const exited = new Promise<void>((resolve) => {
    const leave = (why: string, isKilled = false) => {
      const reason = isKilled ? 'killed' : hasSpoken ? 'crashed' : 'not started';
      gone ??= new WorkerFault(reason, `${why} ${lastWords()}`.trim());
      failRunning?.(gone);
      resolve();
    };
    child.once('exit', (code, signal) =>
      leave(`ended with ${signal ?? `code ${code}`}`, signal === 'SIGKILL'),
    );
    child.once('error', (error) => leave(error.message));
  });
  const kill = () => {
    gone ??= new WorkerFault('closed', 'it was stopped');
    child.kill('SIGKILL');
  };

  function request<Reply>(request: WorkerRequest<Reply>): Promise<Reply> {
    const { messages, receive, deadlineMs, cpuMs = Number.POSITIVE_INFINITY, signal } = request;
    if (gone) return Promise.reject(gone);
    if (signal?.aborted) return Promise.reject(signal.reason);
    let cpuEnd = (cpuMsOf(child.pid) ?? 0) + cpuMs;
    return new Promise<Reply>((resolve, reject) => {
      const settle = () => {
        clearTimeout(deadline);
        clearInterval(memoryWatch);
        signal?.removeEventListener('abort', abort);
        child.off('message', hear);
        failRunning = undefined;
      };
      const fail = (fault: unknown) => {
        settle();
        kill();
        reject(fault);
      };
      const abort = () => fail(signal?.reason);
      const hear = (message: unknown) => {
        try {
          const reply = receive(message, (ms) => {
            cpuEnd += ms;
          });
          if (reply === undefined) {
            deadline.refresh();
            return;
          }
          settle();
          resolve(reply);
        } catch (error) {
          settle();
          reject(error);
        }
      };
      const deadline = setTimeout(
        () => fail(new WorkerFault('too slow', `no answer in ${deadlineMs} ms`)),
        deadlineMs,
      );
      const memoryWatch = setInterval(() => {
        const used = residentBytesOf(child.pid);
        if (used !== null && used > memoryCapBytes) fail(new WorkerFault('too large', `${used} bytes`));
        else if ((cpuMsOf(child.pid) ?? 0) > cpuEnd)
          fail(new WorkerFault('too slow', `over ${cpuMs} ms of work`));
      }, memoryCheckMs);
      failRunning = fail;
      signal?.addEventListener('abort', abort, { once: true });
      child.on('message', hear);
      for (const message of messages) send(message);
    });
  }

  function send(message: object): void {
    child.send(message, (error) => {
      // A process that has ended reports the reason itself.
      if (error && child.connected) failRunning?.(new WorkerFault('crashed', error.message));
    });
  }

  return {
    pid: child.pid,
    request,
    send,
    residentBytes: () => residentBytesOf(child.pid),
    hasEnded: () => gone !== undefined,
    exited,
    kill,
  };
}

/** Resident memory on Linux, where it is in a file. Null on other systems, where only the deadline protects. */
function residentBytesOf(pid: number | undefined): number | null {
  try {
    // In kB. `statm` would count pages, which have 4, 16 or 64 kB on arm64.
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

/** Processor time of the process, user and system, in ms; null if there is no such file. */
function cpuMsOf(pid: number | undefined): number | null {
  try {
    // Fields 14 and 15 of proc(5), in hundredths of a second. The name in brackets before them may contain anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

/** A lower priority, so that the server still answers while its workers compute. */
function lowerPriority(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) setPriority(child.pid, priorityBelow(niceness));
  } catch {
    // The process is gone, or the system forbids it. Then other processes only get slower.
  }
}

function keepTail(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-stderrKeptBytes);
  });
  return () => tail.trim();
}
