import { expect, test } from 'vitest';
import { assemble, type ChunkDetail } from '../../src/engines/speech/pool/assemble.ts';
import type { Models } from '../../src/engines/speech/pool/fallback-model.ts';

const words = (text: string, score: number) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word, i) => ({ text: ` ${word}`, start: i, end: i + 1, isWord: true, score }));
const heard = (
  text: string,
  score: number,
  language: string | null,
  more: Partial<ChunkDetail> = {},
): ChunkDetail => ({
  start: 0,
  pieces: words(text, score),
  language,
  embeddings: null,
  ...more,
});
/** What the fallback model recognised and was unsure of; `first` is what the first model made of it. */
const doubted = (text: string, language: string, first: string) =>
  heard(first, 0.2, null, { doubted: { pieces: words(text, 0.3), language, model: 'second' } });
// Without embeddings nobody is diarized, so the workers are not asked.
const engine = {} as Models;
const info = { model: 'first', runtime: 'ONNX Runtime', languages: ['en'] } as const;
const assembled = async (...all: ChunkDetail[]) => {
  const { text, language, reason, model } = await assemble(all, { userId: 'ada' }, engine, info);
  return [text, language, reason, model];
};

const english = heard('we met at ten and went home', 0.9, 'en');
const german = heard('wir sind um zehn nach Hause gegangen', 0.9, 'de', { model: 'second' });

test('a murmur counts in the language of the recording', async () => {
  expect(await assembled(german, doubted('ja genau', 'de', 'yeah gnaw'))).toEqual([
    'wir sind um zehn nach Hause gegangen ja genau',
    'de',
    null,
    'second',
  ]);
  expect(await assembled(english, doubted('ie ie', 'cy', 'yeah yeah'))).toEqual([
    'we met at ten and went home yeah yeah',
    'en',
    null,
    'first',
  ]);
});

test('a murmur in no language of the recording is left out, and the language of the rest stays', async () => {
  expect(await assembled(german, doubted('ja hoor', 'nl', 'yah'))).toEqual([
    'wir sind um zehn nach Hause gegangen',
    'de',
    null,
    'second',
  ]);
});

test('alone, nobody knows what it was', async () => {
  expect(await assembled(doubted('ja genau', 'de', 'yeah gnaw'))).toEqual([
    '',
    null,
    'unknown_language',
    'first',
  ]);
});

test('more than a murmur that nobody understands is told', async () => {
  const unknown = doubted('a b c d e f', 'cy', '');
  expect(await assembled(english, unknown)).toEqual([
    'we met at ten and went home',
    null,
    'unknown_language',
    'first',
  ]);
  expect((await assembled(english, heard('', 0, null)))[2]).toBe('unknown_language');
});

test('silence is nothing unknown', async () => {
  expect(await assembled()).toEqual(['', 'en', null, 'first']);
});
