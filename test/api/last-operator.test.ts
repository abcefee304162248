import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

const rounds = 5;

describe.each(databaseKinds)('the last operator on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeEach(async () => {
    steno = await startSteno({ databaseKind });
  });
  afterEach(() => steno.close());

  async function operatorNamed(name: string) {
    const { user } = await steno.person({ name });
    await steno.users.setOperator(user.id, true);
    return { id: user.id, token: (await steno.signIn(user)).token };
  }
  type Runner = Awaited<ReturnType<typeof operatorNamed>>;
  const activeOperators = async () =>
    (
      await steno.store.people.list({ limit: 100, now: new Date().toISOString(), matching: undefined })
    ).filter(({ operator, suspended_at }) => operator && suspended_at === null);
  const suspend = ({ token }: Runner, { id }: Runner) =>
    steno.call('PATCH', `/api/operator/people/${id}`, { key: token, body: { suspended: true } });
  const remove = ({ token }: Runner, { id }: Runner) =>
    steno.call('DELETE', `/api/operator/people/${id}`, { key: token });

  test.each([
    ['suspend each other', suspend, suspend],
    ['remove each other', remove, remove],
    ['suspend and remove each other', suspend, remove],
  ])('stays, when two operators %s at the same moment', async (_, one, other) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const { id } of await activeOperators()) await steno.users.setOperator(id, false);
      const [ada, bea] = [await operatorNamed('Ada'), await operatorNamed('Bea')];
      const answers = await Promise.all([one(ada, bea), other(bea, ada)]);
      expect((await activeOperators()).length).toBe(1);
      const statuses = answers.map(({ status }) => status).sort();
      expect([200, 204]).toContain(statuses[0]);
      // The second was stopped by its own suspension or removal, or told that nobody else would be left.
      expect([401, 409]).toContain(statuses[1]);
    }
  });

  test('is neither suspended nor removed by a call that began before its caller was suspended', async () => {
    const [ada, bea] = [await operatorNamed('Ada'), await operatorNamed('Bea')];
    expect((await suspend(ada, bea)).status).toBe(200);
    const now = new Date().toISOString();
    expect(await steno.store.people.setSuspended(ada.id, now)).toBe('last operator');
    expect(await steno.store.users.removeUnlessLastOperator(ada.id)).toBe('last operator');
    expect((await activeOperators()).map(({ id }) => id)).toEqual([ada.id]);
    // A suspended operator can be removed.
    expect((await remove(ada, bea)).status).toBe(204);
  });
});
