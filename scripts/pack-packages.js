// Packs packages of hundreds of small files into one file each, for bin/packed-packages.js (decision 140). Runs after
// `npm ci`. Nothing depends on it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { lockDigest, packedHome } from '../bin/packed-packages.js';

/** What every start loads, and what shares a package with it: two copies of Zod would not know each other's schemas. */
const packed = [
  'kysely',
  'zod',
  'zod/v4',
  'zod/v4/core',
  'fastify',
  '@fastify/type-provider-zod',
  '@fastify/multipart',
  '@fastify/static',
  'prom-client',
  'commander',
];
/** Fastify asks for these only in cases that Steno does not have, or has rarely. */
const left = [
  'pino',
  'abstract-logging',
  'light-my-request',
  /^@fastify\/(ajv-compiler|fast-json-stringify-compiler)/,
];

const fileOf = (name) => `${name.replace(/\W/g, '-')}.js`;

/** A packed CommonJS module has no named exports, so they are listed. */
async function entryFor(name) {
  const found = await import(name);
  const hasDefault = 'default' in found;
  if (!('module.exports' in found))
    return `export * from '${name}'; ${hasDefault ? `export { default } from '${name}';` : ''}`;
  const names = Object.keys(found).filter((key) => key !== 'default' && key !== 'module.exports');
  return `import it from '${name}'; export default it; export const { ${names.join(', ')} } = it;`;
}

rmSync(packedHome, { recursive: true, force: true });
const entries = join(packedHome, 'entries');
mkdirSync(entries, { recursive: true });
for (const name of packed) writeFileSync(join(entries, fileOf(name)), await entryFor(name));
const bundle = await rolldown({
  input: packed.map((name) => join(entries, fileOf(name))),
  platform: 'node',
  external: left,
});
await bundle.write({
  dir: packedHome,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
rmSync(entries, { recursive: true });
const files = Object.fromEntries(packed.map((name) => [name, fileOf(name)]));
// Written last: without it, nothing of the folder is used.
writeFileSync(join(packedHome, 'package.json'), '{ "type": "module" }\n');
writeFileSync(join(packedHome, 'index.json'), JSON.stringify({ lock: lockDigest(), files }));
