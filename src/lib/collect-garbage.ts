import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: ((options: { type: 'minor' }) => void) | undefined;

/**
 * Frees young objects. V8 lets 64 MB of buffers pile up before it looks for those that nobody needs, because it counts only
 * the few bytes of an object that refers to one.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc');
  }
  collect?.({ type: 'minor' });
}
