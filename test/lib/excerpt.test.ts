import { expect, test } from 'vitest';
import { excerptOf, withoutMarks } from '../../web/src/screens/notes/excerpt.ts';

test('a line of the list shows words, without the signs of Markdown', () => {
  expect(excerptOf('# Plan\n\nThe **old** [crane](x) `c`\n\n## Order\n- one\n> two\n1. three')).toBe(
    'Plan The old crane c Order · one two · three',
  );
  expect(excerptOf('- [x] Passport\n- [ ] Keys to Noor')).toBe('Passport · Keys to Noor');
  expect(withoutMarks('the roots go **down**. ## Order')).toBe('the roots go down. Order');
});
