/** The owners take turns. Within one owner, first come, first served. */
export function createFairQueue<Item>() {
  // A Map keeps the order of insertion, so an owner who was served goes to the end.
  const lines = new Map<string, Item[]>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    push(owner: string, item: Item): void {
      const line = lines.get(owner);
      if (line) line.push(item);
      else lines.set(owner, [item]);
      size += 1;
    },
    /** The next item, with its owner, of those owners whose turn it may be; undefined if none waits. */
    shift(isAllowed: (owner: string) => boolean = () => true): { owner: string; item: Item } | undefined {
      for (const [owner, line] of lines) {
        if (!isAllowed(owner)) continue;
        lines.delete(owner);
        const item = line.shift();
        if (line.length > 0) lines.set(owner, line);
        size -= 1;
        return item === undefined ? undefined : { owner, item };
      }
      return undefined;
    },
    /** Removes and returns all items that match. */
    remove(matches: (item: Item) => boolean): Item[] {
      const removed: Item[] = [];
      for (const [owner, line] of lines) {
        const kept = line.filter((item) => !matches(item) || removed.push(item) === 0);
        if (kept.length > 0) lines.set(owner, kept);
        else lines.delete(owner);
      }
      size -= removed.length;
      return removed;
    },
  };
}

/** Rejects with the signal's reason if that comes first. The work itself continues. */
export function abortable<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
