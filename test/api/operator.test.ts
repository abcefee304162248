import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Check } from '../../src/domain/status.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(databaseKinds)('what an operator sees, on %s', (databaseKind) => {
  let steno: TestSteno;
  let runner: string;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
    const { user } = await steno.person({ name: 'Root' });
    await steno.users.setOperator(user.id, true);
    runner = (await steno.signIn(user)).token;
  });
  afterAll(() => steno.close());

  const status = async (): Promise<Check[]> =>
    (await steno.call('GET', '/api/operator/status', { key: runner })).body.data;

  test('the state of every part, and what to do where something is wrong', async () => {
    const checks = await status();
    expect(checks.map(({ check }) => check)).toEqual([
      'version',
      'database',
      'migrations',
      'search index',
      'speech',
      'recordings',
      'texts',
      'audio store',
      'disk',
      'mail',
      'webhooks',
      'language model',
      'backup',
      'clock',
    ]);
    const stateOf = Object.fromEntries(checks.map(({ check, state }) => [check, state]));
    expect(stateOf).toMatchObject({
      database: 'ok',
      migrations: 'ok',
      'search index': 'ok',
      mail: 'warning',
    });
    for (const { state, fix } of checks) expect(fix === null).toBe(state === 'ok');
  });

  test('many who look at once cause one look', async () => {
    const [one, other] = await Promise.all([status(), status()]);
    expect(other).toEqual(one);
    expect(one?.find(({ check }) => check === 'version')?.found).toContain('running since');
  });
});
