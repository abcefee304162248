import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultPlans, type PlanName } from '../../src/domain/plans.ts';
import { stoppedClock } from '../support/clock.ts';
import { type Answer, databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const unknownId = '0198c0de-0000-7000-8000-000000000000';
const plans: [PlanName, number, number][] = [
  ['free', 30, 1_000],
  ['pro', 120, 10_000],
  ['business', 300, 50_000],
];

describe.each(databaseKinds)('rate limits on %s', (databaseKind) => {
  let steno: TestSteno;
  const clock = stoppedClock(Date.UTC(2026, 0, 31, 22, 0, 15, 250));
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock, config: { plans: defaultPlans } });
  });
  afterAll(() => steno.close());

  const me = (key: string) => steno.call('GET', '/me', { key });
  const search = (key: string) => steno.call('POST', '/notes/search', { key, body: { query: 'x' } });
  const left = (answer: Answer) => Number(answer.headers['x-ratelimit-remaining']);

  test('a key outside the API is not looked at, and costs nothing', async () => {
    const { key } = await steno.person();
    const before = left(await me(key));
    const headers = { authorization: `Bearer ${key}` };
    for (const url of ['/healthz', '/v2/nowhere'])
      expect((await steno.app.inject({ url, headers })).headers).not.toHaveProperty('x-ratelimit-limit');
    expect(left(await me(key))).toBe(before - 1);
  });

  test.each(plans)(
    'every answer to a key of the plan %s tells where it stands',
    async (plan, perMinute, perDay) => {
      clock.set(Date.UTC(2026, 0, 31, 22, 0, 15, 250));
      const { key } = await steno.person({ plan });
      await search(key);
      const answers = [await me(key), await steno.call('GET', `/notes/${unknownId}`, { key })];
      for (const [index, { headers }] of answers.entries())
        expect(headers).toMatchObject({
          'x-ratelimit-limit': String(perMinute),
          'x-ratelimit-remaining': String(perMinute - 6 - index),
          'x-ratelimit-reset': String(Date.UTC(2026, 0, 31, 22, 1) / 1000),
          'ratelimit-policy': `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
          ratelimit: `"minute";r=${perMinute - 6 - index};t=45, "day";r=${perDay - 6 - index};t=7185`,
        });
    },
  );

  test('a workspace key is counted by the plan of its workspace, each key for itself', async () => {
    const team = await steno.team({ plan: 'pro' });
    const [one, other] = [await me(team.key), await me((await steno.team({ plan: 'pro' })).key)];
    expect([one.headers['x-ratelimit-limit'], left(one), left(other)]).toEqual(['120', 119, 119]);
  });

  test('requests that fail are charged; those without a known key are not', async () => {
    const { key } = await steno.person({ scopes: ['notes:read'] });
    expect(left(await me(key))).toBe(299);
    await steno.call('GET', '/notes/list?limit=0', { key });
    await steno.call('GET', `/notes/${unknownId}`, { key });
    await steno.call('POST', '/notes/create', { key, body: { content: 'x' } });
    await steno.call('GET', '/spaces/list', { key });
    await steno.call('POST', '/notes/search', { key, body: {} });
    expect(left(await me(key))).toBe(299 - 4 - 5 - 1);
    for (const [method, path] of [
      ['GET', '/nope'],
      ['DELETE', '/notes/list'],
      ['OPTIONS', '/me'],
    ] as const) {
      const answer = await steno.call(method, path, {
        headers: { authorization: 'Bearer owk_live_made-up' },
      });
      expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
    }
    expect(left(await me(key))).toBe(299 - 4 - 5 - 1 - 1);
  });

  test('a path or method that is not there costs nothing, and is never 429', async () => {
    const { key } = await steno.person({ plan: 'free' });
    const nowhere = [
      ['GET', '/nope', 404],
      ['DELETE', '/notes/list', 405],
      ['PUT', '/me', 405],
      ['GET', '/v1/nope', 404],
      ['DELETE', '/v1/models', 405],
    ] as const;
    await me(key);
    for (const [method, path, status] of nowhere) {
      const answer = await steno.call(method, path, { key });
      expect([path, answer.status, left(answer)]).toEqual([path, status, 29]);
    }
    for (let used = 1; used < 30; used += 1) await me(key);
    expect((await me(key)).status).toBe(429);
    for (const [method, path, status] of nowhere) {
      const answer = await steno.call(method, path, { key });
      expect([path, answer.status, left(answer)]).toEqual([path, status, 0]);
    }
  });

  test('a call that does not fit is refused with the wait, and costs nothing', async () => {
    clock.set(Date.UTC(2026, 0, 31, 22, 0, 15, 250));
    const { key } = await steno.person({ plan: 'free' });
    for (let used = 0; used < 28; used += 1) await me(key);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const refused = await search(key);
      expect([refused.status, refused.body.error.code, left(refused)]).toEqual([429, 'rate_limited', 2]);
      expect(refused.headers['retry-after']).toBe('45');
    }
    expect([(await me(key)).status, (await me(key)).status, (await me(key)).status]).toEqual([200, 200, 429]);
    clock.advance(44_749);
    const last = await me(key);
    expect([last.status, last.headers['retry-after']]).toEqual([429, '1']);
    clock.advance(1);
    expect([(await me(key)).status, left(await me(key))]).toEqual([200, 28]);
  });

  test('when the day is used up, the wait is until midnight UTC', async () => {
    clock.set(Date.UTC(2026, 0, 31, 22, 0));
    const { key } = await steno.person({ plan: 'free' });
    for (let used = 0; used < 1_000; used += 5) {
      if (used % 30 === 0) clock.advance(minuteMs);
      expect((await search(key)).status).toBe(200);
    }
    clock.set(Date.UTC(2026, 0, 31, 23, 59, 0, 500));
    const refused = await me(key);
    expect([refused.status, refused.headers['retry-after'], left(refused)]).toEqual([429, '60', 0]);
    expect([refused.headers['x-ratelimit-limit'], refused.headers['x-ratelimit-reset']]).toEqual([
      '1000',
      String(Date.UTC(2026, 1, 1) / 1000),
    ]);
    clock.set(Date.UTC(2026, 0, 31, 23, 0));
    expect((await me(key)).headers['retry-after']).toBe('3600');
    clock.set(Date.UTC(2026, 1, 1));
    expect((await me(key)).headers.ratelimit).toBe('"minute";r=29;t=60, "day";r=999;t=86400');
  });

  test('a clock that was wrong by weeks and is set right shuts nobody out', async () => {
    const right = Date.UTC(2026, 1, 2, 12, 0);
    clock.set(right + 20 * 86_400_000);
    const { key } = await steno.person({ plan: 'free' });
    for (let calls = 0; calls < 30; calls += 1) await me(key);
    expect((await me(key)).status).toBe(429);
    clock.set(right);
    const answer = await me(key);
    expect([answer.status, answer.headers['x-ratelimit-reset']]).toEqual([
      200,
      String((right + minuteMs) / 1000),
    ]);
  });

  test('a clock that steps back a little opens no window that was used up', async () => {
    const now = Date.UTC(2026, 1, 3, 12, 1);
    clock.set(now);
    const { key } = await steno.person({ plan: 'free' });
    for (let calls = 0; calls < 30; calls += 1) await me(key);
    clock.set(now - 5_000);
    expect((await me(key)).status).toBe(429);
  });

  test('of a thousand calls at once exactly as many pass as the plan allows', async () => {
    clock.advance(minuteMs);
    const { key } = await steno.person();
    const request = { url: '/api/v1/me', headers: { authorization: `Bearer ${key}` } };
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => steno.app.inject(request)));
    const passed = answers.filter(({ statusCode }) => statusCode === 200);
    expect(passed).toHaveLength(300);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(700);
    // Each of those that passed saw another number: nothing was counted twice or lost.
    const seen = passed.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(seen.sort((one, other) => one - other)).toEqual(Array.from({ length: 300 }, (_, index) => index));
  });

  test('of calls of both weights at once, what passes fits and what is refused did not', async () => {
    clock.advance(minuteMs);
    const { key } = await steno.person({ plan: 'pro' });
    const answers = await Promise.all(
      Array.from({ length: 150 }, async (_, index) => {
        const cost = index % 3 === 0 ? 5 : 1;
        return { cost, status: (cost === 5 ? await search(key) : await me(key)).status };
      }),
    );
    const used = answers.filter(({ status }) => status === 200).reduce((sum, { cost }) => sum + cost, 0);
    expect(used).toBeLessThanOrEqual(120);
    expect(used).toBeGreaterThan(115);
  });

  const action = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Action>({ call: 1 }) },
    { weight: 4, arbitrary: fc.constant<Action>({ call: 5 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 90_000 }).map((jump): Action => ({ jump })) },
    { weight: 1, arbitrary: fc.integer({ min: -150_000, max: -1 }).map((jump): Action => ({ jump })) },
    { weight: 1, arbitrary: fc.constantFrom<Action[]>({ jump: dayMs }, { jump: -dayMs }, { burst: 40 }) },
  );
  type Action = { call: 1 | 5 } | { jump: number } | { burst: number };

  test('whatever is called and wherever the clock jumps, the answers are those of the model', async () => {
    const property = fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40 }), async (actions) => {
      clock.set(Date.UTC(2026, 5, 15, 12, 0, 30));
      const { key } = await steno.person({ plan: 'free' });
      const model = createModel(30, 1_000);
      const check = async (cost: 1 | 5) => {
        const expected = model.take(cost, clock());
        const answer = cost === 5 ? await search(key) : await me(key);
        expect({ allowed: answer.status !== 429, left: left(answer) }).toEqual(expected);
      };
      for (const step of actions) {
        if ('jump' in step) clock.advance(step.jump);
        else if ('burst' in step) for (let index = 0; index < step.burst; index += 1) await check(1);
        else await check(step.call);
      }
    });
    await fc.assert(property, { numRuns: 10 });
  });
});

test('the numbers of the operator’s plans are the ones that count', async () => {
  const plans = { ...defaultPlans, free: { ...defaultPlans.free, requestsPerMinute: 2 } };
  const steno = await startSteno({ config: { plans }, clock: () => Date.parse('2026-03-01T10:00:00.000Z') });
  const { key } = await steno.person({ plan: 'free' });
  const answers: Answer[] = [];
  for (let call = 0; call < 3; call += 1) answers.push(await steno.call('GET', '/me', { key }));
  expect(answers[0]?.headers['x-ratelimit-limit']).toBe('2');
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  await steno.close();
});

/** The contract once more, said as plainly as possible. */
function createModel(perMinute: number, perDay: number) {
  const [minute, day] = [createWindow(minuteMs), createWindow(dayMs)];
  return {
    take(cost: number, now: number) {
      minute.moveTo(now);
      day.moveTo(now);
      const allowed = minute.sum() + cost <= perMinute && day.sum() + cost <= perDay;
      if (allowed) for (const window of [minute, day]) window.charges.push(cost);
      return { allowed, left: perMinute - minute.sum() };
    },
  };
}

/** Begins anew when the clock leaves it, except if the clock goes back to the one before. */
function createWindow(length: number) {
  const charges: number[] = [];
  let at = 0;
  return {
    charges,
    sum: () => charges.reduce((total, charge) => total + charge, 0),
    moveTo(now: number) {
      const next = Math.floor(now / length);
      if (next === at || next === at - 1) return;
      at = next;
      charges.length = 0;
    },
  };
}
