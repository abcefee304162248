// Plain JavaScript, because it must run before Node loads what reads TypeScript.
import v8 from 'node:v8';

// How fast V8 lets the room for young objects grow. What a start allocates dies young, but the room that V8 would make for
// it is never given back: an idle server takes 109 MB with this and 123 MB without (npm run bench -- idleMemory).
const growBy = (factor) => v8.setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/** Before anything else is loaded. */
export const holdHeap = () => growBy(1);

/**
 * Once the server listens: when load comes, at once to its full size, because room for young objects is speed. Old objects get
 * half as much room again as those in use take, not as much as V8 likes: what waits for its turn gets old and then dies, and
 * at 1,000 connections the room for it grew for ten minutes (docs/decisions/0160-memory-under-load.md). For threads too.
 */
export function releaseHeap() {
  growBy(16);
  v8.setFlagsFromString('--heap-growing-percent=50');
}
