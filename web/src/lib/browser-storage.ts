import { clear, createStore, del, entries, get, set } from 'idb-keyval';

/** Values that stay in this browser, also when it is closed. Nothing here fails: blocked or full storage keeps nothing. */
const store = typeof indexedDB === 'undefined' ? undefined : createStore('steno', 'kept');

export const keepInBrowser = (key: string, value: unknown) => quietly(() => set(key, value, store));
export const keptOne = <Value>(key: string) => quietly(() => get<Value>(key, store));
export const forgetInBrowser = (key: string) => quietly(() => del(key, store));
export const forgetAllInBrowser = () => quietly(() => clear(store));

export async function keptInBrowser<Value>(prefix: string): Promise<Value[]> {
  const all = await quietly(() => entries<string, Value>(store));
  return (all ?? []).filter(([key]) => key.startsWith(prefix)).map(([, value]) => value);
}

async function quietly<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
