import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BadSettings, readConfig } from '../../src/config.ts';
import { defaultPlans } from '../../src/domain/plans.ts';

describe('STENO_PLANS_FILE', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'steno-plans-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  const withFile = (text: string) => {
    const file = join(dir, 'plans.json');
    writeFileSync(file, text);
    return readConfig({ STENO_PLANS_FILE: file });
  };
  const complaint = (text: string): string => {
    try {
      withFile(text);
    } catch (error) {
      if (error instanceof BadSettings) return error.message;
      throw error;
    }
    throw new Error('it was taken');
  };

  test('without it the plans are those of the contract', () => {
    expect(readConfig({}).plans).toEqual(defaultPlans);
    expect(defaultPlans).toMatchObject({
      free: { requestsPerMinute: 30, requestsPerDay: 1_000, transcription: false, wordsPerWeek: 2_000 },
      pro: { requestsPerMinute: 120, requestsPerDay: 10_000, transcription: true, wordsPerWeek: null },
      business: { requestsPerMinute: 300, requestsPerDay: 50_000, transcription: true, wordsPerWeek: null },
    });
  });

  test('what it names changes, what it leaves out stays', () => {
    const { plans } = withFile('{ "free": { "transcription": true, "wordsPerWeek": null }, "pro": {} }');
    expect(plans).toEqual({
      ...defaultPlans,
      free: { ...defaultPlans.free, transcription: true, wordsPerWeek: null },
    });
  });

  test.each([
    ['{}', '{}'],
    ['every member', JSON.stringify(defaultPlans)],
  ])('%s changes nothing', (_, text) => {
    expect(withFile(text).plans).toEqual(defaultPlans);
  });

  test.each([
    ['an unknown plan', '{ "gold": {} }', /gold/],
    ['a misspelt field', '{ "pro": { "requestPerMinute": 5 } }', /pro has no field requestPerMinute/],
    [
      'a number as text',
      '{ "pro": { "requestsPerDay": "many" } }',
      /pro\.requestsPerDay must be a whole number of at least 1/,
    ],
    [
      'zero requests',
      '{ "free": { "requestsPerMinute": 0 } }',
      /free\.requestsPerMinute must be a whole number of at least 1/,
    ],
    [
      'a fraction',
      '{ "free": { "requestsPerMinute": 1.5 } }',
      /free\.requestsPerMinute must be a whole number/,
    ],
    [
      'negative words',
      '{ "free": { "wordsPerWeek": -1 } }',
      /free\.wordsPerWeek must be a whole number of at least 0 or null/,
    ],
    [
      'transcription as a word',
      '{ "free": { "transcription": "yes" } }',
      /free\.transcription must be true or false/,
    ],
    ['null for a plan', '{ "free": null }', /free must be an object/],
    ['a list', '[]', /object/],
    ['broken JSON', '{ "free": ', /plans\.json, which is not valid JSON/],
  ])('%s is refused, and the message says where', (_, text, message) => {
    expect(complaint(text)).toMatch(/^STENO_PLANS_FILE names /);
    expect(complaint(text)).toMatch(message);
  });

  test('every mistake is named at once', () => {
    const problems = complaint('{ "free": { "requestsPerMinute": 0 }, "pro": { "transcription": 1 } }');
    expect(problems.split('\n')).toHaveLength(2);
  });

  test('a file that is not there is refused', () => {
    expect(() => readConfig({ STENO_PLANS_FILE: join(dir, 'none.json') })).toThrow(
      /none\.json, which cannot be read/,
    );
  });
});
