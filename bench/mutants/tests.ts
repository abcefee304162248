import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Fault } from './faults.ts';
import type { Outcome, Task } from './runner.ts';

/** Pure tests, as `npm run test:unit` runs them. */
const unit = [
  'test/{domain,http,lib,webhooks}/**/*.test.ts',
  'test/config.test.ts',
  'test/search/rank.test.ts',
];
const slow = [
  'test/{audio,e2e,speech}/**',
  'test/**/*.{slow,postgres}.test.ts',
  'test/contract/transcriber.test.ts',
];

/** What a test file runs, by file of src, and how long it takes. */
type Ran = Readonly<Record<string, readonly string[]>>;
export interface TestMap {
  readonly ran: Readonly<Record<string, Ran>>;
  readonly durations: Readonly<Record<string, number>>;
}

export const testFiles = (root: string, unitOnly: boolean) =>
  globSync(unitOnly ? unit : 'test/**/*.test.ts', { cwd: root, exclude: slow }).sort();

/** Runs every test file once, and remembers which functions it ran. `kept` names a file with an earlier answer. */
export async function mapTests(root: string, files: string[], kept: string | undefined): Promise<TestMap> {
  if (kept && existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'));
  const runner = createRunner(root, ['--record']);
  const outcome = await runner.run({ changed: [], tests: files.map((file) => join(root, file)) }, 3_600_000);
  runner.stop();
  if (outcome === 'timeout') throw new Error('The tests did not end.');
  const failed = outcome.failed.map((path) => path.slice(root.length + 1));
  for (const file of failed) console.error(`${file} fails without any fault, and is left out.`);
  const ran: Record<string, Ran> = {};
  for (const name of readdirSync(join(root, '.ran'))) {
    const file = basename(name, '.json').replaceAll('~', '/');
    if (!failed.includes(file)) ran[file] = JSON.parse(readFileSync(join(root, '.ran', name), 'utf8'));
  }
  const durations = Object.fromEntries(
    Object.entries(outcome.durations).map(([path, ms]) => [path.slice(root.length + 1), ms]),
  );
  const map = { ran, durations };
  if (kept) writeFileSync(kept, JSON.stringify(map));
  return map;
}

/** The tests that run the function with the fault: first those that are named alike, then the quick ones. */
export function testsFor(fault: Fault, { ran, durations }: TestMap): string[] {
  const tests = Object.keys(ran);
  const runs = (name: string) => tests.filter((test) => ran[test]?.[fault.file]?.includes(name));
  const byFunction = fault.functions.map(runs).find((found) => found.length > 0);
  const found = byFunction ?? tests.filter((test) => (ran[test]?.[fault.file]?.length ?? 0) > 0);
  const resource = basename(fault.file, '.ts').replace(/s$/, '');
  const rank = (test: string) => (basename(test).includes(resource) ? 0 : 1e9) + (durations[test] ?? 0);
  return found.toSorted((one, other) => rank(one) - rank(other));
}

export function createRunner(root: string, args: string[] = []) {
  let child: ChildProcess | undefined;
  let ended = new AbortController();
  async function start(): Promise<ChildProcess> {
    const script = join(import.meta.dirname, 'runner.ts');
    const started = fork(script, args, {
      cwd: root,
      env: { ...process.env, STENO_TEST_DATABASES: 'sqlite' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true,
    });
    const ending = new AbortController();
    ended = ending;
    started.once('exit', () => ending.abort());
    await once(started, 'message');
    return started;
  }
  function stop() {
    // With its workers, which may hang.
    if (child?.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    child = undefined;
  }
  return {
    async run(task: Task, timeoutMs: number): Promise<Outcome | 'timeout'> {
      child ??= await start();
      child.send(task);
      try {
        const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ended.signal]);
        const [outcome] = await once(child, 'message', { signal });
        return outcome;
      } catch {
        // Too late, or the process ended; either way the next task gets a new one.
        stop();
        return 'timeout';
      }
    },
    stop,
  };
}
