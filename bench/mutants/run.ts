import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Fault, faultsOf } from './faults.ts';
import { createRunner, mapTests, testFiles, testsFor } from './tests.ts';

const { values } = parseArgs({
  options: {
    area: { type: 'string', default: 'services' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    /** Keeps which test runs what, for the next sample of the same code. */
    map: { type: 'string' },
    file: { type: 'string' },
  },
});
const home = join(import.meta.dirname, '../..');
const area = values.area;
/** What only PostgreSQL or the processes of commands run; the tests here do neither. */
const unseen = /postgres|rate-limits-shared|sqlite-backup/;

// The faults go into a copy, so a killed run leaves nothing behind but a folder in /tmp.
const root = mkdtempSync(join(tmpdir(), 'steno-mutants-'));
const runner = createRunner(root);
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
copyProject();

const files = globSync(`src/${area}/**/*.ts`, { cwd: root }).filter(
  (file) => file.includes(values.file ?? '') && !unseen.test(file),
);
const all = files.sort().flatMap((file) => faultsOf(root, file));
const sample = sampled(all, Number(values.count), Number(values.seed));
const map = await mapTests(root, testFiles(root, area === 'domain'), values.map);
console.log(`${sample.length} of ${all.length} faults in src/${area}, seed ${values.seed}`);

const survivors: Fault[] = [];
const restored = new Set<string>();
for (const [at, fault] of sample.entries()) {
  const outcome = await tried(fault);
  if (outcome === 'survived' || outcome === 'no test') survivors.push(fault);
  console.log(`${at + 1}  ${outcome}  ${inWords(fault)}`);
}
const noticed = sample.length - survivors.length;
console.log(`\n| area | seed | faults | noticed | share |\n|---|---|---|---|---|`);
console.log(
  `| ${area} | ${values.seed} | ${sample.length} | ${noticed} | ${((100 * noticed) / sample.length).toFixed(0)} % |`,
);
if (survivors.length > 0) console.log(`\nNot noticed:\n${survivors.map(inWords).join('\n')}`);
process.exit();

async function tried(fault: Fault): Promise<string> {
  const tests = testsFor(fault, map);
  if (tests.length === 0) return 'no test';
  const path = join(root, fault.file);
  const sound = readFileSync(path, 'utf8');
  writeFileSync(path, sound.slice(0, fault.start) + fault.text + sound.slice(fault.end));
  const changed = [...restored];
  restored.clear();
  try {
    // Most faults are noticed by the first few; the others need not even be loaded.
    for (const some of [tests.slice(0, 4), tests.slice(4)]) {
      if (some.length === 0) continue;
      const expected = some.reduce((sum, test) => sum + (map[test]?.ms ?? 0), 0);
      const task = { changed: [path, ...changed], tests: some.map((test) => join(root, test)) };
      const outcome = await runner.run(task, 120_000 + 5 * expected);
      if (outcome === 'timeout') return 'timeout';
      const [failed] = outcome.failed;
      if (failed !== undefined) return `noticed by ${failed.slice(root.length + 1) || failed}`;
    }
    return 'survived';
  } finally {
    writeFileSync(path, sound);
    restored.add(path);
  }
}

function copyProject(): void {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: home,
    encoding: 'utf8',
  });
  for (const file of list.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(home, file), join(root, file));
  }
  for (const folder of ['node_modules', 'web/node_modules', 'dist', 'web/dist'])
    symlinkSync(join(home, folder), join(root, folder));
}

/** The same seed gives the same sample of the same code. */
function sampled(faults: readonly Fault[], count: number, seed: number): Fault[] {
  const rest = [...faults];
  let state = seed;
  const chosen: Fault[] = [];
  while (chosen.length < count && rest.length > 0) {
    // xorshift, after spreading a small seed over all bits
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0;
    chosen.push(...rest.splice(mixed % rest.length, 1));
  }
  return chosen;
}

function inWords({ file, line, kind, start, end }: Fault): string {
  const text = readFileSync(join(root, file), 'utf8').slice(start, end).replace(/\s+/g, ' ');
  return `${file}:${line}  ${kind}: ${text.slice(0, 90)}`;
}
