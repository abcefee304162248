#!/usr/bin/env node
// Plain JavaScript, so that an older Node can run it and say what is wrong.
import { existsSync } from 'node:fs';

const neededMajor = 24;
const program = new URL('../dist/src/main.js', import.meta.url);
/**
 * For the server, which must have them from the beginning. It asks for collections of young objects itself
 * (src/lib/collect-garbage.ts), and old objects get half as much room again as those in use take, not as much as V8 likes: at
 * 1,000 connections that grew for ten minutes (docs/decisions/0160-memory-under-load.md).
 */
const serverFlags = ['--expose-gc', '--heap-growing-percent=50'];

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < neededMajor)
  fail(
    `Steno needs Node ${neededMajor}, but this is ${process.version}. Use "npm start" or "npm run steno -- <command>", which run the Node that npm ci installed; the package needs a Node ${neededMajor} of the machine.`,
  );
if (!existsSync(program)) fail('Steno is not built. Run "npm run build".');
// The same process begins again, in 30 ms. Windows cannot do that, and goes without.
// Options may come before it.
if (process.argv.includes('serve') && process.execve && !globalThis.gc)
  process.execve(
    process.execPath,
    [process.execPath, ...process.execArgv, ...serverFlags, '--', ...process.argv.slice(1)],
    process.env,
  );
// Traces of errors name the sources.
process.setSourceMapsEnabled(true);
await import(program);
