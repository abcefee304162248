import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstWords } from '../../src/domain/first-words.ts';

test.each([
  ['the first sentence', 'We store it with Kysely now. It was quick.', 'We store it with Kysely now'],
  ['a question stays one', 'And how is the harbour? Fine.', 'And how is the harbour?'],
  ['a short sentence takes the next along', 'Okay. So today we talk. Then', 'Okay. So today we talk'],
  ['all of a short text', 'Buy milk.', 'Buy milk'],
  ['one line', 'Buy\n\nmilk and\tbread', 'Buy milk and bread'],
  [
    'whole words of a long sentence',
    'So my fellow Americans ask not what your country can do for you ask what you can do',
    'So my fellow Americans ask not what your country can do for…',
  ],
  [
    'no space before a stop in Chinese',
    '我们今天讨论明年的预算和招聘计划以及其他事项。然后回家。',
    '我们今天讨论明年的预算和招聘计划以及其他事项',
  ],
  ['a word that is too long', 'a'.repeat(100), `${'a'.repeat(59)}…`],
])('%s', (_, text, title) => {
  expect(firstWords(text)).toBe(title);
});

test('a language without spaces is cut between words', () => {
  const text =
    '今日は天気がとても良いので家族と一緒に公園へ行ってお弁当を食べてから動物園で象とライオンを見るつもりですが雨が降ったらどうしましょう';
  const title = firstWords(text) ?? '';
  const ends = Array.from(new Intl.Segmenter('und', { granularity: 'word' }).segment(text), (word) =>
    text.slice(0, word.index),
  );
  expect(ends).toContain(title.slice(0, -1));
});

test.each(['', ' \n', '…', '. . .', '♪ ♪'])('%j: nothing was said', (text) => {
  expect(firstWords(text)).toBeNull();
});

test('whatever was said, the title is one short line that begins like it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const title = firstWords(text);
      if (title === null) return;
      expect([...title].length).toBeLessThanOrEqual(60);
      expect(title).toBe(title.trim());
      expect(title).not.toMatch(/[\n\r]/);
      const said = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
      expect(said.startsWith(title.replace(/…$/, '')) || said.startsWith(title)).toBe(true);
    }),
  );
});
