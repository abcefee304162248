import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabase } from '../support/postgres.ts';
import { newFolder, runSteno, startServer } from '../support/process.ts';

const [one, two] = [newFolder(), newFolder()];
let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase(inject('postgresUrl'));
});
afterAll(async () => {
  await database.drop();
  for (const folder of [one, two]) rmSync(folder, { recursive: true, force: true });
});

test('a second server with audio of its own is refused, unless it may or shares the folder', async () => {
  const databaseUrl = database.url;
  const first = await startServer({ dataDir: one, databaseUrl });
  const refused = await runSteno(['serve'], {
    STENO_DATA_DIR: two,
    STENO_DATABASE_URL: databaseUrl,
    STENO_PORT: '0',
    STENO_ENGINE: 'fake',
  });
  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).toMatch(/^Another server uses this database [^\n]+STENO_RECORDINGS_URL[^\n]+\n$/);
  const beside = await startServer({ dataDir: one, databaseUrl });
  const allowed = await startServer({ dataDir: two, databaseUrl, settings: { STENO_AUDIO_LOCAL: 'yes' } });
  await Promise.all([first.stop(), beside.stop(), allowed.stop()]);
  // One that comes after the others have gone takes over.
  await (await startServer({ dataDir: two, databaseUrl })).stop();
});
