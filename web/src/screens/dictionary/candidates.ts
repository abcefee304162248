import { parseCsv } from './csv.ts';

/** What a list holds: what can be imported, how many were there twice, and what cannot be used. */
export interface Candidates<Item> {
  items: Item[];
  repeated: number;
  unusable: string[];
}

export const maxWordLength = 100;
export const maxTriggerLength = 100;
export const maxReplacementLength = 5_000;

export interface SnippetDraft {
  trigger: string;
  replacement: string;
}

/** Every cell is a word, unless the first row says which column has them. */
export function readWords(text: string): Candidates<string> {
  const rows = parseCsv(text);
  const column = columnOf(rows[0], 'word');
  const words = column === -1 ? rows.flat() : rows.slice(1).map((cells) => cells[column] ?? '');
  return sift(
    words.map((word) => word.trim()).filter((word) => word !== ''),
    (word) => word,
    (word) => word.length <= maxWordLength,
  );
}

/** Two columns in any order when the first row names them; else the first comma parts trigger from replacement. */
export function readSnippets(text: string): Candidates<SnippetDraft> {
  const rows = parseCsv(text);
  const trigger = columnOf(rows[0], 'trigger');
  const replacement = columnOf(rows[0], 'replacement');
  const named = trigger !== -1 && replacement !== -1;
  const drafts = (named ? rows.slice(1) : rows).map((cells) => ({
    trigger: ((named ? cells[trigger] : cells[0]) ?? '').trim(),
    replacement: ((named ? cells[replacement] : cells.slice(1).join(',')) ?? '').trim(),
  }));
  return sift(
    drafts,
    (draft) => draft.trigger,
    (draft) => within(draft.trigger, maxTriggerLength) && within(draft.replacement, maxReplacementLength),
  );
}

const within = (text: string, max: number) => text.length >= 1 && text.length <= max;

const columnOf = (header: string[] | undefined, name: string) =>
  header?.findIndex((cell) => cell.trim().toLowerCase() === name) ?? -1;

/** The server compares trimmed and without regard to case; so is told here what would come to the same. */
function sift<Item>(
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
