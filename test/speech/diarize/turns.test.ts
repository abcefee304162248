import { expect, test } from 'vitest';
import type { Turn } from '../../../src/engines/speech/diarize/turns.ts';
import { speakersOfWords } from '../../../src/engines/speech/diarize/turns.ts';
import type { Piece } from '../../../src/engines/speech/recogniser.ts';

/** Words of 0.3 s; a `|` is a pause of half a second. */
function words(text: string): Piece[] {
  let at = 0;
  return text.split(' ').flatMap((word) => {
    if (word === '|') {
      at += 0.5;
      return [];
    }
    at += 0.3;
    return [{ text: ` ${word}`, start: at - 0.3, end: at, isWord: true, score: null }];
  });
}

const change = (at: number): Turn[] => [
  { start: 0, end: at, person: 0 },
  { start: at, end: 60, person: 1 },
];

test.each([
  ['one two three | four five', 0.6],
  ['one two three | four five', 1.7],
  ['one two three. four five', 1.3],
])('a change in %j at %f s goes to the pause or the end of the sentence near it', (text, at) => {
  expect(speakersOfWords(words(text), change(at))).toEqual([0, 0, 0, 1, 1]);
});

test('a change far from any pause stays where it is', () => {
  expect(speakersOfWords(words('one two three four five six seven. eight'), change(0.6))).toEqual([
    0, 0, 1, 1, 1, 1, 1, 1,
  ]);
});

test('a single word keeps its speaker', () => {
  const turns: Turn[] = [
    { start: 0, end: 0.9, person: 0 },
    { start: 1.4, end: 1.7, person: 1 },
    { start: 2.2, end: 9, person: 0 },
  ];
  expect(speakersOfWords(words('are you sure? | Yes. | then we go'), turns)).toEqual([0, 0, 0, 1, 0, 0, 0]);
});
