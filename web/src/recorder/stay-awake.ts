import { commonStrings } from '../strings/common.ts';
import { recorderStrings } from '../strings/recorder.ts';

interface Keys {
  play(): void;
  pause(): void;
  stop(): void;
}

/**
 * During a recording the screen stays on, the browser is asked not to delete what is kept when its disk is full, and the keys of a
 * headset and of a locked screen pause and resume. Ends with the result.
 */
export function stayAwake(keys: Keys): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  void navigator.storage?.persist?.().catch(() => {});

  // A browser takes the lock away from a page that is not seen, and refuses it when the battery is low.
  async function keepScreenOn(): Promise<void> {
    if (document.visibilityState !== 'visible') return;
    const lock = await navigator.wakeLock?.request('screen').catch(() => undefined);
    const release = () => void lock?.release();
    if (signal.aborted) release();
    else signal.addEventListener('abort', release);
  }
  void keepScreenOn();
  document.addEventListener('visibilitychange', () => void keepScreenOn(), { signal });

  const { mediaSession } = navigator;
  if (mediaSession) {
    mediaSession.metadata = new MediaMetadata({
      title: recorderStrings.recording,
      artist: commonStrings.product,
    });
    for (const key of ['play', 'pause', 'stop'] as const) mediaSession.setActionHandler(key, keys[key]);
    signal.addEventListener('abort', () => {
      mediaSession.metadata = null;
      for (const key of ['play', 'pause', 'stop'] as const) mediaSession.setActionHandler(key, null);
    });
  }
  return () => ended.abort();
}
