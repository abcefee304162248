// After `npm ci`. npm runs it once more for the first `npx steno`, which makes a link to this folder: then everything is there,
// and a server may be using it.
import { execSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { removeUnneeded } from './unneeded.js';

const root = join(import.meta.dirname, '..');
const modules = join(root, 'node_modules');

if (process.env.npm_command !== 'exec') {
  forgetEngines();
  fetchBundlers();
  // Faults are on stderr. What is built is a list of a hundred files.
  execSync('npm run --silent build', { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  prepareModels();
  removeUnneeded(modules);
}

/**
 * Everything runs on the Node that npm installs, whichever Node npm itself runs on. What packages ask of that one says nothing
 * here, and on Node 20 it is a hundred lines of warnings. `npm install` writes it, `npm ci` finds nothing to do.
 */
function forgetEngines() {
  const path = join(root, 'package-lock.json');
  const before = readFileSync(path, 'utf8');
  const lock = JSON.parse(before);
  for (const [place, entry] of Object.entries(lock.packages))
    if (place.includes('node_modules/')) delete entry.engines;
  const after = `${JSON.stringify(lock, null, 2)}\n`;
  if (after !== before) writeFileSync(path, after);
}

/** Both are native and come as optional packages, which `npm ci --omit=optional` leaves out. Nothing is built without them. */
function fetchBundlers() {
  const require = createRequire(import.meta.url);
  const missing = ['rolldown', 'lightningcss'].filter((name) => {
    try {
      return !require(name);
    } catch {
      return true;
    }
  });
  if (missing.length === 0) return;
  const manifestOf = (name) => JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
  const versions = missing.map((name) => `${name}@${manifestOf(name).version}`).join(' ');
  const draft = join(modules, '.cache/bundlers');
  const flags = '--include=optional --ignore-scripts --no-save --no-package-lock --no-audit --no-fund';
  execSync(`npm install --prefix "${draft}" ${flags} ${versions}`, {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const path of globSync('{@rolldown/binding-*,lightningcss-*}', { cwd: join(draft, 'node_modules') }))
    cpSync(join(draft, 'node_modules', path), join(modules, path), { recursive: true });
  rmSync(draft, { recursive: true });
}

/** So that the first recording need not wait for it. The server does it too, where it finds none. */
function prepareModels() {
  const tool = join(root, 'dist/tools/prepare-model/index.js');
  const { status, stderr } = spawnSync(process.execPath, [tool], { encoding: 'utf8' });
  if (status !== 0)
    console.error(`The speech models are not prepared yet; the server will try again. ${stderr.trim()}`);
}
