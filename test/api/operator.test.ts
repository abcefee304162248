import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Check } from '../../src/domain/status.ts';
import { createFigures } from '../../src/platform/database/figures.ts';
import { openMailbox } from '../support/mailbox.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { recording } from '../support/speech.ts';
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

  const call = (method: string, path: string, body?: object, key = runner) =>
    steno.call(method, path, { key, ...(body && { body }) });

  test('accounts with plan, last use, storage, sessions and keys', async () => {
    const { user, key } = await steno.person({ name: 'Percy_100%', plan: 'pro' });
    await steno.signIn(user);
    await steno.call('GET', '/me', { key });
    await steno.authentication.saveLastUsed();
    const [found, ...others] = (await call('GET', '/api/operator/people?query=Y_100%25')).body.data;
    expect(others).toEqual([]);
    expect(found).toEqual({
      id: user.id,
      email: null,
      name: 'Percy_100%',
      plan: 'pro',
      created_at: user.created_at,
      operator: false,
      suspended_at: null,
      last_used_at: expect.any(String),
      storage_bytes: 0,
      sessions: 1,
      keys: 1,
    });
    const fresh = await steno.person({ name: 'Signs_out' });
    const lastUse = async () =>
      (await call('GET', '/api/operator/people?query=signs_out')).body.data[0].last_used_at;
    expect(await lastUse()).toBeNull();
    const { token } = await steno.signIn(fresh.user);
    const signedIn = await lastUse();
    await steno.call('POST', '/api/auth/sign-out', { key: token, body: {} });
    expect(signedIn <= (await lastUse())).toBe(true);
    const first = await call('GET', '/api/operator/people?limit=1');
    expect(first.body.has_more).toBe(true);
    const next = await call('GET', `/api/operator/people?limit=1&cursor=${first.body.next_cursor}`);
    expect(next.body.data[0].id).not.toBe(first.body.data[0].id);
  });

  test('a file that no server can read is no fault of this one', async () => {
    const { key } = await steno.person();
    const { id } = await settled(
      steno,
      key,
      (await uploadTo(steno, key, recording({ ms: 500 }))).body.data.id,
    );
    const failed = async (error_code: 'validation_error' | 'internal_error') => {
      const updated_at = '2999-01-01T00:00:00.000Z';
      const fields = { state: 'failed' as const, error_code, updated_at };
      await steno.database.db.updateTable('recordings').set(fields).where('id', '=', id).execute();
      return createFigures(steno.database).failedSince('recordings', '2998-01-01T00:00:00.000Z');
    };
    expect([await failed('validation_error'), await failed('internal_error')]).toEqual([0, 1]);
  });

  test.each([
    ['ärzte', 'Ärzte GmbH'],
    ['ÄRZTE', 'ärzte gmbh'],
    ['änne', 'Änne'],
    ['ÖMER', 'ömer Ç.'],
    ['strasse', 'Große STRASSE 1'],
    ['σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['a\u0308rzte', 'Ärztin und Ärzte'],
  ])('the search for %s finds %s', async (query, name) => {
    const { user } = await steno.person({ name });
    const { body } = await call('GET', `/api/operator/people?query=${encodeURIComponent(query)}`);
    expect(body.data.map(({ id }: { id: string }) => id)).toContain(user.id);
    for (const one of body.data) expect(one.name).not.toBe('Root');
  });

  test('a search has pages, however many accounts lie between two that it finds', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.unshift((await steno.person({ name: `Überall ${count}` })).user.id);
      await steno.person({ name: 'between' });
    }
    const found: string[] = [];
    let cursor = '';
    do {
      const { body } = await call('GET', `/api/operator/people?query=%C3%BCBERALL&limit=1${cursor}`);
      found.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.has_more ? `&cursor=${body.next_cursor}` : '';
    } while (cursor !== '');
    expect(found).toEqual(ids);
  });

  test('a suspended account stops at once, keeps everything, and works again', async () => {
    const { user, key } = await steno.person({ name: 'Sue' });
    const { token } = await steno.signIn(user);
    const team = await steno.team({ name: 'Team of Sue' });
    const { path: link } = await steno.sessions.createSignInLink(user.id);
    const statuses = async () => [
      (await steno.call('GET', '/me', { key })).status,
      (await steno.call('GET', '/me', { key: token })).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    const suspended = await call('PATCH', `/api/operator/people/${user.id}`, { suspended: true });
    expect(suspended.body.data.suspended_at).toEqual(expect.any(String));
    expect(await statuses()).toEqual([401, 401]);
    const methods = async () => (await steno.call('GET', '/api/auth/sign-in-methods', { key: token })).body;
    expect(await methods()).toMatchObject({ suspended: true });
    expect((await steno.followLink(link)).status).toBe(401);
    const refused = await call('POST', `/api/operator/people/${user.id}/sign-in-link`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    // A key of a workspace stops too if this person made it.
    await call('PATCH', `/api/operator/people/${team.user.id}`, { suspended: true });
    expect((await steno.call('GET', '/me', { key: team.key })).status).toBe(401);
    await call('PATCH', `/api/operator/people/${user.id}`, { suspended: false });
    expect(await statuses()).toEqual([200, 200]);
    expect(await methods()).not.toHaveProperty('suspended');
    const acts = (await call('GET', '/api/audit?limit=100')).body.data.filter(
      ({ subject_id }: { subject_id: string }) => subject_id === user.id,
    );
    expect(acts.map(({ act }: { act: string }) => act)).toEqual(
      expect.arrayContaining(['account.suspended', 'account.resumed']),
    );
  });

  test('nobody suspends or removes their own account', async () => {
    const { user_id: own } = (await call('GET', '/me')).body.data;
    for (const answer of [
      await call('PATCH', `/api/operator/people/${own}`, { suspended: true }),
      await call('DELETE', `/api/operator/people/${own}`),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict']);
  });

  test('an account is made and told, signed out and removed; without mail the operator passes the link on', async () => {
    const made = await call('POST', '/api/operator/people', { name: 'Mary', email: 'Mary@example.org' });
    expect(made.status).toBe(201);
    const { id, link, email } = made.body.data;
    expect(email).toBe('mary@example.org');
    const { pathname, search } = new URL(link);
    const signedIn = await steno.followLink(pathname + search);
    expect(signedIn.status).toBe(303);
    const token = String(signedIn.headers['set-auth-token']);
    expect((await call('POST', '/api/operator/people', { name: 'Mary', email })).status).toBe(409);
    expect((await call('POST', '/api/operator/people', { name: 'Mary', email: 'x' })).status).toBe(400);
    expect((await call('DELETE', `/api/operator/people/${id}/sessions`)).status).toBe(204);
    expect((await steno.call('GET', '/me', { key: token })).status).toBe(401);
    expect((await call('DELETE', `/api/operator/people/${id}`)).status).toBe(204);
    expect((await call('GET', `/api/operator/people/${id}`)).status).toBe(404);
  });

  test('workspaces with their people, and their plan', async () => {
    const { workspace } = await steno.team({ name: 'Orange', plan: 'free' });
    const [newest] = (await call('GET', '/api/operator/workspaces?limit=1')).body.data;
    expect(newest).toEqual({ ...workspacePart(workspace), members: 1, spaces: 1, keys: 1 });
    const changed = await call('PATCH', `/api/operator/workspaces/${workspace.id}`, { plan: 'pro' });
    expect(changed.body.data.plan).toBe('pro');
    expect((await call('PATCH', '/api/operator/workspaces/none', { plan: 'pro' })).status).toBe(404);
  });

  test('a page of another site cannot act with the cookie of an operator', async () => {
    const { user } = await steno.person({ name: 'Second' });
    await steno.users.setOperator(user.id, true);
    const { cookie } = await steno.signIn(user);
    const { user: victim } = await steno.person({ name: 'Victim' });
    const path = `/api/operator/people/${victim.id}`;
    const send = (origin: string | undefined) =>
      steno.call('PATCH', path, { body: { suspended: true }, headers: { cookie, origin } });
    expect((await send('https://evil.example')).status).toBe(403);
    expect((await send(undefined)).status).toBe(403);
    expect((await send('http://localhost')).status).toBe(200);
  });
});

const workspacePart = ({ id, name, plan, created_at }: Record<string, unknown>) => ({
  id,
  name,
  plan,
  created_at,
});

describe('with mail', () => {
  test('an operator sees no link that signs in as somebody else', async () => {
    const mailbox = await openMailbox();
    const steno = await startSteno({
      config: { smtpUrl: mailbox.url, publicUrl: 'https://notes.example.org' },
    });
    try {
      const { user } = await steno.person({ name: 'Root' });
      await steno.users.setOperator(user.id, true);
      const { token: key } = await steno.signIn(user);
      const body = { name: 'Mary', email: 'mary@example.org' };
      const made = await steno.call('POST', '/api/operator/people', { key, body });
      expect(made.body.data.link).toBeNull();
      const path = `/api/operator/people/${made.body.data.id}/sign-in-link`;
      const linked = await steno.call('POST', path, { key });
      expect(linked.body.data.link).toBeNull();
      await steno.outbox.idle();
      const { body: setup } = await steno.call('GET', '/api/operator/setup', { key });
      expect(setup.data.items.slice(0, 2)).toMatchObject([
        { item: 'public_address', value: 'https://notes.example.org' },
        { item: 'mail', value: expect.stringMatching(/^127\.0\.0\.1:\d+, from /) },
      ]);
      const test = () => steno.call('POST', '/api/operator/mail-test', { key });
      expect((await test()).body.error.message).toContain('no e-mail address');
      await steno.users.setEmail(user.id, 'root@example.org');
      expect((await test()).body.data).toEqual({ to: 'root@example.org' });
      expect(mailbox.mails.at(-1)?.to).toEqual(['root@example.org']);
      const texts = mailbox.mails.map(({ text }) => text).join('\n');
      expect(texts).toContain('An account was made for you.');
      expect(texts).toContain('It signs you in, once');
    } finally {
      await steno.close();
      await mailbox.close();
    }
  });
});
