import type { KeyboardEvent } from 'react';
import { keyOf } from '../../lib/key-of.ts';
import type { Playback } from '../../lib/playback.ts';

export const skipSeconds = 10;
const stepSeconds = 5;

/** Space, k, j, l and the arrows, as in most players. True when the key was one of them. */
export function playByKey(event: KeyboardEvent, playback: Playback): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  switch (keyOf(event)) {
    case ' ':
    case 'k':
      playback.toggle();
      break;
    case 'j':
      playback.skip(-skipSeconds);
      break;
    case 'l':
      playback.skip(skipSeconds);
      break;
    case 'ArrowLeft':
      playback.skip(-stepSeconds);
      break;
    case 'ArrowRight':
      playback.skip(stepSeconds);
      break;
    default:
      return false;
  }
  event.preventDefault();
  event.stopPropagation();
  return true;
}
