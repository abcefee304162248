// What npm installs and Steno never loads. `npm ci` removes it at its end; on arm64 Linux 480 of 1,500 MB.
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const { platform, arch } = process;
const isHere = (path) => path.includes(`${platform}-${arch}`) || path.includes(join(platform, arch));

/** `files` is below node_modules, `keep` says which of them stay, `megabytes` is what goes. */
const unneeded = [
  {
    files: 'onnxruntime-node/bin/*/*/*',
    keep: isHere,
    megabytes: 263,
    why: 'builds for other systems',
  },
  {
    files: 'node/node_modules/node-*/{include,share,CHANGELOG.md}',
    megabytes: 67,
    why: 'headers for compiling native code against this Node',
  },
  {
    files: '@transcribe-cpp/*/*ggml-vulkan*',
    megabytes: 50,
    why: 'for graphics cards; Steno asks for the CPU',
  },
  {
    files: 'node-web-audio-api/*.node',
    keep: isHere,
    megabytes: 35,
    why: 'builds for other systems',
  },
  {
    files: '**/*.{js,mjs,cjs,ts,mts,cts,css}.map',
    megabytes: 48,
    why: 'for debugging the code of packages',
  },
  {
    files: '{openai,zod,mediabunny}/src',
    megabytes: 12,
    why: 'sources of what is in the package as JavaScript',
  },
  {
    files: '{bintrees,fastify,pino,sonic-boom,thread-stream}/test',
    megabytes: 8,
    why: 'the tests of those packages',
  },
];

/** Below `modules`, a folder with packages. Those that are gone already are not named. */
export const unneededFiles = (modules) =>
  unneeded.flatMap(({ files, keep = () => false }) =>
    globSync(files, { cwd: modules }).filter((path) => !keep(path)),
  );

export function removeUnneeded(modules) {
  for (const path of unneededFiles(modules)) rmSync(join(modules, path), { recursive: true, force: true });
}
