import type { LiveMessage, Pages } from './share.ts';
import { followChanges } from './stream.ts';

/** The pages of this browser, as far as sharing a stream is concerned. */
export function pagesOf(person: string): Pages & { close(): void } {
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('steno-live');
  return {
    since: performance.timeOrigin,
    follow: followChanges,
    tell: (message) => channel?.postMessage(message),
    hear(listener) {
      const listen = ({ data }: MessageEvent<LiveMessage>) => listener(data);
      channel?.addEventListener('message', listen);
      return () => channel?.removeEventListener('message', listen);
    },
    // Browsers have locks only on https and localhost. Without them each page that is seen has a stream.
    lead: navigator.locks && ((...given) => holdLead(`live/${person}`, ...given)),
    isSeen: () => document.visibilityState === 'visible',
    onSeen(listener) {
      document.addEventListener('visibilitychange', listener);
      return () => document.removeEventListener('visibilitychange', listener);
    },
    close: () => channel?.close(),
  };
}

function holdLead(name: string, maySteal: boolean, lead: () => void, stop: () => void): () => void {
  const { promise: end, resolve: giveBack } = Promise.withResolvers<void>();
  const leaving = new AbortController();
  let isLeading = false;
  const onLock = () => {
    isLeading = true;
    lead();
    return end;
  };
  // A lock that is stolen cannot be waited for.
  const options = maySteal ? { steal: true } : { signal: leaving.signal };
  navigator.locks.request(name, options, onLock).catch(() => {
    // Stolen, unless this page left the queue itself.
    if (isLeading && !leaving.signal.aborted) stop();
  });
  return () => {
    leaving.abort();
    giveBack();
  };
}
