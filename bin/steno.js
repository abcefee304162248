#!/usr/bin/env node
// Plain JavaScript that any Node can read: an older one must be able to say what is wrong.
const neededMajor = 24;
if (Number(process.versions.node.split('.')[0]) < neededMajor) {
  console.error(
    `Steno needs Node ${neededMajor} and this is ${process.version}: start it with "npm start" or "npm run steno -- <command>", which use the Node that npm ci installed.`,
  );
  process.exit(1);
}
await import('../src/main.ts');
