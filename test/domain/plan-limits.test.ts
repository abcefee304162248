import { expect, test } from 'vitest';
import { laterThan } from '../../src/domain/note.ts';
import { defaultPlans, planNames } from '../../src/domain/plans.ts';
import { changesText, oldestKept, revisionLimits } from '../../src/domain/revision.ts';

const now = Date.parse('2026-12-31T12:00:00.000Z');

test.each([
  ['free', '2026-12-01T12:00:00.000Z', 20],
  ['pro', '2026-07-04T12:00:00.000Z', 100],
  ['business', '2025-12-31T12:00:00.000Z', 100],
] as const)('%s keeps the texts of a note since %s, at most %i', (name, notBefore, max) => {
  expect(oldestKept(defaultPlans[name], now)).toBe(notBefore);
  expect(revisionLimits('r', defaultPlans[name], now)).toEqual({ id: 'r', max, notBefore });
});

test('every plan has the limits of the contract for audio', () => {
  for (const name of planNames)
    expect(defaultPlans[name]).toMatchObject({
      audioMinutesPerMonth: 600,
      recordingMaxBytes: 2_000_000_000,
      recordingMaxMinutes: 600,
      recordingMinutesPerMonth: null,
    });
});

test.each([
  ['nothing', {}, false],
  ['the same texts', { title: 'T', content: 'C', enhanced_content: null }, false],
  ['the folder and the pin', { folder_id: 'f', pinned: true }, false],
  ['the title', { title: 'U' }, true],
  ['no title any more', { title: null }, true],
  ['the content', { title: 'T', content: '' }, true],
  ['the enhanced content', { enhanced_content: 'E' }, true],
])('a change of %s changes the text: %s', (_, changes, isChange) => {
  expect(changesText({ title: 'T', content: 'C', enhanced_content: null }, changes)).toBe(isChange);
});

test.each([
  ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.001Z'],
  ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'],
  ['2026-01-01T00:00:05.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:05.001Z'],
])('the change after %s, made at %s, is of %s', (before, at, time) => {
  expect(laterThan(before, at)).toBe(time);
});
