import { expect, test } from 'vitest';
import { defaultPlans, type Plan } from '../../src/domain/plans.ts';
import { recordingLimitMs } from '../../src/domain/recording.ts';
import { audioLimitMs, dayInWords, monthOf } from '../../src/domain/usage.ts';
import { everyDayOf, shownPeriodOf, usageOf, wordPeriodOf } from '../../src/features/usage/rules.ts';

const now = Date.parse('2026-03-31T23:59:59.999Z');
const used = {
  words: 1_500,
  audioMs: 7,
  recordingMs: 8,
  storage: { bytes: 9, openUploads: 1 },
  llmTokens: 5,
};

test.each([
  ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ['2026-03-31T23:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ['2026-12-15T12:00:00.000Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
])('the month of %s', (at, from, until) => {
  expect(monthOf(Date.parse(at))).toEqual({ from, until });
});

test('with a limit, words count for seven days to the millisecond; without one, for the month', () => {
  expect(wordPeriodOf(defaultPlans.free, now)).toEqual({
    from: '2026-03-25T00:00:00.000Z',
    until: '2026-04-01T00:00:00.000Z',
  });
  expect(wordPeriodOf(defaultPlans.pro, now)).toEqual(monthOf(now));
});

test.each<[string, Partial<Plan>, number]>([
  ['included', { transcription: true, audioMinutesPerMonth: 10 }, 600_000],
  ['not included', { transcription: false, audioMinutesPerMonth: 10 }, 0],
])('audio that is %s', (_, plan, ms) => {
  expect(audioLimitMs({ ...defaultPlans.pro, ...plan })).toBe(ms);
});

test('the usage of a free account: a limit on words, no subscription, no transcription', () => {
  expect(usageOf('free', defaultPlans.free, now, used)).toEqual({
    words_used: 1_500,
    words_remaining: 500,
    limit: 2_000,
    plan: 'free',
    is_subscribed: false,
    current_period_end: null,
    billing_interval: null,
    audio_ms_used: 7,
    audio_ms_limit: 0,
    audio_resets_at: '2026-04-01T00:00:00.000Z',
    recording_ms_used: 8,
    recording_ms_limit: 0,
    storage_bytes_used: 9,
    storage_bytes_limit: 2_000_000_000,
    open_uploads: 1,
    open_uploads_limit: 20,
    llm_tokens_used: 5,
    llm_tokens_limit: -1,
  });
});

test('the usage of a paid account: -1 means no limit, and the period is the month', () => {
  expect(usageOf('pro', defaultPlans.pro, now, used)).toMatchObject({
    words_remaining: -1,
    limit: -1,
    is_subscribed: true,
    current_period_end: '2026-04-01T00:00:00.000Z',
    billing_interval: 'monthly',
    audio_ms_limit: 600 * 60_000,
    recording_ms_limit: -1,
  });
  const limited = { ...defaultPlans.pro, recordingMinutesPerMonth: 2 };
  expect(usageOf('pro', limited, now, used).recording_ms_limit).toBe(120_000);
});

test('never fewer than no words are left', () => {
  expect(usageOf('free', defaultPlans.free, now, { ...used, words: 2_001 }).words_remaining).toBe(0);
});

test('a month without a limit for recordings has room for everything', () => {
  expect([recordingLimitMs(null), recordingLimitMs(2)]).toEqual([Number.POSITIVE_INFINITY, 120_000]);
});

test('a day in words is the day in UTC', () => {
  expect(dayInWords('2026-12-01T00:00:00.000Z')).toBe('1 December 2026');
  expect(dayInWords('2026-12-31T23:59:59.999Z')).toBe('31 December 2026');
});

test('the days that are shown are the last thirty, today included, and one without use has zeros', () => {
  const period = shownPeriodOf(now);
  expect(period).toEqual({ from: '2026-03-02T00:00:00.000Z', until: '2026-04-01T00:00:00.000Z' });
  const counted = { date: '2026-03-30', words: 5, audio_ms: 6 };
  const days = everyDayOf(period, [counted]);
  expect(days).toHaveLength(30);
  expect(days.slice(-2)).toEqual([counted, { date: '2026-03-31', words: 0, audio_ms: 0 }]);
  expect(days[0]).toEqual({ date: '2026-03-02', words: 0, audio_ms: 0 });
});
