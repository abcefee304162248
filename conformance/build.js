// Makes the package that others run: one file without dependencies, and the recordings that it sends.
//   node conformance/build.js [FOLDER]    conformance/dist, or another folder; then "npm pack" there
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const here = import.meta.dirname;
const dist = resolve(process.argv[2] ?? join(here, 'dist'));
const recordings = join(here, '../test/fixtures/audio');
const { version, license } = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8'));

rmSync(dist, { recursive: true, force: true });
const bundle = await rolldown({ input: join(here, 'run.ts'), platform: 'node' });
await bundle.write({ dir: dist, format: 'esm', entryFileNames: 'run.js', banner: '#!/usr/bin/env node' });
await bundle.close();
chmodSync(join(dist, 'run.js'), 0o755);

mkdirSync(join(dist, 'sound'));
for (const file of readdirSync(recordings))
  if (file.startsWith('jfk.')) cpSync(join(recordings, file), join(dist, 'sound', file));
for (const file of ['README.md', '../LICENSE']) cpSync(join(here, file), join(dist, file.replace('../', '')));
const manifest = {
  name: 'steno-conformance',
  version,
  description: 'Checks any server against the contract that Steno keeps, and prints a table.',
  license,
  type: 'module',
  bin: { 'steno-conformance': 'run.js' },
  engines: { node: '>=22' },
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
