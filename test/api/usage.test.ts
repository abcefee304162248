import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { monthOf } from '../../src/domain/usage.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const dayMs = 86_400_000;

describe.each(anyDatabase)('usage on %s', (databaseKind) => {
  let steno: TestSteno;
  const noon = Date.parse('2026-10-15T12:00:00.000Z');
  let now = noon;
  const speech = createFakeSpeech();
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, speech });
  });
  beforeEach(() => {
    now = noon;
  });
  afterAll(() => steno.close());

  const usage = async (key: string) => (await steno.call('GET', '/usage', { key })).body.data;

  test('a subscribed plan counts the calendar month, without a limit on words', async () => {
    const { key } = await steno.person({ plan: 'pro' });
    await steno.upload(key, { file: recording({ ms: 90_000, words: 7 }) });
    expect(await usage(key)).toEqual({
      words_used: 7,
      words_remaining: -1,
      limit: -1,
      plan: 'pro',
      is_subscribed: true,
      current_period_end: '2026-11-01T00:00:00.000Z',
      billing_interval: 'monthly',
      audio_ms_used: 90_000,
      audio_ms_limit: 36_000_000,
      audio_resets_at: '2026-11-01T00:00:00.000Z',
      recording_ms_used: 0,
      recording_ms_limit: -1,
      storage_bytes_used: 0,
      storage_bytes_limit: 50_000_000_000,
      open_uploads: 0,
      open_uploads_limit: 20,
      llm_tokens_used: 0,
      llm_tokens_limit: -1,
    });
  });

  test('the free plan counts 2,000 words over a rolling week and has no audio', async () => {
    const { key, user } = await steno.person({ plan: 'pro' });
    await steno.upload(key, { file: recording({ words: 1_500 }) });
    now += 6 * dayMs;
    await steno.upload(key, { file: recording({ words: 700 }) });
    await steno.users.setPlan(user.id, 'free');
    expect(await usage(key)).toEqual({
      words_used: 2_200,
      words_remaining: 0,
      limit: 2_000,
      plan: 'free',
      is_subscribed: false,
      current_period_end: null,
      billing_interval: null,
      audio_ms_used: 2_000,
      audio_ms_limit: 0,
      audio_resets_at: '2026-11-01T00:00:00.000Z',
      recording_ms_used: 0,
      recording_ms_limit: 0,
      storage_bytes_used: 0,
      storage_bytes_limit: 2_000_000_000,
      open_uploads: 0,
      open_uploads_limit: 20,
      llm_tokens_used: 0,
      llm_tokens_limit: -1,
    });
    now += dayMs - 1;
    expect((await usage(key)).words_used).toBe(2_200);
    now += 1;
    expect(await usage(key)).toMatchObject({ words_used: 700, words_remaining: 1_300 });
  });

  test('all keys of a person count together; another person has their own', async () => {
    const { key, user } = await steno.person();
    const { key: other } = await steno.keys.issue(operator, personalKeysOf(user.id), {
      name: 'other',
      scopes: ['transcriptions:write'],
    });
    await steno.upload(key, { file: recording({ words: 3 }) });
    await steno.upload(other, { file: recording({ words: 4 }) });
    expect((await usage(key)).words_used).toBe(7);
    expect((await usage((await steno.person()).key)).words_used).toBe(0);
  });

  test('each of the last 30 days adds up to the same words, also those deleted since', async () => {
    const { key } = await steno.person({ plan: 'pro' });
    const days = async () => (await steno.call('GET', '/usage/days', { key })).body.data;
    await steno.upload(key, { file: recording({ ms: 60_000, words: 5 }) });
    now += 2 * dayMs;
    const { body } = await steno.upload(key, { file: recording({ ms: 30_000, words: 7 }) });
    await steno.upload(key, { file: recording({ ms: 30_000, words: 1 }) });
    await steno.call('DELETE', `/transcriptions/${body.data.id}`, { key });
    const shown = await days();
    expect(shown).toHaveLength(30);
    const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    expect(shown.at(-1)).toEqual({ date: date(now), words: 8, audio_ms: 60_000 });
    expect(shown.at(-2)).toEqual({ date: date(now - dayMs), words: 0, audio_ms: 0 });
    expect(shown.at(-3)).toEqual({ date: date(now - 2 * dayMs), words: 5, audio_ms: 60_000 });
    now += 28 * dayMs;
    expect((await days())[0]).toEqual({ date: date(now - 29 * dayMs), words: 0, audio_ms: 0 });
    now -= 28 * dayMs;
  });

  test('needs the scope usage:read, and no workspace key has it', async () => {
    const { key } = await steno.person({ scopes: ['notes:read'] });
    const { key: workspaceKey } = await steno.team();
    for (const caller of [key, workspaceKey])
      expect((await steno.call('GET', '/usage', { key: caller })).body.error.code).toBe('forbidden');
  });

  test('what is reported is the sum of what was answered, whatever was deleted or failed between', async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('transcribe' as const),
          ms: fc.nat(9_000_000),
          words: fc.nat(40),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat(9) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), ms: fc.nat(9_000_000) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.nat(20) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { key } = await steno.person();
        const counted: { at: string; ms: number; words: number }[] = [];
        let ids: string[] = [];
        for (const taken of steps) {
          now += 60_000;
          if (taken.kind === 'wait') now += taken.days * dayMs;
          if (taken.kind === 'delete') {
            const id = ids[taken.which];
            if (id !== undefined) await steno.call('DELETE', `/transcriptions/${id}`, { key });
            ids = ids.filter((other) => other !== id);
          }
          if (taken.kind === 'fail') {
            speech.breakDown(1);
            const { status } = await steno.upload(key, { file: recording({ ms: taken.ms }) });
            expect([429, 503]).toContain(status);
            speech.mend();
          }
          if (taken.kind === 'transcribe') {
            const { status, body } = await steno.upload(key, { file: recording(taken) });
            const { from } = monthOf(now);
            const used = counted.filter(({ at }) => at >= from).reduce((sum, { ms }) => sum + ms, 0);
            expect(status).toBe(used + taken.ms <= 36_000_000 ? 200 : 429);
            if (status === 200) {
              counted.push({ at: new Date(now).toISOString(), ...taken });
              ids.push(body.data.id);
            }
          }
          const { from } = monthOf(now);
          const thisMonth = counted.filter(({ at }) => at >= from);
          expect(await usage(key)).toMatchObject({
            audio_ms_used: thisMonth.reduce((sum, { ms }) => sum + ms, 0),
            words_used: thisMonth.reduce((sum, { words }) => sum + words, 0),
          });
        }
      }),
      { numRuns: 25 },
    );
  });
});
