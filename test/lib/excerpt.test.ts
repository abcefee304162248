import { expect, test } from 'vitest';
import { excerptOf, withoutMarks } from '../../web/src/screens/notes/excerpt.ts';

test('a line of the list shows words, without the signs of Markdown', () => {
  expect(
    excerptOf('# Plan\n\nThe **old** [crane](x) `c`\n\n## Order\n- one\n> two\n1. three\n- [x] done'),
  ).toBe('Plan The old crane c Order one two three done');
  expect(withoutMarks('the roots go **down**. ## Order')).toBe('the roots go down. Order');
});
