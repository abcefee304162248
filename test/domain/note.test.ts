import { describe, expect, test } from 'vitest';
import { isAsExpected, isCarriedOut, type Note } from '../../src/domain/note.ts';

const note = { revision: 3, updated_at: '2026-11-17T10:00:00.000Z' } as Note;

describe('what a client last read of a note', () => {
  test.each([
    ['nothing', {}],
    ['its revision', { revision: 3 }],
    ['its time', { updatedAt: note.updated_at }],
    ['one of several revisions', { revisions: [2, 3] }],
    ['all of them', { revision: 3, updatedAt: note.updated_at, revisions: [3] }],
  ])('is as expected: %s', (_name, expectation) => {
    expect(isAsExpected(note, expectation)).toBe(true);
  });

  test.each([
    ['an older revision', { revision: 2 }],
    ['another time', { updatedAt: '2026-11-17T09:00:00.000Z' }],
    ['other revisions', { revisions: [1, 2] }],
    ['no revision at all', { revisions: [] }],
    ['the revision, with another time', { revision: 3, updatedAt: '2026-11-17T09:00:00.000Z' }],
    ['the time, with another revision', { revision: 4, updatedAt: note.updated_at }],
  ])('is not as expected: %s', (_name, expectation) => {
    expect(isAsExpected(note, expectation)).toBe(false);
  });
});

test('an edit is carried out if its session and its number are known', () => {
  const edit = { session: 'mine', seq: 2 };
  expect(isCarriedOut(edit, null, { session: 'mine', seq: 2 })).toBe(true);
  expect(isCarriedOut(edit, null, { session: 'mine', seq: 1 })).toBe(false);
  expect(isCarriedOut(edit, { session: 'another', seq: 2 }, null)).toBe(false);
  expect(isCarriedOut(edit)).toBe(false);
});
