import { describe, expect, test } from 'vitest';
import { changesOf } from '../../web/src/lib/changes.ts';
import { merge } from '../../web/src/notes/merge.ts';
import { seededRandom } from '../support/random.ts';

const of = (content: string) => ({ title: '', content });
const merged = (base: string, mine: string, theirs: string, mayBeMine = false) => {
  const { text, overlaps } = merge(of(base), of(mine), of(theirs), mayBeMine);
  return overlaps ? { asks: text.content } : text.content;
};
const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);
const countsOf = (text: string) => {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

describe('two texts made from one', () => {
  test.each([
    ['two lines in one place', 'list', 'list\n- milk', 'list\n- oat milk', 'list\n- milk\n- oat milk'],
    ['two words in one place', 'a b', 'a new b', 'a other b', 'a new other b'],
    ['words that begin alike', 'cat', 'cat sat', 'cat ran', 'cat sat ran'],
    ['two beginnings of an empty note', '', 'apples', 'pears', 'apples\npears'],
    ['the same line of both', 'x', 'x\nsame', 'x\nsame', 'x\nsame'],
    ['a line of both and one more of each', 'x', 'x\nsame\none', 'x\nsame\ntwo', 'x\nsame\none\ntwo'],
    ['a paragraph of each at the end', 'x', 'x\n\none', 'x\n\ntwo', 'x\n\none\n\ntwo'],
    ['a changed word and a line after it', 'old\nend', 'new\nend', 'old\nmore\nend', 'new\nmore\nend'],
    ['words that both took away in part', 'a b c d e', 'a d e', 'a b e', 'a e'],
    [
      'a paragraph that went and a line beside it',
      'a\n\nb\n\nc',
      'a\n\nc',
      'a\n\nb\n\nx\n\nc',
      'a\n\nx\n\nc',
    ],
    ['an emptied note and nothing new', 'a\nb', '', 'a\nb', ''],
  ])('%s: joined without a question', (_what, base, mine, theirs, both) => {
    expect(merged(base, mine, theirs)).toBe(both);
  });

  test.each([
    ['a word before another one', 'a c', 'a b c', 'a b c d', 'a b c d'],
    ['a word of each after it', 'a', 'b a c d', 'b a e c', 'b a e c d'],
    ['a line', 'a', 'a\nb', 'a\nb\nc', 'a\nb\nc'],
  ])('%s that theirs has from a lost save of mine is there once', (_what, base, mine, theirs, both) => {
    expect(merged(base, mine, theirs, true)).toBe(both);
  });

  test.each([
    ['two replacements of a word', 'the old car', 'the red car', 'the blue car', 'the red blue car'],
    ['two texts of a line', 'first', 'apples', 'pears', 'apples\npears'],
    ['two spellings of a new word', 'plus', 'plus word', 'plus words', 'plus word\nplus words'],
    ['a word inside words that went', 'a b c d', 'a d', 'a b new c d', 'a b new c d'],
  ])('%s: asks, and both have their words once', (_what, base, mine, theirs, asks) => {
    expect(merged(base, mine, theirs)).toEqual({ asks });
  });

  test('only a text that may go on from a lost save of mine takes the place of mine', () => {
    expect(merged('-', '- milk', '- oat milk', true)).toBe('- oat milk');
    expect(merged('-', '- milk', '- oat milk')).toBe('- milk oat milk');
  });
});

type Random = ReturnType<typeof seededRandom>;

/** Adds, replaces and takes away, each with words of its own. */
function written(base: string, name: string, random: Random) {
  const lines = base.split('\n');
  let count = 0;
  const word = () => {
    count += 1;
    return `${name}${count}`;
  };
  for (let edits = random.between(1, 12); edits > 0; edits -= 1) {
    const at = random.between(0, lines.length - 1);
    const words = wordsOf(lines[at] ?? '');
    const place = random.between(0, words.length);
    const what = random.between(1, 10);
    if (what <= 4) words.splice(place, 0, ...Array.from({ length: random.between(1, 3) }, word));
    else if (what <= 6) words.splice(place, 1);
    else if (what <= 7) words.splice(place, 1, word());
    lines[at] = words.join(' ');
    if (what === 8) lines.splice(at, 0, ...Array.from({ length: random.between(1, 3) }, word));
    if (what === 9) lines.splice(at, random.between(1, 3));
    if (what === 10) lines.splice(at, 0, '', word(), '');
    if (lines.length === 0) lines.push('');
  }
  return lines.join('\n');
}

/** With few different words many lines are alike, so that nothing is easily found again. */
function drafted(random: Random, hasFewWords: boolean): string {
  let count = 0;
  const word = () => {
    count += 1;
    return `w${hasFewWords ? random.between(1, 20) : count}`;
  };
  const lines = Array.from({ length: random.between(0, 12) }, () =>
    Array.from({ length: random.between(0, 5) }, word).join(' '),
  );
  return lines.join('\n');
}

test('of 3,000 pairs of texts, no word that either wrote is missing, and none is there twice', () => {
  let [asked, joined] = [0, 0];
  for (let seed = 1; seed <= 3_000; seed += 1) {
    const random = seededRandom(seed);
    const hasFewWords = seed % 2 === 0;
    const base = drafted(random, hasFewWords);
    const [mine, theirs] = [written(base, 'm', random), written(base, 't', random)];
    const { text, overlaps } = merge(of(base), of(mine), of(theirs));
    const [b, m, t, r] = [base, mine, theirs, text.content].map(countsOf) as [
      Map<string, number>,
      Map<string, number>,
      Map<string, number>,
      Map<string, number>,
    ];
    const wrong: string[] = [];
    for (const [word, count] of r) {
      const before = b.get(word) ?? 0;
      if (!hasFewWords && count > Math.max(before, m.get(word) ?? 0, t.get(word) ?? 0))
        wrong.push(`${word} twice`);
    }
    for (const [word] of [...m, ...t]) if (!b.has(word) && !r.has(word)) wrong.push(`${word} is missing`);
    // What one took away and the other left alone is gone.
    if (!overlaps && !hasFewWords)
      for (const [word, count] of b) {
        const left = Math.min(m.get(word) ?? 0, t.get(word) ?? 0);
        if (count === 1 && left === 0 && r.has(word)) wrong.push(`${word} came back`);
      }
    expect({ seed, base, mine, theirs, text: text.content, wrong: wrong.slice(0, 3) }).toMatchObject({
      wrong: [],
    });
    const other = merge(of(base), of(theirs), of(mine));
    expect(other.overlaps).toBe(overlaps);
    expect([...countsOf(other.text.content)].sort()).toEqual([...r].sort());
    if (overlaps) asked += 1;
    else joined += 1;
  }
  expect({ asked: asked > 1_000, joined: joined > 1_000 }).toEqual({ asked: true, joined: true });
});

test('changes lead from one text to the other, whatever they are', () => {
  for (let seed = 1; seed <= 2_000; seed += 1) {
    const random = seededRandom(seed);
    const [base, next] = [1, 2].map(() =>
      Array.from({ length: random.between(0, 30) }, () => String(random.between(1, 8))),
    ) as [string[], string[]];
    const result: string[] = [];
    let at = 0;
    for (const { from, to, start, end } of changesOf(base, next)) {
      result.push(...base.slice(at, from), ...next.slice(start, end));
      at = to;
    }
    expect([...result, ...base.slice(at)]).toEqual(next);
  }
});

const long = 5_000;
const lines = (line: (at: number) => string) => Array.from({ length: long }, (_, at) => line(at)).join('\n');
const shuffled = (by: number) => lines((at) => `line ${(at * by) % long}`);

test.each([
  ['empty', lines(() => ''), lines((at) => (at % 7 ? '' : 'mine')), lines((at) => (at % 5 ? '' : 'theirs'))],
  [
    'alike',
    lines(() => 'same'),
    lines((at) => (at % 7 ? 'same' : 'm')),
    lines((at) => (at % 5 ? 'same' : 't')),
  ],
  ['of two kinds', lines((at) => `${at % 2}`), lines((at) => `${at % 3}`), lines((at) => `${(at * 7) % 5}`)],
  ['in another order', lines((at) => `line ${at}`), shuffled(7), shuffled(11)],
  ['all new', lines((at) => `o ${at}`), lines((at) => `m ${at}`), lines((at) => `t ${at}`)],
  [
    'changed here and there',
    lines((at) => `o ${at}`),
    lines((at) => `${at % 9 ? 'o' : 'm'} ${at}`),
    lines((at) => `${at % 8 ? 'o' : 't'} ${at}`),
  ],
])('5,000 lines that are %s are merged within 50 ms', async (_what, base, mine, theirs) => {
  // The time of this process alone, so that a busy machine does not decide.
  const attempt = () => {
    const start = process.cpuUsage();
    merge(of(base), of(mine), of(theirs));
    return process.cpuUsage(start).user / 1_000;
  };
  await expect.poll(attempt, { interval: 1 }).toBeLessThan(50);
});
