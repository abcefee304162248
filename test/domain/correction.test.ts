import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Segment } from '../../src/domain/transcript.ts';
import { corrected } from '../../src/features/transcriptions/correction.ts';

/** Two words a second from `start` on. */
function said(text: string, start = 10): Segment {
  const words = text
    .split(' ')
    .map((word, at) => ({ word, start: start + at / 2, end: start + at / 2 + 0.4, score: 0.2 }));
  return { start, end: words.at(-1)?.end ?? start, text, speaker: 'Ann', words };
}

const shown = ({ words }: Segment) =>
  words.map(({ word, start, end, score }) => `${word} ${start}-${end} ${score}`);

test.each([
  [
    'a word for a word',
    'I use Kysely now',
    ['I 10-10.4 0.2', 'use 10.5-10.9 0.2', 'Kysely 11-11.4 null', 'now 11.5-11.9 0.2'],
  ],
  [
    'two for one',
    'I use post gres now',
    ['I 10-10.4 0.2', 'use 10.5-10.9 0.2', 'post 11-11.2 null', 'gres 11.2-11.4 null', 'now 11.5-11.9 0.2'],
  ],
  ['one for two', 'I Kysely now', ['I 10-10.4 0.2', 'Kysely 10.5-11.4 null', 'now 11.5-11.9 0.2']],
  [
    'a word that was not heard',
    'I do use kaizeli now',
    ['I 10-10.4 0.2', 'do 10.4-10.5 null', 'use 10.5-10.9 0.2', 'kaizeli 11-11.4 0.2', 'now 11.5-11.9 0.2'],
  ],
  ['one word less', 'use kaizeli now', ['use 10.5-10.9 0.2', 'kaizeli 11-11.4 0.2', 'now 11.5-11.9 0.2']],
  [
    'two far apart',
    'You use kaizeli today',
    ['You 10-10.4 null', 'use 10.5-10.9 0.2', 'kaizeli 11-11.4 0.2', 'today 11.5-11.9 null'],
  ],
])('%s: the words that stay keep their times', (_, text, expected) => {
  const fixed = corrected(said('I use kaizeli now'), text);
  expect(shown(fixed)).toEqual(expected);
  expect(fixed).toMatchObject({ text, start: 10, speaker: 'Ann' });
});

test('a word that now stands behind two new ones keeps its time', () => {
  expect(shown(corrected(said('a p q end'), 'r s a end'))).toEqual([
    'r 10-10 null',
    's 10-10 null',
    'a 10-10.4 0.2',
    'end 11.5-11.9 0.2',
  ]);
});

test('whatever is written, the words are those of the text, in order and within the segment', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'cc', 'ddd'), { maxLength: 12 })
    .map((words) => words.join(' '));
  fc.assert(
    fc.property(text.filter(Boolean), text, (before, after) => {
      const { words, text: now, start, end } = corrected(said(before), after);
      expect(words.map(({ word }) => word).join(' ')).toBe(now);
      const times = words.flatMap((word) => [word.start, word.end]);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      for (const time of times) expect(time >= start && time <= end + 0.001).toBe(true);
    }),
  );
});

test('a segment without words gets the text alone', () => {
  expect(corrected({ ...said('so'), words: [] }, '  and \n so ')).toMatchObject({
    text: 'and so',
    words: [],
  });
});
