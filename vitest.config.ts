import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/console-build.ts'],
    // One process for many files: 40 files took 2.7 s together and 31 s isolated.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What is polled for comes when it comes; the default of one second would let a busy machine decide.
    expect: { poll: { timeout: 30_000 } },
  },
});
