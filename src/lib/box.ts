import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { codeFolders, projectPath } from './program.ts';

export interface BoxOptions {
  script: URL;
  /** Files and folders that it may read, besides its own code and the packages. */
  read?: readonly string[];
  /** Folders that it may write to. Such a process keeps the user of the server, who owns them. */
  write?: readonly string[];
  /** More flags for Node. */
  flags?: readonly string[];
  memoryCapBytes: number;
}

const heapMegabytes = 512;
/** Higher than the cap that the server watches, because this one also counts memory that is mapped and never touched. */
const mappedBytesAboveCap = 1_000_000_000;
const openFiles = 256;
const nobody = 65_534;

/**
 * The command that starts a script which reads hostile files with native code. Node's own walls keep its JavaScript from
 * other files, processes and threads; they do not hold native code. The system's walls hold both (docs/decisions/0077).
 */
export function boxedCommand(options: BoxOptions): { execPath: string; execArgv: string[] } {
  const walls = systemWalls(options);
  const command = [...walls, process.execPath, ...nodeWalls(options, walls.includes(endsWithParent))];
  const [execPath = process.execPath, ...execArgv] = command;
  return { execPath, execArgv };
}

function nodeWalls(
  { script, read = [], write = [], flags = [] }: BoxOptions,
  isEndedBySystem: boolean,
): string[] {
  const own = [...codeFolders, projectPath('node_modules'), projectPath('package.json')];
  const readable = [...own, fileURLToPath(script), ...read, ...write].flatMap(withWhatIsInside);
  return [
    '--permission',
    // Decoders and speech engines are native addons.
    '--allow-addons',
    // For the thread that ends them with their parent. It is started before the permission is given up (endWithParent).
    ...(isEndedBySystem ? [] : ['--allow-worker']),
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...write.flatMap(withWhatIsInside).map((path) => `--allow-fs-write=${path}`),
    `--max-old-space-size=${heapMegabytes}`,
    '--enable-source-maps',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    ...flags,
  ];
}

/** Node compares the path that a program names, which may lead through a link. A folder may not be there yet. */
function withWhatIsInside(path: string): string[] {
  const names = existsSync(path) ? [path, realpathSync(path)] : [path];
  return [...new Set(names)].flatMap((name) => [name, join(name, '*')]);
}

const chosen = new Map<string, readonly string[]>();

/** The strongest walls that this machine allows, as programs of util-linux, each of which starts the next. */
function systemWalls({ script, read = [], write = [], memoryCapBytes }: BoxOptions): readonly string[] {
  if (process.platform !== 'linux') return [];
  const needed = [fileURLToPath(script), ...read];
  const name = JSON.stringify([needed, write.length > 0, memoryCapBytes]);
  const known = chosen.get(name);
  if (known) return known;
  const limits = limitsOf(memoryCapBytes, write.length > 0);
  const walls = candidates(write.length > 0)
    .map((parts) => [...parts.flat(), ...limits])
    .find((command) => holds(command, needed));
  // Not remembered if none works: Node itself may be missing for a moment, as during an `npm ci`.
  if (walls) chosen.set(name, walls);
  return walls ?? [];
}

/** Works even in native code that never returns, without a thread that would take 10 MB. */
const endsWithParent = '--pdeathsig=KILL';

/** From the strongest to the weakest. */
function candidates(keepsUser: boolean): string[][][] {
  const noMore = ['/usr/bin/setpriv', '--no-new-privs', endsWithParent];
  if (process.getuid?.() !== 0) {
    const offline = ['/usr/bin/unshare', '--user', '--map-current-user', '--net', '--'];
    return [[offline, noMore], [noMore], []];
  }
  const offline = ['/usr/bin/unshare', '--net', '--'];
  const powerless = [...noMore, '--bounding-set=-all', '--inh-caps=-all'];
  const asNobody = [...powerless, `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const asRoot = [[offline, powerless], [powerless], []];
  return keepsUser ? asRoot : [[offline, asNobody], [asNobody], ...asRoot];
}

const limitsOf = (memoryCapBytes: number, writes: boolean) => [
  '/usr/bin/prlimit',
  `--data=${memoryCapBytes + mappedBytesAboveCap}`,
  `--nofile=${openFiles}`,
  '--core=0',
  ...(writes ? [] : ['--fsize=0']),
];

/** Whether a process behind these walls starts, and can read what it needs: /root is closed to other users. */
function holds(walls: readonly string[], needed: readonly string[]): boolean {
  const [command = '', ...args] = walls;
  const check = 'test -x "$0" && for path in "$@"; do test -r "$path" || exit 1; done';
  const result = spawnSync(command, [...args, '/bin/sh', '-c', check, process.execPath, ...needed], {
    env: {},
    stdio: 'ignore',
  });
  return result.status === 0;
}

const checkMs = 2_000;

/** Runs in a second thread, because native code may block the main one for ever. Kills the process if its parent is gone. */
const watch = `
  const parent = ${process.ppid};
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, ${checkMs});
`;

/**
 * Ends this process when its parent ends. Normally the closed channel is enough. A process that is stuck in native code is
 * ended by the system or else by a thread: two such workers of 290 MB each once outlived their server by 20 minutes.
 */
export function endWithParent(): void {
  process.on('disconnect', () => process.exit());
  if (process.permission?.has('worker') === false) return;
  new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
  // From here on nothing else may start a thread. The types do not know `drop` yet.
  const { permission }: { permission?: object } = process;
  if (permission && 'drop' in permission && typeof permission.drop === 'function') permission.drop('worker');
}
