import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workspaceKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(databaseKinds)('what a person can make of a workspace, on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
  });
  afterAll(() => steno.close());

  const make = async (key: string, name = 'Team') =>
    (await steno.call('POST', '/api/workspaces', { key, body: { name } })).body.data;
  const makeKey = (key: string, workspaceId: string) =>
    steno.call('POST', `/api/workspaces/${workspaceId}/api-keys`, {
      key,
      body: { name: 'x', scopes: ['workspace:*'] },
    });

  test.each(['free', 'pro', 'business'] as const)(
    'a workspace of a person with the plan %s has that plan, until an operator gives it another',
    async (plan) => {
      const { user } = await steno.person({ plan });
      const { token } = await steno.signIn(user);
      const workspace = await make(token);
      expect(workspace.plan).toBe(plan);
      const { key } = (await makeKey(token, workspace.id)).body.data;
      expect((await steno.call('GET', '/me', { key })).body.data.plan).toBe(plan);
      await steno.workspaces.setPlan(workspace.id, 'pro');
      expect((await steno.call('GET', '/me', { key })).body.data.plan).toBe('pro');
    },
  );

  const issue = (workspaceId: string, user_id: string) =>
    steno.keys.issue(operator, workspaceKeysOf(workspaceId), { name: 'x', user_id });

  test('a workspace has at most 50 active keys, and a revoked one makes room', async () => {
    const { user } = await steno.person();
    const { user: other } = await steno.person();
    const { token } = await steno.signIn(user);
    const { id } = await make(token);
    const first = await issue(id, user.id);
    for (let count = 1; count < 50; count += 1) await issue(id, count % 2 ? user.id : other.id);
    const full = await makeKey(token, id);
    expect([full.status, full.body.error]).toMatchObject([
      400,
      { code: 'limit_reached', message: 'A workspace can have at most 50 active keys; revoke one first.' },
    ]);
    await steno.keys.revoke(operator, workspaceKeysOf(id), first.id);
    expect((await makeKey(token, id)).status).toBe(201);
  });

  test('a person makes at most 100 active keys for all workspaces together', async () => {
    const { user } = await steno.person();
    const { token } = await steno.signIn(user);
    const workspaces = [await make(token), await make(token), await make(token)];
    for (let count = 0; count < 100; count += 1) await issue(workspaces[count % 3].id, user.id);
    const { status, body } = await makeKey(token, workspaces[0].id);
    expect([status, body.error.code, body.error.message]).toEqual([
      400,
      'limit_reached',
      'One person can make at most 100 active keys for workspaces; revoke one first.',
    ]);
  });
});
