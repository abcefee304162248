import { expect, test } from 'vitest';
import { keepKnown } from '../../src/engines/unknown-language.ts';

const stretch = (scores: (number | null)[]) =>
  scores.map((score, i) => ({ text: ` w${i}`, start: i, end: i + 1, isWord: true, score }));
const english = stretch(Array(12).fill(0.9));
const german = stretch(Array(12).fill(0.15));
const counts = (...stretches: ReturnType<typeof stretch>[]) =>
  keepKnown(stretches).map(({ length }) => length);

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
