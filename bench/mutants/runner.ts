import { createVitest, type Vitest } from 'vitest/node';

/**
 * A process that keeps one Vitest and runs test files when its parent asks. It saves the start of Vitest and most of the
 * compiling, which take longer than most tests.
 */
export interface Task {
  /** Changed since the last task. */
  readonly changed: readonly string[];
  readonly tests: readonly string[];
}
export interface Outcome {
  readonly failed: readonly string[];
  readonly durations: Readonly<Record<string, number>>;
}

const records = process.argv.includes('--record');
const vitest: Vitest = await createVitest('test', {
  root: process.cwd(),
  config: false,
  watch: false,
  isolate: false,
  maxWorkers: 2,
  bail: records ? 0 : 1,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
  include: ['test/**/*.test.ts'],
  setupFiles: records ? ['bench/mutants/record.ts'] : [],
  tags: [{ name: 'slow' }],
  tagsFilter: ['!slow'],
  reporters: [{}],
  onConsoleLog: () => false,
});

process.on('message', async ({ changed, tests }: Task) => {
  for (const file of changed) vitest.invalidateFile(file);
  const project = vitest.getRootProject();
  const { testModules: known, unhandledErrors } = await vitest.runTestSpecifications(
    tests.map((file) => project.createSpecification(file)),
  );
  // Vitest also answers with the files of earlier tasks.
  const testModules = known.filter(({ moduleId }) => tests.includes(moduleId));
  const failed = testModules.filter((module) => module.state() === 'failed').map(({ moduleId }) => moduleId);
  const durations = Object.fromEntries(
    testModules.map((module) => [module.moduleId, module.diagnostic().duration]),
  );
  const outcome: Outcome = {
    failed: unhandledErrors.length > 0 ? [...failed, 'unhandled'] : failed,
    durations,
  };
  process.send?.(outcome);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
