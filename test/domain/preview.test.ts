import { expect, test } from 'vitest';
import { previewOf } from '../../src/features/notes/preview.ts';

test.each([
  ['# Monday\n\n- [ ] call **Ada**\n* buy `milk`', 'Monday call Ada buy milk'],
  ['> said _she_, see [the page](https://example.org/a_b)\n---\nnext', 'said she, see the page next'],
  ['snake_case and 2 * 3 stay', 'snake_case and 2 * 3 stay'],
  ['![a cat](cat.png) sits', 'a cat sits'],
  ['', ''],
])('%j begins with %j', (text, preview) => {
  expect(previewOf(text)).toBe(preview);
});

test('a preview has at most 200 letters, and no half of a letter', () => {
  expect(previewOf('😀'.repeat(300))).toBe('😀'.repeat(200));
  expect(previewOf(`${'[x]('.repeat(300)}`).isWellFormed()).toBe(true);
  expect(Array.from(previewOf(`a${'\ud83d\ude00'.repeat(600)}`))).toHaveLength(200);
});
