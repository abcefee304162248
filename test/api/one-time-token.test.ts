import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stoppedClock } from '../support/clock.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

const invalid = { status: 400, body: { code: 'INVALID_TOKEN' } };

describe.each(databaseKinds)('one-time tokens on %s', (databaseKind) => {
  let now = Date.now();
  let people = 0;
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());
  beforeEach(() => {
    now += 3_600_000;
  });

  async function signedIn() {
    people += 1;
    const user = await steno.users.add({ name: 'Ada', email: `ada${people}@example.org` });
    return { user, ...(await steno.signIn(user)) };
  }
  const generate = (key: string) => steno.call('GET', '/api/auth/one-time-token/generate', { key });
  const tokenOf = async (key: string): Promise<string> => (await generate(key)).body.token;
  const verify = (token: string, headers = {}) =>
    steno.call('POST', '/api/auth/one-time-token/verify', { body: { token }, headers });
  const works = async (key: string) => (await steno.call('GET', '/me', { key })).status === 200;

  test('one opens a session of its own for the same person, once', async () => {
    const { user, token: key } = await signedIn();
    const made = await generate(key);
    expect([made.status, made.headers['cache-control']]).toEqual([200, 'no-store']);
    const answer = await verify(made.body.token);
    expect(answer).toMatchObject({
      status: 200,
      body: { user: { id: user.id }, session: { userId: user.id } },
    });
    expect(answer.headers['set-auth-token']).toBe(answer.body.session.token);
    expect(answer.body.session.token).not.toBe(key);
    expect(await works(answer.body.session.token)).toBe(true);
    expect(await verify(made.body.token)).toMatchObject(invalid);
    const log = await steno.store.audit.list({ actorId: user.id }, { limit: 2 });
    expect(log.map(({ act, detail }) => [act, detail])).toEqual([
      ['sign_in', 'one-time token'],
      ['sign_in_link.made', 'one-time token'],
    ]);
  });

  test('of two uses at once one gets in', async () => {
    const { token: key } = await signedIn();
    const token = await tokenOf(key);
    const statuses = (await Promise.all([verify(token), verify(token)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400]);
  });

  test('it works for three minutes, and is stored as a hash', async () => {
    const { token: key } = await signedIn();
    const token = await tokenOf(key);
    const rows = await steno.database.db.selectFrom('sign_in_links').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    now += 180_000;
    expect(await verify(token)).toMatchObject(invalid);
  });

  test('it ends with the session that made it, which has one at a time', async () => {
    const { token: key } = await signedIn();
    const [first, second] = [await tokenOf(key), await tokenOf(key)];
    expect(await verify(first)).toMatchObject(invalid);
    expect((await steno.call('DELETE', '/api/sessions', { key })).status).toBeLessThan(300);
    expect(await verify(second)).toMatchObject(invalid);
    expect((await generate(key)).status).toBe(401);
  });

  test('a link of the operator is no token, and a token is no link', async () => {
    const { user, token: key } = await signedIn();
    const { path } = await steno.sessions.createSignInLink(user.id);
    expect(await verify(path.split('=').at(-1) ?? '')).toMatchObject(invalid);
    expect((await steno.followLink(path)).status).toBe(303);
    const token = await tokenOf(key);
    expect((await steno.followLink(`/api/auth/sign-in/link?token=${token}`)).status).toBe(401);
    expect((await verify(token)).status).toBe(200);
  });

  test('only a session that is the person’s own makes one', async () => {
    const { user, token: key } = await signedIn();
    const { key: personal } = await steno.person();
    expect([(await generate(personal)).status, (await generate('')).status]).toEqual([403, 401]);
    const made = (await steno.call('POST', '/api/app-passwords', { key, body: { name: 'Phone' } })).body.data;
    const body = { email: user.email, password: made.password };
    const app = (await steno.call('POST', '/api/auth/sign-in/email', { body })).body.token;
    expect((await generate(app)).status).toBe(403);
    const head = await steno.call('HEAD', '/api/auth/one-time-token/generate', { key });
    expect(head.status).toBeGreaterThanOrEqual(400);
  });

  test('a suspended account stays out, and pages of other sites cannot use one', async () => {
    const { user, token: key } = await signedIn();
    const token = await tokenOf(key);
    const elsewhere = await verify(token, { origin: 'https://evil.example' });
    expect(elsewhere).toMatchObject({ status: 403, body: { code: 'INVALID_ORIGIN' } });
    await steno.store.people.setSuspended(user.id, new Date(now).toISOString());
    expect(await verify(token)).toMatchObject(invalid);
    await steno.store.people.setSuspended(user.id, null);
    expect(await verify(token)).toMatchObject(invalid);
  });
});

test('guesses are slowed, and with the provider alone there are no tokens', async () => {
  const steno = await startSteno({ clock: stoppedClock(Date.now()), config: { authFailuresPerMinute: 3 } });
  const strict = await startSteno({ config: { providerOnly: true } });
  const verify = (on: TestSteno) =>
    on.call('POST', '/api/auth/one-time-token/verify', { body: { token: 'x'.repeat(43) } });
  try {
    const statuses = [];
    for (let at = 0; at < 4; at += 1) statuses.push((await verify(steno)).status);
    expect(statuses).toEqual([400, 400, 400, 429]);
    expect((await verify(strict)).status).toBe(404);
  } finally {
    await steno.close();
    await strict.close();
  }
});
