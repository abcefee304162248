import { globSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';

/** Pure: no database server, no browser, no speech model. */
const unit = [
  'test/{domain,http,lib,webhooks}/**/*.test.ts',
  'test/config.test.ts',
  'test/speech/cutting.test.ts',
  'test/speech/diarize/{cluster,turns}.test.ts',
  'test/speech/names/{names,vocabulary}.test.ts',
  'test/search/rank.test.ts',
  'test/audio/resample.test.ts',
  'test/language/**/*.test.ts',
];
/** Whole processes: the real server, the browser, decoders and speech models. */
const e2e = ['test/{audio,e2e,speech}/**/*.test.ts', 'test/contract/transcriber.test.ts'];
const slow = 'test/**/*.slow.test.ts';
const withPostgres = process.env.STENO_TEST_DATABASES !== 'sqlite';
const never = [...configDefaults.exclude, ...(withPostgres ? [] : ['test/**/*.postgres.*'])];

const settings = {
  // One process for many files: 40 files took 2.7 s together and 31 s isolated.
  isolate: false,
  // By default Vitest leaves one of two cores idle, and many tests wait: for a server to start, a lease to end, a browser.
  maxWorkers: 3,
  // A clip is heard in seconds, and in minutes on a machine that does ten things at once.
  testTimeout: 300_000,
  hookTimeout: 120_000,
  // What is polled for comes when it comes; the default of one second would let a busy machine decide.
  expect: { poll: { timeout: 30_000 } },
  tags: [
    { name: 'slow', description: 'In a file of quick tests, one that `npm test` leaves to the slow suite' },
  ],
};
const postgres = 'test/support/postgres.ts';
const build = 'test/support/build.ts';
const chromium = 'test/support/chromium.ts';
const api = {
  include: ['test/**/*.test.ts'],
  exclude: [...never, slow, ...unit, ...e2e],
  globalSetup: [postgres, build],
};

/** `npm test`: every promise on two quiet cores in minutes. */
export default defineConfig({
  test: {
    ...settings,
    projects: [
      { extends: true, test: { name: 'unit', include: unit, exclude: [...never, slow] } },
      { extends: true, test: { name: 'api', ...api } },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: e2e,
          exclude: [...never, slow, ...unit],
          globalSetup: [postgres, build, chromium],
        },
      },
    ],
  },
});

/** Files with tests that `npm test` leaves out: those tagged `slow`, and those of every screen when shown on a phone. */
const withRest = globSync('test/**/*.test.ts', { exclude: [slow] }).filter((file) =>
  /tags: 'slow'|each\(sizes\)/.test(readFileSync(file, 'utf8')),
);

/** Files that run wholly on both databases in `npm test`. */
const onBoth = globSync('test/**/*.test.ts').filter((file) => {
  const suites = readFileSync(file, 'utf8').match(/^(?:describe|test)\b.*$/gm) ?? [];
  return suites.length > 0 && suites.every((line) => line.startsWith('describe.each(databaseKinds)'));
});

/** `npm run test:slow`: kills, faults, campaigns and model quality; and on PostgreSQL what reaches the store and ran on SQLite in `npm test`. */
export const slowSuite = defineConfig({
  test: {
    ...settings,
    projects: [
      {
        extends: true,
        test: {
          name: 'slow',
          include: [slow],
          exclude: never,
          globalSetup: [postgres, build, chromium],
          env: { STENO_TEST_SCREEN: 'both' },
        },
      },
      {
        extends: true,
        test: {
          name: 'rest',
          include: withRest,
          exclude: never,
          globalSetup: [postgres, build, chromium],
          setupFiles: ['test/support/slow-only.ts'],
          env: { STENO_TEST_SCREEN: 'phone' },
        },
      },
      ...(withPostgres
        ? [
            {
              extends: true as const,
              test: {
                name: 'api-on-postgres',
                ...api,
                // These run there in `npm test` too, or know no other database than that of a data folder.
                exclude: [
                  ...api.exclude,
                  ...onBoth,
                  'test/{contract,store,search}/**',
                  'test/**/*.postgres.test.ts',
                  'test/cli/{backup,bin,mail,models,ownership,settings,speech,usage,watch}.test.ts',
                  // What stands before the store: no database decides there.
                  'test/{mcp,sdk}/**',
                  'test/api/{access,bare-requests,broken-answers,compress,cors,doors,envelope,examples,fields}.test.ts',
                  'test/api/{guide,openai,openai-chat,setup,strict,wire}.test.ts',
                ],
                env: { STENO_TEST_DATABASES: 'postgres' },
              },
            },
          ]
        : []),
    ],
  },
});
