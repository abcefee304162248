// After `npm ci`. npm runs it once more for the first `npx steno`, which makes a link to this folder: then everything is there,
// and a server may be using it.
import { execSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

if (process.env.npm_command !== 'exec') {
  execSync('npm run build', { stdio: 'inherit' });
  prepareModels();
}

/** So that the first recording need not wait for it. The server does it too, where it finds none. */
function prepareModels() {
  const tool = join(import.meta.dirname, '../dist/tools/prepare-model/index.js');
  const { status, stderr } = spawnSync(process.execPath, [tool], { encoding: 'utf8' });
  if (status !== 0)
    console.error(`The speech models are not prepared yet; the server will try again. ${stderr.trim()}`);
}
