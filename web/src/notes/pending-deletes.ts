import { createStore } from '../lib/store.ts';

/** Deleted notes that the toast still offers to bring back. Lists keep them, but do not show them. */
export const pendingDeletes = createStore<ReadonlySet<string>>(new Set());
