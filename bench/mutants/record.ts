import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';

/** A set-up file of Vitest: writes down which functions of src each test file ran. */
const root = process.cwd();
const held = globalThis as { recording?: Promise<Session> };
held.recording ??= start();

async function start(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return session;
}

afterAll(async () => {
  const session = await held.recording;
  const answer = await session?.post('Profiler.takePreciseCoverage');
  const ran: Record<string, string[]> = {};
  for (const { url, functions } of answer?.result ?? []) {
    const [, file] = url.split(`${root}/src/`);
    if (file === undefined) continue;
    const names = functions
      .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName }) => functionName);
    ran[`src/${file}`] = [...new Set([...(ran[`src/${file}`] ?? []), ...names])];
  }
  const path = expect.getState().testPath ?? '';
  const folder = join(root, '.ran');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${path.slice(root.length + 1).replaceAll('/', '~')}.json`),
    JSON.stringify(ran),
  );
});
