/** What an import found: the items to import, how many duplicates, and what cannot be used. */
export interface Candidates<Item> {
  items: Item[];
  repeated: number;
  unusable: string[];
}

/** The index of a column by its header, or -1. */
export const columnOf = (header: string[] | undefined, name: string) =>
  header?.findIndex((cell) => cell.trim().toLowerCase() === name) ?? -1;

/** Keeps the first of several items with the same name. Like the server, it ignores case. */
export function sift<Item>(
  all: Item[],
  nameOf: (item: Item) => string,
  isUsable: (item: Item) => boolean,
): Candidates<Item> {
  const usable = all.filter(isUsable);
  const byName = new Map(usable.toReversed().map((item) => [nameOf(item).toLowerCase(), item]));
  const items = [...byName.values()].reverse();
  return {
    items,
    repeated: usable.length - items.length,
    unusable: all.filter((item) => !isUsable(item)).map(nameOf),
  };
}
