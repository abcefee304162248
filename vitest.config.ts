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
];
/** Whole processes: the real server, the browser, decoders and speech models. */
const e2e = ['test/{audio,e2e,speech}/**/*.test.ts', 'test/contract/transcriber.test.ts'];
const onPostgres = process.env.STENO_TEST_DATABASES === 'sqlite' ? ['test/**/*.postgres.test.ts'] : [];
const exclude = [...configDefaults.exclude, ...onPostgres];

export default defineConfig({
  test: {
    // One process for many files: 40 files took 2.7 s together and 31 s isolated.
    isolate: false,
    // By default Vitest leaves one of two cores idle, and many tests wait: for a server to start, a lease to end, a browser.
    maxWorkers: 3,
    // A clip is heard in seconds, and in minutes on a machine that does ten things at once.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // What is polled for comes when it comes; the default of one second would let a busy machine decide.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: 'unit', include: unit, exclude } },
      {
        extends: true,
        test: {
          name: 'api',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...unit, ...e2e],
          globalSetup: ['test/support/postgres.ts', 'test/support/build.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: e2e,
          exclude: [...exclude, ...unit],
          globalSetup: ['test/support/postgres.ts', 'test/support/build.ts', 'test/support/chromium.ts'],
        },
      },
    ],
  },
});
