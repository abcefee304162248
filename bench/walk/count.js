// Loaded into every process of the server: counts the functions of ours that run. A child writes them down as it goes, since it may be killed.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
let written = 0;

/** The files with a function that ran since the last call. What runs when a file is loaded does not count. */
export async function filesThatRan() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = ({ functions }) => functions.slice(1).some(({ ranges: [whole] }) => whole.count > 0);
  const isOurs = ({ url }) => url.includes('/src/') && !url.includes('/node_modules/');
  return result
    .filter((script) => isOurs(script) && ran(script))
    .map(({ url }) => url.split('/src/').at(-1) ?? '');
}

const folder = process.env.STENO_WALK;
if (folder)
  setInterval(async () => {
    const files = await filesThatRan();
    if (files.length > 0)
      writeFileSync(join(folder, `${process.pid}-${written++}.json`), JSON.stringify(files));
  }, 100).unref();
