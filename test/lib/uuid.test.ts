import { expect, test } from 'vitest';
import { createUuids, isUuid } from '../../src/lib/uuid.ts';

test('ids sort as they were created, within a millisecond and after the clock was set back', () => {
  const times = [1_000, 1_000, 1_000, 999, 5, 1_001, 1_700_000_000_000, 1_700_000_000_000];
  let at = 0;
  const newUuid = createUuids(() => times[at++] ?? 0);
  const ids = times.map(() => newUuid());
  expect(ids.every(isUuid)).toBe(true);
  expect([...ids].sort()).toEqual(ids);
  expect(ids.at(-1)).toMatch(/^018bcfe5-6800-7[0-9a-f]{3}-[89ab]/);
});

test('ids of two processes differ, though they begin in the same millisecond', () => {
  const ids = Array.from({ length: 2_000 }, () => createUuids(() => 1_000)());
  expect(new Set(ids).size).toBe(ids.length);
});
