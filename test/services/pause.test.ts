import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { composeServices } from '../../src/services.ts';
import { pauseOf } from '../support/leases.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('the pause of transcription on %s', (databaseKind) => {
  let now = Date.parse('2026-03-01T10:00:00.000Z');
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());
  beforeEach(() => steno.pause.end());

  const refusedFor = (retryAfterSeconds: number) => ({
    code: 'service_unavailable',
    status: 503,
    retryAfterSeconds,
  });

  test('is off at first', async () => {
    expect(await steno.pause.state()).toEqual({ paused: false, until: null });
    await steno.pause.check();
  });

  test('lasts until it is ended', async () => {
    expect(await steno.pause.begin()).toEqual({ paused: true, until: null });
    now += 365 * 86_400_000;
    await expect(steno.pause.check()).rejects.toMatchObject(refusedFor(300));
    expect(await steno.pause.end()).toEqual({ paused: false, until: null });
    await steno.pause.check();
  });

  test('with minutes it ends by itself, and says how long to wait', async () => {
    const { until } = await steno.pause.begin(10);
    expect(until).toBe(new Date(now + 600_000).toISOString());
    await expect(steno.pause.check()).rejects.toMatchObject(refusedFor(600));
    now += 599_500;
    await expect(steno.pause.check()).rejects.toMatchObject(refusedFor(1));
    now += 500;
    await steno.pause.check();
    expect(await steno.pause.state()).toEqual({ paused: false, until: null });
  });

  test('begun again, the last word counts', async () => {
    await steno.pause.begin(10);
    await steno.pause.begin();
    await expect(steno.pause.check()).rejects.toMatchObject(refusedFor(300));
    await steno.pause.begin(1);
    await expect(steno.pause.check()).rejects.toMatchObject(refusedFor(60));
  });

  test('begun and ended by another process it holds for the next check', async () => {
    const other = await composeServices(steno.config, { clock: () => now });
    try {
      await pauseOf(other).begin();
      await expect(steno.pause.check()).rejects.toMatchObject(refusedFor(300));
      await pauseOf(other).end();
      await steno.pause.check();
    } finally {
      await other.close();
    }
  });

  test('by the setting it holds whatever the switch says', async () => {
    const config = { ...steno.config, transcriptionPaused: true };
    const paused = await composeServices(config, { clock: () => now });
    try {
      expect(await pauseOf(paused).end()).toEqual({ paused: true, until: null });
      await expect(pauseOf(paused).check()).rejects.toMatchObject(refusedFor(300));
    } finally {
      await paused.close();
    }
  });
});

test.each([
  ['true', true],
  ['on', true],
  ['1', true],
  ['off', false],
  ['false', false],
  ['', false],
])('STENO_TRANSCRIPTION_PAUSED=%s means %s', (value, paused) => {
  expect(readConfig({ STENO_TRANSCRIPTION_PAUSED: value }).transcriptionPaused).toBe(paused);
});

test('any other STENO_TRANSCRIPTION_PAUSED is refused', () => {
  expect(() => readConfig({ STENO_TRANSCRIPTION_PAUSED: 'maybe' })).toThrow(/STENO_TRANSCRIPTION_PAUSED/);
});
