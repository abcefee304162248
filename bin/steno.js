#!/usr/bin/env node
// Plain JavaScript, so that an older Node can run it and say what is wrong.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { holdYoungSpace } from './young-space.js';

const neededMajor = 24;
if (Number(process.versions.node.split('.')[0]) < neededMajor) {
  console.error(
    `Steno needs Node ${neededMajor}, but this is ${process.version}. Use "npm start" or "npm run steno -- <command>": they run the Node that npm ci installed.`,
  );
  process.exit(1);
}
holdYoungSpace();
// Caches the compiled sources: the next start is faster and takes 18 MB less. Not in the system's temporary folder,
// where other users of the machine could plant code.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/steno', import.meta.url)));
await import('../src/main.ts');
