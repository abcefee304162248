import { describe, expect, test } from 'vitest';
import {
  codeLifetimeMs,
  codeRequestWait,
  hashCode,
  maxWrongTries,
  newCode,
  sameHash,
  waitForRoom,
} from '../../src/features/identity/codes/rules.ts';

const minute = 60_000;
const hour = 60 * minute;
const now = 10 * hour;
/** Requests so many milliseconds ago, the oldest first. */
const ago = (...ms: number[]) => ms.map((one) => now - one);

describe('how long to wait for the next code', () => {
  test.each<[string, number[], number[], number]>([
    ['nobody asked before', [], [], 0],
    ['a minute after the last', ago(minute), ago(minute), 0],
    ['half a minute after the last', ago(minute / 2), [], minute / 2],
    ['four in this hour', ago(50 * minute, 40 * minute, 30 * minute, 20 * minute), [], 0],
    [
      'five in this hour',
      ago(50 * minute, 40 * minute, 30 * minute, 20 * minute, 10 * minute),
      [],
      10 * minute,
    ],
    ['the fifth of an hour ago', ago(hour, 40 * minute, 30 * minute, 20 * minute, 10 * minute), [], 0],
    ['nine addresses of one client', [], ago(...Array(9).fill(minute)), 0],
    ['ten addresses of one client', [], ago(...Array(10).fill(minute)), 59 * minute],
    ['the longest of all', ago(10_000), ago(...Array(10).fill(30 * minute)), 30 * minute],
  ])('%s', (_, perEmail, perClient, wait) => {
    expect(codeRequestWait(perEmail, perClient, now)).toBe(wait);
  });

  test('with room for one more there is none', () => {
    expect(waitForRoom(ago(5), 2, now)).toBe(0);
    expect(waitForRoom(ago(9, 5), 2, now)).toBe(hour - 9);
  });
});

test('a code has six digits, works for ten minutes and forgives five tries', () => {
  const codes = Array.from({ length: 200 }, newCode);
  for (const code of codes) expect(code).toMatch(/^\d{6}$/);
  expect(new Set(codes).size).toBeGreaterThan(190);
  expect([codeLifetimeMs, maxWrongTries]).toEqual([10 * minute, 5]);
});

test('the hash of a code depends on the secret, the address and the code', () => {
  const hash = hashCode('secret', 'ada@example.org', '123456');
  expect(hashCode('secret', 'ada@example.org', '123456')).toBe(hash);
  const others = [
    hashCode('other', 'ada@example.org', '123456'),
    hashCode('secret', 'bob@example.org', '123456'),
    hashCode('secret', 'ada@example.org', '123457'),
  ];
  for (const other of others) expect(sameHash(hash, other)).toBe(false);
  expect(sameHash(hash, hash)).toBe(true);
  expect(sameHash(hash, hash.slice(1))).toBe(false);
});
