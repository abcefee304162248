import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAuthenticator } from '../support/authenticator.ts';
import { stoppedClock } from '../support/clock.ts';
import { openMailbox } from '../support/mailbox.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const origin = 'http://localhost';
const party = { rpId: 'localhost', origin };
const failed = { status: 401, body: { code: 'AUTHENTICATION_FAILED' } };

let mailbox: Awaited<ReturnType<typeof openMailbox>>;
beforeAll(async () => {
  mailbox = await openMailbox();
});
afterAll(() => mailbox.close());

describe.each(anyDatabase)('passkeys on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, config: { smtpUrl: mailbox.url } });
  });
  afterAll(() => steno.close());
  beforeEach(() => {
    now += 3_600_000;
  });

  const call = (method: 'GET' | 'POST', path: string, cookie?: string, body?: object) =>
    steno.call(method, `/api/auth/passkey/${path}`, {
      headers: { origin, ...(cookie ? { cookie } : {}) },
      ...(body ? { body } : {}),
    });
  async function signedIn() {
    const { user } = await steno.person();
    return { user, ...(await steno.signIn(user)) };
  }
  const challengeFor = async (cookie: string) =>
    (await call('GET', 'generate-register-options', cookie)).body.challenge;
  async function withPasskey() {
    const person = await signedIn();
    const device = createAuthenticator();
    const response = device.create({ ...party, challenge: await challengeFor(person.cookie) });
    const added = await call('POST', 'verify-registration', person.cookie, { response, name: 'My phone' });
    expect(added.status).toBe(200);
    return { ...person, device, passkey: added.body };
  }
  const newChallenge = async () => (await call('GET', 'generate-authenticate-options')).body.challenge;
  const enter = (response: object, cookie?: string) =>
    call('POST', 'verify-authentication', cookie, { response });

  test('a key that somebody added signs them in, and shows when it was used', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    const { user, cookie, device, passkey } = await withPasskey();
    expect(passkey).toMatchObject({ name: 'My phone', userId: user.id, lastUsedAt: null });
    const answer = await enter(device.get({ ...party, challenge: await newChallenge() }));
    expect(answer).toMatchObject({
      status: 200,
      body: { user: { id: user.id }, session: { userId: user.id } },
    });
    expect(answer.headers['set-auth-token']).toBe(answer.body.session.token);
    expect(String(answer.headers['set-cookie'])).toContain(answer.body.session.token);
    const listed = await call('GET', 'list-user-passkeys', cookie);
    expect(listed.body).toEqual([
      { ...passkey, counter: 2, transports: 'internal,hybrid', lastUsedAt: new Date(now).toISOString() },
    ]);
    // Of experiments of Node, which an operator would find in the log.
    expect(warned.mock.calls).toEqual([]);
    warned.mockRestore();
  });

  test('options ask for a key that knows whose it is, on the host of the server, and never twice for one key', async () => {
    const { user, cookie, device } = await withPasskey();
    const { body } = await call('GET', 'generate-register-options', cookie);
    expect(body).toMatchObject({
      rp: { id: 'localhost', name: 'Steno' },
      user: { id: Buffer.from(user.id).toString('base64url') },
      excludeCredentials: [{ id: device.id, type: 'public-key' }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    });
    const again = device.create({ ...party, challenge: body.challenge });
    expect(await call('POST', 'verify-registration', cookie, { response: again })).toMatchObject({
      status: 400,
      body: { code: 'PREVIOUSLY_REGISTERED' },
    });
  });

  test('a challenge works once, for five minutes, and for what it was made', async () => {
    const { cookie, device } = await withPasskey();
    const answer = device.get({ ...party, challenge: await newChallenge(), counter: 10 });
    expect((await enter(answer)).status).toBe(200);
    expect(await enter(answer)).toMatchObject(failed);
    const late = await newChallenge();
    now += 5 * 60_000;
    expect(await enter(device.get({ ...party, challenge: late, counter: 11 }))).toMatchObject(failed);
    const ofAnother = await challengeFor(cookie);
    expect(await enter(device.get({ ...party, challenge: ofAnother, counter: 12 }))).toMatchObject(failed);
    for (const challenge of ['', 'AAAA', 'A'.repeat(72)])
      expect(await enter(device.get({ ...party, challenge, counter: 13 }))).toMatchObject(failed);
  });

  test('a key that does not count signs in again and again, but no answer of it twice', async () => {
    const person = await signedIn();
    const device = createAuthenticator();
    const response = device.create({ ...party, challenge: await challengeFor(person.cookie), counter: 0 });
    expect((await call('POST', 'verify-registration', person.cookie, { response })).status).toBe(200);
    const first = device.get({ ...party, challenge: await newChallenge(), counter: 0 });
    const answers = await Promise.all([enter(first), enter(first), enter(first)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect((await enter(device.get({ ...party, challenge: await newChallenge(), counter: 0 }))).status).toBe(
      200,
    );
  });

  test.each([
    ['of a page of another site', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['without asking who is there', { userVerified: false }],
    ['of a copy that counts behind', { counter: 1 }],
  ])('an answer %s lets nobody in', async (_, change) => {
    const { device } = await withPasskey();
    expect(await enter(device.get({ ...party, challenge: await newChallenge(), ...change }))).toMatchObject(
      failed,
    );
  });

  test('the signature of another key, or of no key, lets nobody in', async () => {
    const { device } = await withPasskey();
    const stranger = createAuthenticator().get({ ...party, challenge: await newChallenge(), counter: 9 });
    expect(await enter(stranger)).toMatchObject(failed);
    expect(await enter({ ...stranger, id: device.id, rawId: device.id })).toMatchObject(failed);
    expect(await call('POST', 'verify-authentication', undefined, { response: { id: 'x' } })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
  });

  test('nobody adds a key to the account of another, or sees, names or removes theirs', async () => {
    const ada = await withPasskey();
    const eve = await signedIn();
    const response = createAuthenticator().create({ ...party, challenge: await challengeFor(ada.cookie) });
    expect(await call('POST', 'verify-registration', eve.cookie, { response })).toMatchObject({
      status: 400,
    });
    expect((await call('GET', 'list-user-passkeys', eve.cookie)).body).toEqual([]);
    const { id } = ada.passkey;
    const gone = { status: 404, body: { code: 'PASSKEY_NOT_FOUND' } };
    expect(await call('POST', 'update-passkey', eve.cookie, { id, name: 'mine' })).toMatchObject(gone);
    expect(await call('POST', 'delete-passkey', eve.cookie, { id })).toMatchObject(gone);
    for (const path of ['list-user-passkeys', 'generate-register-options'])
      expect((await call('GET', path)).status).toBe(401);
    expect(
      (await steno.call('GET', '/api/auth/passkey/list-user-passkeys', { key: (await steno.person()).key }))
        .status,
    ).toBe(403);
  });

  test('pages of other sites can neither sign in nor change keys', async () => {
    const { cookie, device, passkey } = await withPasskey();
    const headers = { origin: 'https://evil.example', cookie };
    const response = device.get({ ...party, challenge: await newChallenge() });
    const post = (path: string, body: object) =>
      steno.call('POST', `/api/auth/passkey/${path}`, { headers, body });
    expect((await post('verify-authentication', { response })).status).toBe(403);
    expect((await post('delete-passkey', { id: passkey.id })).status).toBe(403);
  });

  test('a key gets another name, and a removed key signs nobody in', async () => {
    const { cookie, device, passkey } = await withPasskey();
    const { id } = passkey;
    const renamed = await call('POST', 'update-passkey', cookie, { id, name: '  My laptop ' });
    expect(renamed.body).toEqual({ passkey: { ...passkey, name: 'My laptop' } });
    expect((await call('POST', 'delete-passkey', cookie, { id })).body).toEqual({ status: true });
    expect(await enter(device.get({ ...party, challenge: await newChallenge() }))).toMatchObject(failed);
  });

  test('the person hears of a new key by e-mail, and a suspended person stays out', async () => {
    const email = 'passkey@example.org';
    const user = await steno.users.add({ name: 'Ada', email, plan: 'pro' });
    const { cookie } = await steno.signIn(user);
    const device = createAuthenticator();
    const response = device.create({ ...party, challenge: await challengeFor(cookie) });
    await call('POST', 'verify-registration', cookie, { response });
    await steno.outbox.idle();
    expect(mailbox.mails.some((mail) => JSON.stringify(mail).includes('passkey'))).toBe(true);
    const suspended_at = new Date(now).toISOString();
    await steno.database.db.updateTable('users').set({ suspended_at }).where('id', '=', user.id).execute();
    // Told only to whoever has the key.
    const stranger = createAuthenticator().get({ ...party, challenge: await newChallenge() });
    expect(await enter({ ...stranger, id: device.id, rawId: device.id })).toMatchObject(failed);
    const answer = device.get({ ...party, challenge: await newChallenge() });
    const suspended = { status: 403, body: { code: 'ACCOUNT_SUSPENDED' } };
    expect(await enter(answer)).toMatchObject(suspended);
    expect(await enter(device.get({ ...party, challenge: await newChallenge() }))).toMatchObject(suspended);
    await steno.users.remove(user.id);
  });

  test('somebody has at most 20 keys', async () => {
    const { cookie } = await signedIn();
    const add = async () => {
      const response = createAuthenticator().create({ ...party, challenge: await challengeFor(cookie) });
      return call('POST', 'verify-registration', cookie, { response });
    };
    for (let count = 0; count < 20; count += 1) expect((await add()).status).toBe(200);
    expect(await add()).toMatchObject({ status: 400, body: { code: 'TOO_MANY_PASSKEYS' } });
  });
});

test('whoever sends wrong answers again and again waits', async () => {
  const steno = await startSteno({ clock: stoppedClock(Date.now()), config: { authFailuresPerMinute: 3 } });
  const response = createAuthenticator().get({ ...party, challenge: 'x' });
  const send = () =>
    steno.call('POST', '/api/auth/passkey/verify-authentication', {
      headers: { origin },
      body: { response },
    });
  const statuses = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await send()).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
  await steno.close();
});
