import { expect, test } from 'vitest';
import { keepKnown } from '../../src/engines/unknown-language.ts';

const stretch = (scores: (number | null)[]) =>
  scores.map((score, i) => ({ text: ` w${i}`, start: i, end: i + 1, isWord: true, score }));
const english = stretch(Array(12).fill(0.9));
const german = stretch(Array(12).fill(0.15));
const heard = (pieces: ReturnType<typeof stretch>, language: string | null = 'en') => ({ pieces, language });
const lengths = (...stretches: ReturnType<typeof heard>[]) =>
  keepKnown(stretches, 'en').map(({ length }) => length);
const counts = (...stretches: ReturnType<typeof stretch>[]) =>
  lengths(...stretches.map((pieces) => heard(pieces)));

test('words of which the model is not sure were not said', () => {
  expect(counts(german)).toEqual([0]);
  expect(counts(english)).toEqual([12]);
});

test('of a recording in two languages, the known one is kept', () => {
  expect(counts(english, german, english)).toEqual([12, 0, 12]);
});

test('a few unsure words beside many sure ones are kept, and the other way round they are not', () => {
  const name = stretch([0.1, 0.2]);
  expect(counts(english, name)).toEqual([12, 2]);
  expect(counts(german, name)).toEqual([0, 0]);
});

test('one word alone is kept, however unsure', () => {
  expect(counts(stretch([0.18]))).toEqual([1]);
});

test('an engine without scores is believed', () => {
  expect(counts(stretch(Array(20).fill(null)))).toEqual([20]);
});

test('what the second model takes for another language is kept only if it is a murmur beside sure words', () => {
  const murmur = heard(stretch([0.3]), null);
  expect(lengths(murmur)).toEqual([0]);
  expect(lengths(heard(english), murmur)).toEqual([12, 1]);
  expect(lengths(heard(english, 'de'), murmur)).toEqual([12, 0]);
  expect(lengths(heard(english), heard(stretch(Array(6).fill(0.6)), null))).toEqual([12, 0]);
});
