// Makes dist/ of the sources: the server and its commands, its threads and its worker processes (decision 140).
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
/** What is started: src/lib/program.ts finds it by the same name. */
const scripts = [
  'src/main',
  'src/engines/search/thread/thread',
  'src/features/import/sent/thread',
  'src/engines/speech/pool/worker',
  'src/engines/audio/decoder-process',
  'tools/prepare-model/index',
];
const external = [
  // Native code, or files of their own.
  'onnxruntime-node',
  'node-web-audio-api',
  '@napi-rs/whisper',
  'transcribe-cpp',
  '@echogarden/fvad-wasm',
  // Fastify and pg ask for these in cases that Steno does not have: 700 kB that each start would read.
  'pino',
  'light-my-request',
  /^@fastify\/(ajv-compiler|fast-json-stringify-compiler)/,
  'pg-native',
  'pg-cloudflare',
];

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(scripts.map((name) => [name, `${name}.ts`])),
  platform: 'node',
  external,
  plugins: [
    {
      name: 'no maps of packages',
      transform: { filter: { id: /node_modules/ }, handler: (code) => ({ code, map: { mappings: '' } }) },
    },
  ],
});
// Beside its place, so that dist/ is whole or not there.
const draft = join(root, `dist.${process.pid}`);
await bundle.write({
  dir: draft,
  format: 'esm',
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
});
await bundle.close();
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(draft, join(root, 'dist'));
