import { useSyncExternalStore } from 'react';

/** A value that lives outside React's tree. Read it with `useStore`; every `set` shows at once where it is read. */
export interface Store<Value> {
  get(): Value;
  set(next: Value): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<Value>(value: Value): Store<Value> {
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const useStore = <Value>({ subscribe, get }: Store<Value>): Value =>
  useSyncExternalStore(subscribe, get);
