import { expect, test } from 'vitest';
import { keepKnown } from '../../src/engines/speech/languages.ts';

const chunk = (scores: (number | null)[]) =>
  scores.map((score, i) => ({ text: ` w${i}`, start: i, end: i + 1, isWord: true, score }));
const english = chunk(Array(12).fill(0.9));
const german = chunk(Array(12).fill(0.15));
const heard = (pieces: ReturnType<typeof chunk>, language: string | null = 'en') => ({ pieces, language });
const lengths = (...chunks: ReturnType<typeof heard>[]) =>
  keepKnown(chunks, 'en').map(({ length }) => length);
const counts = (...chunks: ReturnType<typeof chunk>[]) => lengths(...chunks.map((pieces) => heard(pieces)));

test('words of which the model is not sure were not said', () => {
  expect(counts(german)).toEqual([0]);
  expect(counts(english)).toEqual([12]);
});

test('of a recording in two languages, the known one is kept', () => {
  expect(counts(english, german, english)).toEqual([12, 0, 12]);
});

test('a few unsure words beside many sure ones are kept, and the other way round they are not', () => {
  const name = chunk([0.1, 0.2]);
  expect(counts(english, name)).toEqual([12, 2]);
  expect(counts(german, name)).toEqual([0, 0]);
});

test('one word alone is kept, however unsure', () => {
  expect(counts(chunk([0.18]))).toEqual([1]);
});

test('an engine without scores is believed', () => {
  expect(counts(chunk(Array(20).fill(null)))).toEqual([20]);
});

test('what the second model takes for another language is kept only if it is a murmur beside sure words', () => {
  const murmur = heard(chunk([0.3]), null);
  expect(lengths(murmur)).toEqual([0]);
  expect(lengths(heard(english), murmur)).toEqual([12, 1]);
  expect(lengths(heard(english, 'de'), murmur)).toEqual([12, 0]);
  expect(lengths(heard(english), heard(chunk(Array(6).fill(0.6)), null))).toEqual([12, 0]);
});
