import { describe, expect, test } from 'vitest';
import { type NoteWithTranscript, unedited } from '../../src/domain/note.ts';
import {
  checkAnswer,
  choosePassages,
  keysOf,
  type Passage,
  unitsOf,
} from '../../src/features/ask/passages.ts';

const at = '2026-11-17T08:00:00.000Z';
const note = (changes: Partial<NoteWithTranscript>): NoteWithTranscript => ({
  ...unedited,
  id: '0198c0de-0000-7000-8000-000000000001',
  user_id: '0198c0de-0000-7000-8000-000000000002',
  client_note_id: 'one',
  title: 'Roof',
  content: '',
  enhanced_content: null,
  note_type: 'upload',
  folder_id: null,
  pinned: false,
  participants: null,
  calendar_event_id: null,
  transcript: null,
  created_at: at,
  updated_at: at,
  ...changes,
});
const said = (...lines: string[]) =>
  JSON.stringify(
    lines.map((text, place) => ({ start: place * 8, end: place * 8 + 8, text, speaker: null, words: [] })),
  );
const textsOf = (one: NoteWithTranscript) =>
  [...unitsOf(one)].map(({ field, parts }) => `${field}: ${parts.map(({ text }) => text).join(' ')}`);
const withKeys = (one: NoteWithTranscript) =>
  [...unitsOf(one)].map((unit) => ({ unit, keys: keysOf(unit.parts.map(({ text }) => text).join(' ')) }));

describe('what a note gives to an answer', () => {
  test('what was said counts once, with its seconds, while nobody edited the text', () => {
    const spoken = note({
      content: 'The roof.',
      content_is_transcript: true,
      transcript: said('The roof.', 'It leaks.'),
    });
    expect(textsOf(spoken)).toEqual(['transcript: The roof. It leaks.']);
    expect([...unitsOf(spoken)][0]?.parts.map(({ seconds }) => seconds)).toEqual([0, 8]);
    expect(textsOf({ ...spoken, content_is_transcript: false })).toHaveLength(2);
  });

  test('what our own model wrote is no source; an enhanced text from elsewhere is one', () => {
    const enhanced = note({ content: 'The roof leaks.', enhanced_content: 'A leak.' });
    expect(textsOf(enhanced)).toEqual(['content: The roof leaks.', 'enhanced_content: A leak.']);
    expect(textsOf({ ...enhanced, enhanced_at_content_hash: 'ab' })).toEqual(['content: The roof leaks.']);
  });
});

describe('the passages', () => {
  const long = (word: string) => `${word} ${'filling words '.repeat(20)}`;

  test('the rarest words of the question come first, each with its neighbours', () => {
    const one = note({ content: ['alpha', 'beta', 'gamma', 'delta', 'omega'].map(long).join('\n') });
    const [first, ...rest] = choosePassages(withKeys(one), 'filling of gamma', 10_000);
    expect(first?.parts.map(({ text }) => text.split(' ')[0])).toEqual(['beta', 'gamma', 'delta']);
    expect(rest.flatMap(({ parts }) => parts).map(({ text }) => text.split(' ')[0])).toEqual([
      'alpha',
      'omega',
    ]);
  });

  test('without a word of the question there is none, and room for one is enough', () => {
    const one = note({ content: ['alpha', 'beta', 'gamma', 'delta', 'omega'].map(long).join('\n') });
    expect(choosePassages(withKeys(one), 'zebra', 10_000)).toEqual([]);
    expect(choosePassages(withKeys(one), 'filling', 10)).toHaveLength(1);
  });
});

describe('an answer is checked by words', () => {
  const passages: Passage[] = [
    {
      number: 1,
      note: { id: 'a', title: 'Roof', created_at: at },
      field: 'transcript',
      parts: [
        { text: 'Welcome everybody.', seconds: 0 },
        { text: 'The new roof costs 23,700 euros.', seconds: 8 },
      ],
    },
  ];

  test('a citation names the words and the second', () => {
    expect(checkAnswer('The roof costs 23700 euros [1].', passages)).toEqual({
      found: true,
      answer: 'The roof costs 23700 euros [1].',
      citations: [
        {
          number: 1,
          note_id: 'a',
          title: 'Roof',
          field: 'transcript',
          seconds: 8,
          quote: 'The new roof costs 23,700 euros.',
        },
      ],
    });
  });

  test.each([
    ['another number', 'The roof costs 32,700 euros [1].'],
    ['a number above twelve', 'The new roof costs 13 euros [1].'],
    ['other words', 'Grandmother visits Portugal tomorrow [1].'],
    ['other words with its number', 'Grandmother visits Portugal with 23,700 friends [1].'],
    ['a passage that is not there', 'The roof costs 23,700 euros [2].'],
    ['no citation', 'The roof costs 23,700 euros.'],
  ])('%s is a guess', (_, written) => {
    expect(checkAnswer(written, passages)).toMatchObject({ found: false, citations: [] });
  });

  // Transcripts say "twelve".
  test('a small number need not be there', () => {
    expect(checkAnswer('The new roof costs 12 euros [1].', passages)).toMatchObject({ found: true });
  });

  test('of two statements, the one that is not there loses its citation alone', () => {
    const { answer, citations } = checkAnswer(
      'The roof costs 23,700 euros [1]. Paint costs 900 [1].',
      passages,
    );
    expect(answer).toBe('The roof costs 23,700 euros [1]. Paint costs 900.');
    expect(citations).toHaveLength(1);
  });
});

test('words count by their first letters without accents, numbers whole, Chinese by pairs', () => {
  expect([...keysOf('Élections 1.480')]).toEqual(['elect', '1480']);
  expect([...keysOf('会议室')]).toEqual(['会议', '议室']);
});
