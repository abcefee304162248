export interface Part {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** A table of this many cells takes a few tens of milliseconds. Longer texts are compared by lines. */
const maxCells = 4_000_000;

/** What was removed from `before` and added to get `after`, by words. */
export function compare(before: string, after: string): Part[] {
  const words = [before, after].map((text) => text.split(/(?<=\s)(?=\S)/));
  const lines = [before, after].map((text) => text.split(/(?<=\n)/));
  for (const [left = [], right = []] of [words, lines]) {
    const parts = partsOf(left, right);
    if (parts) return parts;
  }
  return joined([
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ]);
}

function partsOf(left: readonly string[], right: readonly string[]): Part[] | undefined {
  let start = 0;
  while (start < Math.min(left.length, right.length) && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end))
    end += 1;
  const a = left.slice(start, left.length - end);
  const b = right.slice(start, right.length - end);
  if (a.length * b.length > maxCells) return undefined;
  const same = (tokens: readonly string[]): Part => ({ kind: 'same', text: tokens.join('') });
  return joined([same(left.slice(0, start)), ...changes(a, b), same(left.slice(left.length - end))]);
}

/** Along the longest common subsequence. */
function changes(a: readonly string[], b: readonly string[]): Part[] {
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const parts: Part[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [left = '', right = ''] = [a[i], b[j]];
    if (i < a.length && j < b.length && left === right) {
      parts.push({ kind: 'same', text: left });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      parts.push({ kind: 'removed', text: left });
      i += 1;
    } else {
      parts.push({ kind: 'added', text: right });
      j += 1;
    }
  }
  return parts;
}

function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.text === '') continue;
    if (last?.kind === part.kind) last.text += part.text;
    else result.push({ ...part });
  }
  return result;
}
