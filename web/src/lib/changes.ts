/** `base[from, to)` became `next[start, end)`. */
export interface Change {
  from: number;
  to: number;
  start: number;
  end: number;
}

/** Comparing this many pairs takes about 20 ms. */
const maxPairs = 2_000_000;
/** Of a longer place, what is there once in both comes first. */
const maxPairsAtOnce = 40_000;

/**
 * What changed from `base` to `next`, in order. The time grows with the length, not with its square: first the common beginning
 * and end, then what is there once in both, then pairs as long as `maxPairs` lasts. Where it ends, a place is replaced as a whole.
 */
export function changesOf(base: readonly string[], next: readonly string[]): Change[] {
  const found: Change[] = [];
  let pairs = maxPairs;

  function add(change: Change): void {
    const last = found.at(-1);
    if (last && last.to === change.from && last.end === change.start) {
      last.to = change.to;
      last.end = change.end;
    } else found.push(change);
  }

  function between({ from, to, start, end }: Change): void {
    while (from < to && start < end && base[from] === next[start]) {
      from += 1;
      start += 1;
    }
    while (from < to && start < end && base[to - 1] === next[end - 1]) {
      to -= 1;
      end -= 1;
    }
    const whole = { from, to, start, end };
    const size = (to - from) * (end - start);
    const isShort = size <= Math.min(pairs, maxPairsAtOnce);
    const anchors = isShort ? [] : anchorsOf(base, next, whole);
    for (const { at, nextAt } of anchors) {
      between({ from, to: at, start, end: nextAt });
      from = at + 1;
      start = nextAt + 1;
    }
    if (anchors.length > 0) between({ from, to, start, end });
    else if (size > pairs) add(whole);
    else {
      pairs -= size;
      for (const change of alongLongest(base, next, whole)) add(change);
    }
  }

  between({ from: 0, to: base.length, start: 0, end: next.length });
  return found;
}

/** Tokens that are once in both, in the order of both: the longest such row. */
function anchorsOf(base: readonly string[], next: readonly string[], { from, to, start, end }: Change) {
  const counts = new Map<string, { inBase: number; inNext: number; at: number; nextAt: number }>();
  const of = (token: string) => {
    const known = counts.get(token) ?? { inBase: 0, inNext: 0, at: 0, nextAt: 0 };
    counts.set(token, known);
    return known;
  };
  for (let at = from; at < to; at += 1) {
    const one = of(base[at] ?? '');
    one.inBase += 1;
    one.at = at;
  }
  for (let at = start; at < end; at += 1) {
    const one = of(next[at] ?? '');
    one.inNext += 1;
    one.nextAt = at;
  }
  // In the order of `base`, as a Map keeps it.
  const once = [...counts.values()].filter(({ inBase, inNext }) => inBase === 1 && inNext === 1);
  return longestRising(once);
}

interface Anchor {
  at: number;
  nextAt: number;
}

function longestRising(anchors: readonly Anchor[]): Anchor[] {
  /** The last anchor of the best row of each length, and what is before each anchor. */
  const tails: Anchor[] = [];
  const before = new Map<Anchor, Anchor | undefined>();
  for (const anchor of anchors) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tails[middle]?.nextAt ?? 0) < anchor.nextAt) low = middle + 1;
      else high = middle;
    }
    before.set(anchor, tails[low - 1]);
    tails[low] = anchor;
  }
  const row: Anchor[] = [];
  for (let one = tails.at(-1); one; one = before.get(one)) row.push(one);
  return row.reverse();
}

/** A hundred spaces that are there by chance do not outweigh a word. */
const weightOf = (token: string) => token.trim().length * 128 + 1;

/** Along the common subsequence with the most letters: a short line that is there by chance counts less. */
function alongLongest(base: readonly string[], next: readonly string[], place: Change): Change[] {
  const { from, to, start, end } = place;
  const width = end - start + 1;
  const longest = new Uint32Array((to - from + 1) * width);
  const at = (i: number, j: number) => longest[(i - from) * width + j - start] ?? 0;
  for (let i = to - 1; i >= from; i -= 1)
    for (let j = end - 1; j >= start; j -= 1)
      longest[(i - from) * width + j - start] =
        base[i] === next[j]
          ? at(i + 1, j + 1) + weightOf(base[i] ?? '')
          : Math.max(at(i + 1, j), at(i, j + 1));
  const found: Change[] = [];
  let [i, j] = [from, start];
  while (i < to || j < end) {
    if (i < to && j < end && base[i] === next[j]) {
      i += 1;
      j += 1;
      continue;
    }
    const change = { from: i, to: i, start: j, end: j };
    while ((i < to || j < end) && !(i < to && j < end && base[i] === next[j]))
      if (j >= end || (i < to && at(i + 1, j) >= at(i, j + 1))) i += 1;
      else j += 1;
    found.push({ ...change, to: i, end: j });
  }
  return found;
}
