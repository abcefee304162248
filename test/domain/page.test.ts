import { describe, expect, test } from 'vitest';
import { type ListName, pageQuery, toPage } from '../../src/domain/page.ts';

const at = '2026-01-02T03:04:05.678Z';
const id = '018f0000-0000-7000-8000-000000000001';
const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `${id.slice(0, -1)}${i}`,
    created_at: `2026-01-02T03:04:05.67${i}Z`,
  }));
const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const after = (list: ListName, cursor: string) => pageQuery(list, { limit: 10, cursor }).after;

test.each([
  [0, false],
  [1, false],
  [2, false],
  [3, true],
])('%i rows on pages of two: more is %s', (count, more) => {
  const page = toPage('notes', rows(count), 2);
  expect(page.data).toHaveLength(Math.min(count, 2));
  expect([page.has_more, page.next_cursor !== null]).toEqual([more, more]);
});

test('no page of nothing promises more', () => {
  expect(toPage('notes', rows(1), 0)).toEqual({ data: [], has_more: false, next_cursor: null });
});

test('the store is asked for one row more, from the last row that was shown', () => {
  const { next_cursor } = toPage('trash', rows(3), 2, () => ({ at }));
  expect(pageQuery('trash', { limit: 2, cursor: next_cursor ?? '' })).toEqual({
    limit: 3,
    after: { at, id: `${id.slice(0, -1)}1` },
  });
  expect(pageQuery('trash', { limit: 2 })).toEqual({ limit: 3, after: undefined });
});

test.each([true, false])(
  'with pinned notes first, the cursor knows whether the last one was: %s',
  (pinned) => {
    const list = 'notes, pinned first';
    const { next_cursor } = toPage(list, rows(2), 1, ({ created_at }) => ({ at: created_at, pinned }));
    expect(after(list, next_cursor ?? '')).toEqual({
      at: '2026-01-02T03:04:05.670Z',
      id: rows(1)[0]?.id,
      pinned,
    });
  },
);

test('notes also go on from a time', () => {
  expect(after('notes', '2026-01-02T03:04:05Z')).toEqual({ at: '2026-01-02T03:04:05.000Z', id: null });
  expect(() => after('trash', '2026-01-02T03:04:05Z')).toThrow('cursor must be');
});

describe('a cursor that is not of this list is refused', () => {
  test.each<[string, ListName, string]>([
    ['of another list', 'trash', cursorOf(['notes', at, id])],
    ['empty', 'trash', ''],
    ['with other letters', 'trash', `${cursorOf(['trash', at, id])}=`],
    ['that is no JSON', 'trash', Buffer.from('nonsense').toString('base64url')],
    ['that is no array', 'trash', cursorOf({ 0: 'trash', 1: at, 2: id, length: 3 })],
    ['with too much', 'notes, pinned first', cursorOf(['notes, pinned first', at, id, true, 1])],
    ['without a time', 'trash', cursorOf(['trash', null, id])],
    ['with another form of time', 'trash', cursorOf(['trash', '2026-01-02', id])],
    ['without an id', 'trash', cursorOf(['trash', at])],
    ['with another form of id', 'trash', cursorOf(['trash', at, 'x'])],
    ['without its pin', 'notes, pinned first', cursorOf(['notes, pinned first', at, id])],
  ])('%s', (_, list, cursor) => {
    expect(() => after(list, cursor)).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        message: 'cursor must be the next_cursor of a page of this list.',
      }),
    );
  });
});
