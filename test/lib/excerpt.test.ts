import { expect, test } from 'vitest';
import { excerptOf, withoutMarks } from '../../web/src/lib/excerpt.ts';

test('a line of the list shows words, without the signs of Markdown', () => {
  expect(excerptOf('# Plan\n\nThe **old** [crane](x) `c`\n\n## Order\n- one\n> two\n1. three')).toBe(
    'Plan The old crane c Order · one two · three',
  );
  expect(excerptOf('- [x] Passport\n- [ ] Keys to Noor')).toBe('Passport · Keys to Noor');
  expect(withoutMarks('the roots go **down**. ## Order')).toBe('the roots go down. Order');
});

test('a sign that is no mark stands there without its backslash', () => {
  expect(withoutMarks('\\*stars\\* and \\`ticks\\`, **bold**, 1\\. and C:\\dir')).toBe(
    '*stars* and `ticks`, bold, 1. and C:\\dir',
  );
  expect(excerptOf('\\# no heading, \\- no list, a \\| b, [no link\\](x), [a \\[b\\]](y)')).toBe(
    '# no heading, - no list, a | b, [no link](x), a [b]',
  );
});

test('of a table, the excerpt has the words and not the lines', () => {
  const table = '| Name | Role |\n| --- | :---: |\n| Ada | Admin |\n\nThen text';
  expect(excerptOf(table)).toBe('Name · Role · Ada · Admin · Then text');
  expect(excerptOf('Crew\n\nName | Role\n---|---\nAda | Admin')).toBe('Crew Name · Role Ada · Admin');
  // What the server found within one.
  expect(withoutMarks('| Name | Role | | --- | --- | | Ada')).toBe(' · Name · Role · Ada');
});
