#!/usr/bin/env node
// Plain JavaScript, so that an older Node can run it and say what is wrong.
import { holdHeap } from './heap.js';

const neededMajor = 24;
if (Number(process.versions.node.split('.')[0]) < neededMajor) {
  console.error(
    `Steno needs Node ${neededMajor}, but this is ${process.version}. Use "npm start" or "npm run steno -- <command>": they run the Node that npm ci installed.`,
  );
  process.exit(1);
}
holdHeap();
await import('./fast-start.js');
await import('../src/main.ts');
