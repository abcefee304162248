import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from '../../scripts/ensure-built.js';
import { readConfig } from '../../src/config.ts';
import { composeServices } from '../../src/services.ts';

const bin = join(import.meta.dirname, '../../bin/steno.js');
// Never yesterday's build, also where no set-up of Vitest made it.
ensureBuilt(['server']);
const running = new Set<ChildProcess>();
// A test that fails half-way must leave no server behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The caller removes it; two servers one after the other may use it. */
export const newFolder = () => mkdtempSync(join(tmpdir(), 'steno-process-'));

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

type Settings = Record<string, string>;

/** `steno <args>` as a person runs it, in a process of its own, with only the given settings. */
export async function runSteno(args: readonly string[], settings: Settings = {}, stdin = ''): Promise<Ended> {
  const steno = spawnSteno(args, settings);
  steno.child.stdin?.end(stdin);
  return steno.ended;
}

export interface ServerProcess {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  /** The owner's key, which only the first start on an empty database prints. */
  readonly key: string | undefined;
  readonly pid: number;
  /** Milliseconds from the spawn until it said that it listens. */
  readonly startedInMs: number;
  /** Everything printed so far, log lines among it. */
  output(): string;
  /** Sends the signal and leaves it at that; `ended` tells the rest. */
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
  /** Asks it to stop (SIGTERM) and waits until it has. */
  stop(): Promise<Ended>;
  /** `kill -9`, and waits until it is gone. */
  kill(): Promise<Ended>;
}

export interface ServerOptions {
  dataDir: string;
  /** `postgres://…`; without it the server keeps SQLite in `dataDir`. */
  databaseUrl?: string;
  /** After `serve`. */
  args?: string[];
  /** More settings; by default it takes a free port and logs warnings only. */
  settings?: Settings;
  /** A command that becomes the server, such as one that gives it a small disk. */
  within?: readonly string[];
}

/** The same with a terminal as its output, as `script` of util-linux makes one. */
export async function onTerminal(options: ServerOptions): Promise<ServerProcess> {
  const within = ['/bin/sh', '-c', 'exec script -qefc "exec $*" /dev/null', 'sh'];
  const server = await startServer({ ...options, within });
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
  const signal = (name: NodeJS.Signals) => process.kill(Number(children.trim()), name);
  return {
    ...server,
    // A terminal begins a line in two steps.
    output: () => server.output().replaceAll('\r\n', '\n'),
    signal,
    stop() {
      signal('SIGTERM');
      return server.ended;
    },
  };
}

/** A real server in a process of its own, once it listens. Rejects with what it printed when it ends before that. */
export async function startServer(options: ServerOptions) {
  const { dataDir, databaseUrl, args = [], settings = {}, within = [] } = options;
  const spawnedAt = performance.now();
  const environment = {
    STENO_DATA_DIR: dataDir,
    STENO_PORT: '0',
    STENO_METRICS_LISTEN: '127.0.0.1:0',
    STENO_LOG_LEVEL: 'warn',
    STENO_FIRST_STEPS: 'no',
    // Loading the real one takes seconds of every core; who tests speech asks for it.
    STENO_ENGINE: 'fake',
    ...(databaseUrl ? { STENO_DATABASE_URL: databaseUrl } : {}),
    ...settings,
  };
  const steno = spawnSteno(['serve', ...args], environment, within);
  const { child, ended, printed } = steno;
  child.stdin?.end();
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const listening = /Steno listens on ([^\s"]+)["\s]/.exec(printed.stdout);
      if (listening?.[1]) resolve(listening[1]);
    });
    ended.then(({ code, stdout, stderr }) =>
      reject(new Error(`The server ended with ${code} before it listened:\n${stdout}${stderr}`)),
    );
  });
  const startedInMs = performance.now() - spawnedAt;
  // A small disk of its own is seen through the process alone.
  const seen = within.length > 0 ? `/proc/${child.pid}/root${dataDir}` : dataDir;
  const server: ServerProcess = {
    address,
    // Without a terminal it is in a file; a sandbox prints it.
    key: /owk_live_[\w-]{43}/.exec(hasNewKey(printed.stdout) ? firstSignIn(seen) : printed.stdout)?.[0],
    pid: child.pid ?? 0,
    startedInMs,
    output: () => printed.stdout + printed.stderr,
    signal: (signal) => child.kill(signal),
    ended,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
  return server;
}

const hasNewKey = (printed: string) =>
  printed.includes('The first key and a link to sign in are in this file');
export const firstSignIn = (dataDir: string) => readFileSync(join(dataDir, 'first-sign-in'), 'utf8');

function spawnSteno(args: readonly string[], settings: Settings, within: readonly string[] = []) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('STENO_'));
  const [program = '', ...rest] = [...within, process.execPath, '--', bin, ...args];
  const child = spawn(program, rest, {
    env: { ...Object.fromEntries(inherited), ...settings },
  });
  running.add(child);
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    printed.stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, ...printed });
    });
  });
  return { child, printed, ended };
}

/** An empty database, as the first start of a server leaves it. */
export async function makeDatabase(dataDir: string): Promise<void> {
  const services = await composeServices(readConfig({ STENO_DATA_DIR: dataDir }));
  await services.close();
}
