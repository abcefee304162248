import { createStore, useStore } from './store.ts';

const shown = createStore<ReadonlyMap<string, unknown>>(new Map());

/**
 * A secret that the server tells only once: a new key, an invitation link. It stays until somebody dismisses it, also
 * when they look at another screen in between; a reload asks first.
 */
export function useShownOnce<Value>(place: string): [Value | undefined, (next: Value | undefined) => void] {
  // Only this function writes to the place.
  const value = useStore(shown).get(place) as Value | undefined;
  return [value, (next) => put(place, next)];
}

/** When somebody signs out. */
export function forgetShownOnce(): void {
  for (const place of shown.get().keys()) put(place, undefined);
}

function put(place: string, value: unknown): void {
  const next = new Map(shown.get());
  if (value === undefined) next.delete(place);
  else next.set(place, value);
  shown.set(next);
  if (next.size > 0) window.addEventListener('beforeunload', askFirst);
  else window.removeEventListener('beforeunload', askFirst);
}

const askFirst = (event: Event) => event.preventDefault();
