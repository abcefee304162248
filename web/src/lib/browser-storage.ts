import { clear, createStore, del, get, promisifyRequest, set } from 'idb-keyval';

/** Values that stay in this browser, also when it is closed. Nothing here fails: blocked or full storage keeps nothing. */
const store = typeof indexedDB === 'undefined' ? undefined : createStore('steno', 'kept');

export const keepInBrowser = (key: string, value: unknown) => quietly(() => set(key, value, store));
export const keptOne = <Value>(key: string) => quietly(() => get<Value>(key, store));
export const forgetInBrowser = (key: string) => quietly(() => del(key, store));
export const forgetAllInBrowser = () => quietly(() => clear(store));

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

async function quietly<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
