import { expect, test } from 'vitest';
import { newest } from '../../web/src/lib/newest.ts';

test('a late answer puts no older text into a list', () => {
  const note = (id: string, revision: number) => ({ id, revision, text: `${id}${revision}` });
  const answered = [note('a', 1), note('b', 3), note('c', 1)];
  expect(newest(answered, [note('a', 2), note('b', 2), note('d', 9)]).map(({ text }) => text)).toEqual([
    'a2',
    'b3',
    'c1',
  ]);
  expect(newest(answered)).toEqual(answered);
});
