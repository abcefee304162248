/** Keeps what was used last, up to a size in bytes that the caller estimates. */
export function createCache<Key, Value>(maxBytes: number) {
  const kept = new Map<Key, { value: Value; bytes: number }>();
  let total = 0;
  return {
    get(key: Key): Value | undefined {
      const found = kept.get(key);
      if (!found) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.value;
    },
    forget(isGone: (key: Key) => boolean): void {
      for (const [key, { bytes }] of kept) {
        if (!isGone(key)) continue;
        kept.delete(key);
        total -= bytes;
      }
    },
    /** A value larger than the whole cache is kept until the next one comes. */
    set(key: Key, value: Value, bytes: number): void {
      total += bytes - (kept.get(key)?.bytes ?? 0);
      kept.delete(key);
      kept.set(key, { value, bytes });
      for (const [oldest, { bytes: freed }] of kept) {
        if (total <= maxBytes || oldest === key) break;
        kept.delete(oldest);
        total -= freed;
      }
    },
  };
}
