import { expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { createFakeSpeech } from '../support/speech.ts';
import { silentLog, startSteno } from '../support/steno.ts';

test('a suspended account stops on every server before the call that suspends it is answered', async () => {
  const one = await startSteno({ databaseKind: 'postgres' });
  const speech = createFakeSpeech();
  const other = await compose(
    { ...one.config, recordings: { ...one.config.recordings, isLocal: true } },
    { log: silentLog, ...speech },
  );
  try {
    const { user: runner } = await one.person({ name: 'Root' });
    await one.users.setOperator(runner.id, true);
    const { token } = await one.signIn(runner);
    const { user, key } = await one.person({ name: 'Sue' });
    const { token: session } = await one.signIn(user);
    const there = async () =>
      Promise.all(
        [key, session].map(async (credential) => {
          const headers = { authorization: `Bearer ${credential}` };
          return (await other.app.inject({ url: '/api/v1/me', headers })).statusCode;
        }),
      );
    // The key is in the cache of the other server now.
    expect(await there()).toEqual([200, 200]);
    const body = { suspended: true };
    const answer = await one.call('PATCH', `/api/operator/people/${user.id}`, { key: token, body });
    expect(answer.status).toBe(200);
    expect(await there()).toEqual([401, 401]);
  } finally {
    await other.close();
    await one.close();
  }
});
