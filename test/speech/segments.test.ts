import { expect, test } from 'vitest';
import { toSegments } from '../../src/engines/speech/segments.ts';

const segmentsOf = (...texts: string[]) =>
  toSegments(
    texts.map((text, i) => ({ text, start: i, end: i + 1, isWord: true, score: 0.9 })),
    null,
  ).map(({ text }) => text);

test.for([
  [
    [' Good', ' day.', ' Mr.', ' Day.'],
    ['Good day.', 'Mr. Day.'],
  ],
  [
    ['今', '天', '好。', '再', '见！'],
    ['今天好。', '再见！'],
  ],
  [
    [' كيف', ' حالك؟', ' بخير.'],
    ['كيف حالك؟', 'بخير.'],
  ],
  [
    [' नमस्ते।', ' फिर', ' मिलेंगे।'],
    ['नमस्ते।', 'फिर मिलेंगे।'],
  ],
] as const)('sentences end at the signs of their script (%#)', ([words, sentences]) => {
  expect(segmentsOf(...words)).toEqual(sentences);
});
