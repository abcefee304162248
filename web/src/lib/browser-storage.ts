import { clear, createStore, del, delMany, entries, promisifyRequest, setMany } from 'idb-keyval';
import { forgetSharedFiles } from './shared-files.ts';

/** Values that stay in this browser after it is closed. Nothing here raises: blocked or full storage just keeps nothing. */
const open = (name: string) => (typeof indexedDB === 'undefined' ? undefined : createStore(name, 'kept'));
/** What only this browser has: drafts and recordings. */
const store = open('steno');
/** What the server has too, to be read while it is away. */
const shown = open('steno-shown');

/** Whether it is kept. Committed at once: a page that ends with an open transaction loses what it wrote in it. */
export const keepInBrowser = async (key: string, value: unknown): Promise<boolean> =>
  (await quietly(async () => {
    await store?.('readwrite', (values) => {
      values.put(value, key);
      values.transaction.commit();
      return promisifyRequest(values.transaction);
    });
    return store !== undefined;
  })) ?? false;
export const forgetInBrowser = (key: string) => quietly(() => del(key, store));

/** Removes everything of this person, and nothing that another one may still send from this browser. */
export const forgetPersonInBrowser = (userId: string) =>
  Promise.all([
    forgetManyInBrowser(`${userId}/`),
    forgetAllShown(),
    quietly(forgetSharedFiles),
    quietly(async () => {
      for (const [key] of keptTails(`${userId}/`)) localStorage.removeItem(key);
    }),
  ]);

/** The values whose key begins with `prefix`, in the order of their keys. */
export const keptInBrowser = async <Value>(prefix: string): Promise<Value[]> =>
  (await inRange(prefix, (values, range) => promisifyRequest<Value[]>(values.getAll(range)))) ?? [];

export const forgetManyInBrowser = (prefix: string) =>
  inRange(prefix, (values, range) => promisifyRequest(values.delete(range)), 'readwrite');

function inRange<Result>(
  prefix: string,
  work: (values: IDBObjectStore, range: IDBKeyRange) => Promise<Result>,
  mode: IDBTransactionMode = 'readonly',
): Promise<Result | undefined> {
  const range = () => IDBKeyRange.bound(prefix, `${prefix}\uffff`);
  return quietly(async () => store?.(mode, (values) => work(values, range())));
}

/** Kept within the call, for a page that may end before a transaction does. Small: all pages share a few megabytes. */
export const keepTail = (key: string, value: string) =>
  quietly(async () => localStorage.setItem(tail + key, value));
export const forgetTail = (key: string) => quietly(async () => localStorage.removeItem(tail + key));
export function keptTails(prefix: string): [key: string, value: string][] {
  try {
    return Object.entries<string>({ ...localStorage }).filter(([key]) => key.startsWith(tail + prefix));
  } catch {
    // Blocked storage keeps nothing.
    return [];
  }
}
const tail = 'steno-tail/';

export const keepShown = (values: [string, unknown][]) => quietly(() => setMany(values, shown));
export const forgetShown = (keys: string[]) => quietly(() => delMany(keys, shown));
export const forgetAllShown = () => quietly(() => clear(shown));
export const keptShown = async <Value>() => (await quietly(() => entries<string, Value>(shown))) ?? [];

async function quietly<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
