import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/console-build.ts'],
    // One process for many files: 40 files took 2.7 s together and 31 s isolated.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
