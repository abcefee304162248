/** What a list holds: what can be imported, how many were there twice, and what cannot be used. */
export interface Candidates<Item> {
  items: Item[];
  repeated: number;
  unusable: string[];
}

/** Where the header of a table names this column, or -1. */
export const columnOf = (header: string[] | undefined, name: string) =>
  header?.findIndex((cell) => cell.trim().toLowerCase() === name) ?? -1;

/** Names that differ only in case are the same to the server, so of those the first one counts. */
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
