import { expect, test } from 'vitest';
import {
  changeTypes,
  decodeChangeCursor,
  encodeChangeCursor,
  isBefore,
  scopesToSee,
  tooOld,
} from '../../src/domain/change.ts';

const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test.each([
  { tx: 0, seq: 0 },
  { tx: 12, seq: 345 },
])('a cursor leads back to its place: %o', (place) => {
  expect(decodeChangeCursor('t', encodeChangeCursor('t', place))).toEqual(place);
});

test('a cursor from before a restore says what to do', () => {
  expect(() => decodeChangeCursor('new', encodeChangeCursor('old', { tx: 0, seq: 1 }))).toThrow(
    'restored from a backup',
  );
});

test.each([
  '',
  'nonsense',
  cursorOf(['notes', 't', 0, 1]),
  cursorOf(['changes', 't', -1, 1]),
  cursorOf(['changes', 't', 0, -1]),
  cursorOf(['changes', 't', 0, 1.5]),
  cursorOf(['changes', 't', 0]),
  cursorOf(['changes', 't', 0, 1, 2]),
])('%s is no cursor', (cursor) => {
  expect(() => decodeChangeCursor('t', cursor)).toThrow('since must be the next_cursor');
});

test.each([
  [{ tx: 1, seq: 1 }, { tx: 1, seq: 2 }, true],
  [{ tx: 1, seq: 9 }, { tx: 2, seq: 1 }, true],
  [{ tx: 1, seq: 1 }, { tx: 1, seq: 1 }, false],
  [{ tx: 1, seq: 2 }, { tx: 1, seq: 1 }, false],
  [{ tx: 2, seq: 1 }, { tx: 1, seq: 9 }, false],
])('%o is before %o: %s', (one, other, before) => {
  expect(isBefore(one, other)).toBe(before);
});

test('every type of change needs a scope to be seen', () => {
  for (const type of changeTypes) expect(scopesToSee[type].length).toBeGreaterThan(0);
  expect(tooOld('2026-01-01T00:00:00.000Z')).toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining('2026-01-01T00:00:00.000Z'),
  });
});
