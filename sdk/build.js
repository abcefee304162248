// Makes the package as it is published: JavaScript with types, and a manifest.
//   node sdk/build.js [FOLDER]    sdk/dist, or another folder
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const here = import.meta.dirname;
const dist = resolve(process.argv[2] ?? join(here, 'dist'));
const read = (path) => JSON.parse(readFileSync(join(here, path), 'utf8'));
const { name, description, license, type, sideEffects, dependencies } = read('package.json');

rmSync(dist, { recursive: true, force: true });
const bundle = await rolldown({ input: join(here, 'src/index.ts'), external: Object.keys(dependencies) });
await bundle.write({ dir: dist, format: 'esm', entryFileNames: 'index.js' });
await bundle.close();

const compiler = join(here, '../node_modules/typescript/bin/tsc');
const types = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly'];
execFileSync(
  process.execPath,
  [compiler, '-p', here, ...types, '--rootDir', join(here, 'src'), '--outDir', dist],
  {
    stdio: 'inherit',
  },
);
cpSync(join(here, 'src/schema.d.ts'), join(dist, 'schema.d.ts'));

const manifest = {
  name,
  // Of the server that it is made for.
  version: read('../package.json').version,
  description,
  license,
  type,
  sideEffects,
  exports: { types: './index.d.ts', default: './index.js' },
  dependencies,
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
for (const file of ['README.md', '../LICENSE']) cpSync(join(here, file), join(dist, file.replace('../', '')));
