import { expect, test } from 'vitest';
import { findSaid } from '../../web/src/features/transcript/find-said.ts';
import { offeredWord } from '../../web/src/features/transcript/offered-word.ts';
import { rewritten, segmentsIn, toSpoken, wordAt } from '../../web/src/features/transcript/spoken.ts';

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

test('what is sought is found by its letters, across words and sentences, without case and accents', () => {
  const said = toSpoken([
    segment('Die Hütte am See.', 0),
    segment('Am see ist es schön.', 4),
    segment('日本語', 30, null, ['日本', '語']),
  ]);
  const found = (wanted: string) => findSaid(said, wanted);
  expect([found('am see'), found(' HUTTE '), found('see. am'), found('ön')]).toEqual([[2, 4], [1], [3], [8]]);
  expect([found('日本語'), found(''), found('  '), found('Berg')]).toEqual([[9], [], [], []]);
});

test('a transcript has segments, or is plain text', () => {
  const said = [segment('One two.', 0), segment('Three.', 9)];
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

test('a sentence that somebody says with pauses is one sentence, of several segments', () => {
  const { paragraphs } = toSpoken([
    segment('And so', 0, 'Ann'),
    segment('my friends.', 3, 'Ann'),
    segment('Ask not', 5, 'Ann'),
    segment('what', 7, 'Ben'),
  ]);
  const shown = paragraphs.map(({ sentences }) => sentences.map(({ text, parts }) => [text, parts.length]));
  expect(shown).toEqual([
    [
      ['And so my friends.', 2],
      ['Ask not', 1],
    ],
    [['what', 1]],
  ]);
  const [first] = paragraphs[0]?.sentences ?? [];
  expect(first?.words.map(({ before, text }) => before + text).join('')).toBe('And so my friends.');
});

test('a sentence stays one when a correction takes all words out of its middle, or makes it long', () => {
  const sentences = (...segments: Parameters<typeof toSpoken>[0]) =>
    toSpoken(segments).paragraphs.map(({ sentences }) => sentences.map(({ text }) => text));
  const [first, middle, last] = [segment('And so', 0), segment('um er hm', 2), segment('my friends.', 5)];
  expect(sentences(first, middle, last)).toEqual([['And so um er hm my friends.']]);
  // The server leaves out a segment without words.
  expect(sentences(first, last)).toEqual([['And so my friends.']]);
  const long = { ...segment('word '.repeat(130).trim(), 0), end: 2, words: [] };
  expect(sentences(long, segment('and more.', 2), segment('Then this.', 4))).toEqual([
    [`${long.text} and more.`],
    ['Then this.'],
  ]);
  // Without full stops, a pause is all there is.
  expect(sentences(first, segment('my friends', 5))).toEqual([['And so'], ['my friends']]);
  // So does a long silence.
  expect(sentences(first, segment('my friends.', 20))).toEqual([['And so'], ['my friends.']]);
});

test('a sentence keeps its id when a segment before it goes, and no two have the same', () => {
  const said = [segment('One.', 0), segment('Two.', 1), segment('Three.', 1), segment('Four.', 9)];
  const ids = (...segments: typeof said) =>
    toSpoken(segments).paragraphs.flatMap(({ sentences }) => sentences.map(({ id }) => id));
  expect(new Set(ids(...said)).size).toBe(4);
  expect(ids(...said.slice(1)).at(-1)).toBe(ids(...said).at(-1));
});

test.each([
  ['a word in the second', 'one two three Four', ['one two', 'three Four']],
  ['a word in the first', 'One two three four', ['One two', 'three four']],
  ['across both', 'one too tree four', ['one too tree', 'four']],
  ['a word more at the end', 'one two three four five', ['one two', 'three four five']],
  ['one less', 'one three four', ['one', 'three four']],
  ['nothing', '', ['', '']],
  ['everything', 'x', ['x', '']],
  ['no change', 'one two three four', ['one two', 'three four']],
])('what is rewritten goes to its segment: %s', (_, text, now) => {
  const parts = [
    { position: 4, text: 'one two' },
    { position: 5, text: 'three four' },
  ];
  expect(rewritten(parts, text).map((part) => part.now)).toEqual(now);
});
