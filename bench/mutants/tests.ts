import { type ChildProcess, fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
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
  'test/{audio,cli,e2e,speech}/**',
  'test/**/*.{slow,postgres}.test.ts',
  'test/contract/transcriber.test.ts',
];

/** By test file: which functions it runs in each file of src, and how long it takes. `hash` is of the test itself. */
export type TestMap = Record<string, Recorded>;
interface Recorded {
  readonly hash: string;
  readonly ms: number;
  readonly ran: Readonly<Record<string, readonly string[]>>;
}

export const testFiles = (root: string, unitOnly: boolean) =>
  globSync(unitOnly ? unit : 'test/**/*.test.ts', { cwd: root, exclude: slow }).sort();

/** Runs every test file once and remembers which functions it ran. What `kept` knows of an unchanged test is used again. */
export async function mapTests(root: string, files: string[], kept: string | undefined): Promise<TestMap> {
  const known: TestMap = kept && existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : {};
  const hashOf = (file: string) => hash('sha256', readFileSync(join(root, file)));
  const map = Object.fromEntries(
    Object.entries(known).filter(([file, { hash }]) => files.includes(file) && hash === hashOf(file)),
  );
  const unknown = files.filter((file) => !map[file]);
  if (unknown.length === 0) return map;
  const runner = createRunner(root, ['--record']);
  const tests = unknown.map((file) => join(root, file));
  const outcome = await runner.run({ changed: [], tests }, 3_600_000);
  runner.stop();
  if (outcome === 'timeout') throw new Error('The tests did not end.');
  for (const file of unknown) {
    const path = join(root, file);
    const record = join(root, '.ran', `${file.replaceAll('/', '~')}.json`);
    if (outcome.failed.includes(path) || !existsSync(record))
      console.error(`${file} fails without any fault, and is left out.`);
    else
      map[file] = {
        hash: hashOf(file),
        ms: outcome.durations[path] ?? 0,
        ran: JSON.parse(readFileSync(record, 'utf8')),
      };
  }
  if (kept) writeFileSync(kept, JSON.stringify(map));
  return map;
}

/** It compares what the routes say of themselves; they do so at the start, which a record does not see. */
const description = 'test/api/operations.test.ts';

/** The tests that run the function with the fault: first those that are named alike, then the quick ones. */
export function testsFor(fault: Fault, map: TestMap): string[] {
  const tests = Object.keys(map);
  const functionsOf = (test: string) => map[test]?.ran[fault.file] ?? [];
  const byFunction = fault.functions
    .map((name) => tests.filter((test) => functionsOf(test).includes(name)))
    // What runs at an import is recorded for one test only, although every test needs it.
    .find((found) => found.length > 1);
  const found = byFunction ?? tests.filter((test) => functionsOf(test).length > 0);
  if (fault.file.startsWith('src/platform/http/') && map[description]) found.push(description);
  const resource = basename(fault.file, '.ts').replace(/s$/, '');
  const rank = (test: string) => (basename(test).includes(resource) ? 0 : 1e9) + (map[test]?.ms ?? 0);
  return [...new Set(found)].sort((one, other) => rank(one) - rank(other));
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
  process.on('exit', stop);
  return {
    async run(task: Task, timeoutMs: number): Promise<Outcome | 'timeout'> {
      child ??= await start();
      const signal = AbortSignal.any([AbortSignal.timeout(Math.ceil(timeoutMs)), ended.signal]);
      child.send(task);
      try {
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
