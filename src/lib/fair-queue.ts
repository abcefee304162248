/** The owners take turns. Within one owner, first come, first served. */
export interface FairQueue<Item> {
  push(owner: string, item: Item): void;
  /** The next item; undefined if none waits. */
  shift(): Item | undefined;
  /** Removes and returns all items that match. */
  remove(matches: (item: Item) => boolean): Item[];
  readonly size: number;
}

export function createFairQueue<Item>(): FairQueue<Item> {
  // A Map keeps the order of insertion, so an owner who was served goes to the end.
  const lines = new Map<string, Item[]>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    push(owner, item) {
      const line = lines.get(owner);
      if (line) line.push(item);
      else lines.set(owner, [item]);
      size += 1;
    },
    shift() {
      const first = lines.entries().next();
      if (first.done) return undefined;
      const [owner, line] = first.value;
      lines.delete(owner);
      const item = line.shift();
      if (line.length > 0) lines.set(owner, line);
      size -= 1;
      return item;
    },
    remove(matches) {
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
