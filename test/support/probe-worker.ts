import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { endWithParent } from '../../src/lib/box.ts';

/** A process in the box of the decoders. It tries what a file that took over a decoder would try. */
export interface Probe {
  secret: string;
  readable: string;
  writable: string;
  port: number;
}

/** `done`, or the code of the error. */
function outcomeOf(attempt: () => unknown): string {
  try {
    attempt();
    return 'done';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

const connecting = (port: number) =>
  new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve('done'));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'));
  });

process.on('message', async ({ secret, readable, writable, port }: Probe) => {
  process.send?.({
    reads: {
      secret: outcomeOf(() => readFileSync(secret)),
      passwords: outcomeOf(() => readFileSync('/etc/passwd')),
      root: outcomeOf(() => readdirSync('/')),
      given: outcomeOf(() => readFileSync(readable)),
    },
    writes: { given: outcomeOf(() => writeFileSync(writable, 'x')) },
    starts: {
      process: outcomeOf(() => execFileSync(process.execPath)),
      thread: outcomeOf(() => new Worker('', { eval: true })),
      native: outcomeOf(() => createRequire(import.meta.url)('onnxruntime-node')),
    },
    connects: await connecting(port),
    environment: process.env,
    priority: getPriority(),
    uid: process.getuid?.(),
    groups: process.getgroups?.(),
  });
});
endWithParent();
