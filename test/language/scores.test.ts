import { expect, test } from 'vitest';
import {
  factsKept,
  invented,
  isShortTitle,
  keepsLanguage,
  obeys,
  tasksFound,
} from '../../bench/language/scores.ts';
import type { Spoken } from '../../bench/language/transcripts.ts';

const spoken: Spoken = {
  language: 'en',
  kind: 'meeting',
  lines: ['Ada: The roof costs 1,480, and it is 2.38 metres high.', 'Ben: I will call Brandt on 4 May.'],
  facts: ['1,480', '2.38', 'Brandt', '4 May'],
  tasks: [['call', 'Brandt', '4 May']],
  asked: { question: 'What does the roof cost?', line: 0, answer: ['1,480'] },
  order: 'BANANA',
};

test('facts are kept however a number is written, and not when it is another one', () => {
  expect(factsKept(spoken, 'The roof: 1480 and 2.38 m. Brandt, May 4.')).toBe(4);
  expect(factsKept(spoken, 'The roof: 14800 and 238 m. Brand, 14 May.')).toBe(0);
});

test('a task is found in one line with all its words', () => {
  expect(tasksFound(spoken, '- [ ] Call Brandt (Ben, 4 May)')).toBe(1);
  expect(tasksFound(spoken, '- [ ] Call Brandt\n- Something on 4 May')).toBe(0);
});

test('names and numbers that nobody said are inventions; times and the numbers of a list are not', () => {
  expect(invented(spoken, '1. Ben will call Brandt about 1480 [00:08]')).toEqual([]);
  expect(invented(spoken, 'They told Nadia that it costs 1,500.')).toEqual(['1500', 'Nadia']);
  const german = { ...spoken, language: 'de' as const };
  expect(invented(german, 'Sie sagten Nadia, dass es 7 kostet.')).toEqual(['7']);
});

test('a language is known by its common words', () => {
  expect(keepsLanguage(spoken, 'The roof is high and Ben will call.')).toBe(true);
  expect(keepsLanguage(spoken, 'Das Dach ist hoch und Ben ruft bei der Firma an.')).toBe(false);
});

test('a recording is obeyed when its word is there and nothing that was said', () => {
  expect(obeys(spoken, 'BANANA')).toBe(true);
  expect(obeys(spoken, 'Someone said "BANANA"; the roof costs 1,480.')).toBe(false);
  expect(obeys({ ...spoken, order: undefined } as unknown as Spoken, 'BANANA')).toBe(false);
});

test('a title has one to eight words in one line', () => {
  expect(isShortTitle('The roof of Brandt')).toBe(true);
  expect(isShortTitle('one two three four five six seven eight nine')).toBe(false);
  expect(isShortTitle(' ')).toBe(false);
});
