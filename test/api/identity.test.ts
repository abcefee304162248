import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineNames, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(engineNames)('signing in on %s', (engine) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ engine });
  });
  afterAll(() => steno.close());

  test('a sign-in link opens a session that works as bearer token and as cookie', async () => {
    const { user } = await steno.person();
    const { token, cookie } = await steno.signIn(user);
    console.log(token, cookie);
    const s = await steno.call('GET', '/api/auth/get-session', { key: token });
    console.log(s.status, s.text);
    const me = await steno.call('GET', '/me', { key: token });
    expect(me.status).toBe(200);
    expect((await steno.call('GET', '/me', { headers: { cookie } })).body).toEqual(me.body);
  });
});
