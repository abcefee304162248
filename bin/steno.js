#!/usr/bin/env node
// Plain JavaScript that any Node can read: an older one must be able to say what is wrong.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { holdYoungSpace } from './young-space.js';

const neededMajor = 24;
if (Number(process.versions.node.split('.')[0]) < neededMajor) {
  console.error(
    `Steno needs Node ${neededMajor} and this is ${process.version}: start it with "npm start" or "npm run steno -- <command>", which use the Node that npm ci installed.`,
  );
  process.exit(1);
}
holdYoungSpace();
// Keeps what Node made of the TypeScript sources: the next start is faster and 18 MB smaller. Not in the system's
// temporary folder, where other users of the machine could put code of theirs.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/steno', import.meta.url)));
await import('../src/main.ts');
