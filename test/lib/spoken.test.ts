import { expect, test } from 'vitest';
import { offeredWord } from '../../web/src/ui/voice/offered-word.ts';
import { isJustSaid, segmentsIn, toSpoken, wordAt } from '../../web/src/ui/voice/spoken.ts';

const segment = (text: string, start: number, speaker: string | null = null, words = text.split(' ')) => ({
  start,
  end: start + words.length,
  text,
  speaker,
  words: words.map((word, at) => ({
    word,
    start: start + at,
    end: start + at + 1,
    score: at === 0 ? 0.29 : 0.3,
  })),
});

test('what one person says without a long pause is a paragraph', () => {
  const { paragraphs, starts, speakers } = toSpoken([
    segment('One two.', 0, 'Ann'),
    segment('Three.', 2, 'Ann'),
    segment('Four.', 3, 'Ben'),
    segment(' ', 4, 'Ben'),
    segment('Five.', 6, 'Ben'),
  ]);
  expect(paragraphs.map(({ sentences }) => sentences.map(({ text }) => text))).toEqual([
    ['One two.', 'Three.'],
    ['Four.'],
    ['Five.'],
  ]);
  expect(paragraphs.flatMap(({ sentences }) => sentences.map(({ position }) => position))).toEqual([
    0, 1, 2, 4,
  ]);
  expect([...starts]).toEqual([0, 1, 2, 3, 6]);
  expect(speakers).toEqual(['Ann', 'Ben']);
  expect([-1, 0, 1.9, 5, 99].map((seconds) => wordAt(starts, seconds))).toEqual([-1, 0, 1, 3, 4]);
});

test('words keep what stands between them, and are unsure below 0.3', () => {
  const words = (text: string, told?: string[]) =>
    toSpoken([segment(text, 0, null, told)]).paragraphs[0]?.sentences[0]?.words;
  expect(words('ab  c', ['ab', 'c'])).toMatchObject([
    { before: '', text: 'ab', isUnsure: true },
    { before: '  ', text: 'c', isUnsure: false },
  ]);
  // Without spaces between them, and of another text than the words are.
  expect(words('日本語', ['日本', '語'])).toMatchObject([{ text: '日本' }, { before: '', text: '語' }]);
  expect(words('ab c', ['x', 'c'])).toMatchObject([
    { text: 'ab', start: 0 },
    { text: 'c', start: 1.5 },
  ]);
});

test('a note that says only what was said is told from one that somebody wrote into', () => {
  const said = [segment('One two.', 0), segment('Three.', 9)];
  expect(isJustSaid('One two.\n\nThree. ', said)).toBe(true);
  expect(isJustSaid('One two. Three. And four.', said)).toBe(false);
  expect(segmentsIn(JSON.stringify(said))).toEqual(said);
  for (const other of [null, 'One two.', '[inaudible] yes', '[{"text":"no times"}]'])
    expect(segmentsIn(other)).toBeNull();
});

test.each([
  ['We use kaizeli now.', 'We use Kysely now.', 'Kysely'],
  ['We use kaizeli.', 'We use Kysely.', 'Kysely'],
  ['ask doctor oak a for', 'ask doctor Okafor', 'Okafor'],
  ['i use new york times', 'i use New York Times', 'New York Times'],
  ['we know', 'We know', undefined],
  ['we know', 'we know,', undefined],
  ['we know', 'we really know', undefined],
  ['we know it', 'we it', undefined],
  ['so it is', 'he went home again today is', undefined],
])('%s → %s offers %s', (before, after, offered) => {
  expect(offeredWord(before, after)).toBe(offered);
});
