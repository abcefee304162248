import { expect, test } from 'vitest';
import { dayHeadings } from '../../web/src/lib/day-group.ts';

/** Local times, because people think in their own calendar. */
const at = (text: string) => new Date(text).toISOString();

test('a list has one heading for today, yesterday, the last week, the last month and each month before', () => {
  const now = new Date('2026-03-29T09:00:00');
  const times = [
    '2026-03-29T00:00:00',
    '2026-03-28T23:59:59',
    '2026-03-27T12:00:00',
    '2026-03-22T12:00:00',
    '2026-03-21T12:00:00',
    '2026-02-20T12:00:00',
    '2026-02-01T12:00:00',
    '2025-02-01T12:00:00',
  ];
  expect(dayHeadings(times.map(at), now)).toEqual([
    'Today',
    'Yesterday',
    'Previous 7 days',
    undefined,
    'Previous 30 days',
    expect.stringMatching(/\D/),
    undefined,
    expect.stringContaining('2025'),
  ]);
});

test('a clock that runs ahead of this one still means today', () => {
  expect(dayHeadings([at('2026-03-29T23:30:00')], new Date('2026-03-29T23:00:00'))).toEqual(['Today']);
  expect(dayHeadings([at('2026-03-30T00:30:00')], new Date('2026-03-29T23:59:00'))).toEqual(['Today']);
});
