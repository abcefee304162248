import { useSyncExternalStore } from 'react';
import type { Store } from './create-store.ts';

// Code without React imports it from there.
export { createStore, type Store } from './create-store.ts';

export const useStore = <Value>({ subscribe, get }: Store<Value>): Value =>
  useSyncExternalStore(subscribe, get);
