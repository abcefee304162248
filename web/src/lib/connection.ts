import { createStore } from './store.ts';

/** Whether the server answers: the one place that knows it. Notes, uploads and queries wait here until it does again. */
export const connection = createStore<'asking' | 'up' | 'away' | 'offline'>('asking');

/** Whether the server has another version than this page, which was loaded before. */
export const isOutdated = createStore(false);

/** Whether the server tells this browser what changes. Then it need not be asked. */
export const live = createStore(false);

const everyMinuteMs = 60_000;
const whileAwayMs = 2_000;
const longestAnswerMs = 15_000;
const waiting = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let isAsking = false;

/** Calls `listener` each time the server answers again after it was away. */
export function onReachable(listener: () => void): () => void {
  waiting.add(listener);
  return () => waiting.delete(listener);
}

/** Resolves after the time, when the server answers again after it was away, or when the signal is aborted. */
export async function untilReachable(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const forget = onReachable(resolve);
  signal?.addEventListener('abort', () => resolve(), { once: true });
  if (!signal?.aborted) await promise;
  clearTimeout(timer);
  forget();
}

/** A call got no answer. The call may be at fault: ask for the server itself. */
export const noteNoAnswer = () => void ask();

/** A call got an answer, also if it is an error. */
export const noteAnswer = () => become('up');

function become(state: 'up' | 'away'): void {
  const before = connection.get();
  if (before === state) return;
  connection.set(state);
  if (state === 'up' && before !== 'asking') for (const listener of [...waiting]) listener();
}

/** Asks once a minute, more often while the server is away, and not in a hidden tab. */
async function ask(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  clearTimeout(timer);
  try {
    const response = await fetch('/healthz', { signal: AbortSignal.timeout(longestAnswerMs) });
    // Chromium keeps an answer open until it is read, and its connection with it. A proxy may answer with a page of its own.
    const { version } = await response.json().catch(() => ({ version: undefined }));
    if (version !== undefined && version !== __STENO_VERSION__) isOutdated.set(true);
    become(response.ok ? 'up' : 'away');
  } catch {
    if (navigator.onLine) become('away');
    else connection.set('offline');
  }
  isAsking = false;
  timer = setTimeout(askInTime, connection.get() === 'up' ? everyMinuteMs : whileAwayMs);
}

function askInTime(): void {
  if (live.get() && connection.get() === 'up') timer = setTimeout(askInTime, everyMinuteMs);
  else askIfSeen();
}

const askIfSeen = () => document.visibilityState === 'visible' && void ask();

/** From now on. */
export function watchConnection(): () => void {
  const events = new AbortController();
  const { signal } = events;
  window.addEventListener('online', () => void ask(), { signal });
  window.addEventListener('offline', () => connection.set('offline'), { signal });
  document.addEventListener('visibilitychange', askIfSeen, { signal });
  // Vite's event for a screen whose file could not be loaded.
  window.addEventListener('vite:preloadError', noteNoAnswer, { signal });
  void ask();
  return () => {
    events.abort();
    clearTimeout(timer);
  };
}
