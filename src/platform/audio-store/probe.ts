import { setTimeout as sleep } from 'node:timers/promises';
import type { AudioStore } from './audio-store.ts';

const everyMs = 30_000;
const patienceMs = 1_000;

/** Whether the store answers. Anybody may ask, so it is looked at twice a minute at most, and no request waits long for it. */
export function createAudioProbe(audioStore: AudioStore) {
  let word: 'ok' | 'does not answer' = 'ok';
  let looking = Promise.resolve();
  let since = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    try {
      // Nothing has this name. A store that is there says so.
      await (await audioStore.open('readyz', 1))?.close();
      word = 'ok';
    } catch {
      word = 'does not answer';
    }
  }

  return async () => {
    if (performance.now() - since > everyMs) {
      since = performance.now();
      looking = look();
    }
    const isLate = await Promise.race([looking, sleep(patienceMs, true, { ref: false })]);
    return isLate ? ('does not answer' as const) : word;
  };
}
