import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../src/domain/audit.ts';
import { forgetOldAudit } from '../../src/features/housekeeping.ts';
import { runBeside } from '../support/cli.ts';
import { stoppedClock } from '../support/clock.ts';
import { openMailbox } from '../support/mailbox.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

/** Later than now, which is the time at the command line. */
const start = Date.parse('2036-05-01T12:34:00.000Z');
const secrets = ['owk_live_', 'ow_wks_live_', 'very private words', 'private title'];

describe.each(anyDatabase)('the audit log on %s', (databaseKind) => {
  const clock = stoppedClock(start);
  let steno: TestSteno;
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  let runner: string;
  beforeAll(async () => {
    mailbox = await openMailbox();
    steno = await startSteno({
      databaseKind,
      clock,
      config: { smtpUrl: mailbox.url, webhookNetworks: ['203.0.113.0/24'] },
    });
    const { user } = await steno.person({ name: 'Root' });
    await steno.users.setOperator(user.id, true);
    runner = (await steno.signIn(user)).token;
  });
  afterAll(async () => {
    await steno.close();
    await mailbox.close();
  });

  const call = (method: string, path: string, key: string, body?: object, headers = {}) =>
    steno.call(method, path, { key, headers, ...(body && { body }) });
  const events = async (query = ''): Promise<AuditEvent[]> => {
    const answer = await call('GET', `/api/audit?limit=100&${query}`, runner);
    expect(answer.status).toBe(200);
    for (const secret of secrets) expect(answer.text).not.toContain(secret);
    return answer.body.data;
  };
  const actsOf = async (userId: string) =>
    (await events(`actor_id=${userId}`)).map(({ act }) => act).reverse();

  test('who signs in with a code or a link is in it, with the address and the request', async () => {
    const email = 'ada@example.org';
    const user = await steno.users.add({ name: 'Ada', email });
    await steno.call('POST', '/api/auth/email-otp/send-verification-otp', {
      body: { email, type: 'sign-in' },
    });
    await steno.outbox.idle();
    const body = { email, otp: mailbox.codeFor(email) };
    const headers = { 'x-request-id': 'the-request' };
    expect((await steno.call('POST', '/api/auth/sign-in/email-otp', { body, headers })).status).toBe(200);
    await steno.signIn(user);
    const [link, code] = await events(`actor_id=${user.id}`);
    expect(code).toEqual({
      id: expect.any(String),
      created_at: new Date(start).toISOString(),
      act: 'sign_in',
      actor_id: user.id,
      actor_name: email,
      via: null,
      key_id: null,
      workspace_id: null,
      subject_id: null,
      subject_name: null,
      detail: 'code',
      address: '127.0.0.1',
      request_id: 'the-request',
      times: 1,
    });
    expect(link).toMatchObject({ act: 'sign_in', detail: 'link' });
  });

  test('keys, exports, imports and deletions of a person', async () => {
    const { user } = await steno.person({ name: 'Bea' });
    const { token } = await steno.signIn(user);
    const made = (
      await call('POST', '/keys/create', token, { name: 'Laptop', scopes: ['notes:read', 'notes:write'] })
    ).body.data;
    await call('POST', `/keys/${made.id}/rotate`, token, { grace_hours: 1 });
    const { id } = (
      await call('POST', '/notes/create', made.key, { title: 'private title', content: 'very private words' })
    ).body.data;
    const other = (await call('POST', '/notes/create', made.key, { content: 'very private words' })).body
      .data;
    const zip = await call('GET', '/export', made.key);
    expect(zip.status).toBe(200);
    await call('DELETE', `/notes/${id}`, token);
    await call('DELETE', `/notes/trash/${id}`, token);
    await call('DELETE', `/notes/${other.id}`, token);
    await call('DELETE', '/notes/trash', token);
    await call('POST', `/keys/${made.id}/revoke`, token);
    await call('POST', `/keys/${made.id}/revoke`, token);
    expect(await actsOf(user.id)).toEqual([
      'sign_in',
      'key.created',
      'key.rotated',
      'export.made',
      'note.purged',
      'note.purged',
      'key.revoked',
    ]);
    const [exported] = await events(`actor_id=${user.id}&act=export.made`);
    expect(exported).toMatchObject({ via: 'personal key', key_id: made.id, subject_id: user.id });
    const [emptied] = await events(`actor_id=${user.id}&act=note.purged`);
    expect(emptied).toMatchObject({ via: 'session', detail: '1 notes of the trash' });
  });

  test("a member's export of a team's space is in the log of the workspace", async () => {
    const { user, workspace, space } = await steno.team({ name: 'Exported' });
    const { token } = await steno.signIn(user);
    expect((await call('GET', `/export?space_id=${space.id}`, token)).status).toBe(200);
    const { body } = await call('GET', `/api/workspaces/${workspace.id}/audit?act=export.made`, token);
    expect(body.data).toMatchObject([
      { actor_id: user.id, via: 'session', workspace_id: workspace.id, subject_id: space.id },
    ]);
  });

  test('webhooks of a person and of a space, without what their address may keep secret', async () => {
    const { user, workspace, space } = await steno.team({ name: 'Hooks' });
    const { token } = await steno.signIn(user);
    const url = 'https://203.0.113.9:8443/secret-of-the-receiver?token=secret';
    const draft = { url, events: ['note.created', 'note.deleted'] };
    const own = (await call('POST', '/webhooks', token, draft)).body.data;
    const { id } = (await call('POST', '/webhooks', token, { ...draft, space_id: space.id })).body.data;
    const next = { url: 'https://203.0.113.9/other-secret', events: ['note.created'], status: 'paused' };
    await call('PATCH', `/webhooks/${id}`, token, next);
    await call('PATCH', `/webhooks/${id}`, token, {});
    await call('POST', `/webhooks/${id}/rotate`, token, { grace_hours: 0 });
    await call('DELETE', `/webhooks/${id}`, token);
    expect((await call('DELETE', `/webhooks/${id}`, token)).status).toBe(404);
    const told = (await events(`actor_id=${user.id}`))
      .filter(({ act }) => act.startsWith('webhook.'))
      .reverse();
    const of = (subject_id: string, workspace_id: string | null) => ({
      subject_id,
      workspace_id,
      via: 'session',
    });
    const port = 'https://203.0.113.9:8443';
    const plain = 'https://203.0.113.9';
    expect(told).toMatchObject([
      {
        act: 'webhook.created',
        ...of(own.id, null),
        subject_name: port,
        detail: 'note.created note.deleted',
      },
      { act: 'webhook.created', ...of(id, workspace.id), subject_name: port },
      {
        act: 'webhook.changed',
        ...of(id, workspace.id),
        subject_name: plain,
        detail: `url: ${plain}, events: note.created, status: paused`,
      },
      { act: 'webhook.rotated', ...of(id, workspace.id), subject_name: plain, detail: null },
      { act: 'webhook.removed', ...of(id, workspace.id), subject_name: plain, detail: null },
    ]);
    expect(JSON.stringify(told)).not.toContain('secret');
  });

  test('an admin sees what happened in their workspace and nothing else; a member sees nothing', async () => {
    const { user, workspace } = await steno.team({ name: 'Red' });
    const { token } = await steno.signIn(user);
    const guest = await steno.users.add({ name: 'Gus', email: 'gus@example.org' });
    const path = `/api/workspaces/${workspace.id}`;
    const invited = await call('POST', `${path}/invitations`, token, { email: 'gus@example.org' });
    const gus = (await steno.signIn(guest)).token;
    await call('POST', `/api/invitations/${invited.body.data.link.split('/').at(-1)}/accept`, gus);
    expect((await call('GET', `${path}/audit`, gus)).status).toBe(403);
    expect((await call('GET', `${path}/audit/csv`, gus)).status).toBe(403);
    expect((await call('GET', '/api/audit', gus)).status).toBe(403);
    expect((await call('GET', '/api/audit/csv', token)).status).toBe(403);
    await call('PATCH', `${path}/members/${guest.id}`, token, { role: 'admin' });
    await call('PATCH', `${path}/policy`, token, { block_language_models: true });
    await call('DELETE', `${path}/members/${guest.id}`, token);
    const answer = await call('GET', `${path}/audit?limit=3`, token);
    expect(answer.body.data.map(({ act }: AuditEvent) => act)).toEqual([
      'member.removed',
      'policy.changed',
      'member.changed',
    ]);
    expect(answer.body.data[1]).toMatchObject({ actor_id: user.id, detail: 'block_language_models: true' });
    const next = await call('GET', `${path}/audit?cursor=${answer.body.next_cursor}`, token);
    expect(next.body.data.map(({ act }: AuditEvent) => act)).toEqual([
      'member.added',
      'member.invited',
      'key.created',
      'workspace.created',
    ]);
    expect(next.body.data[0]).toMatchObject({ actor_id: guest.id, subject_name: 'gus@example.org' });
    const { user: stranger } = await steno.team({ name: 'Blue' });
    const blue = (await steno.signIn(stranger)).token;
    expect((await call('GET', `${path}/audit`, blue)).status).toBe(404);
  });

  test('an act that fails leaves nothing', async () => {
    const { user, workspace } = await steno.team({ name: 'Green' });
    const { token } = await steno.signIn(user);
    const before = await actsOf(user.id);
    await call('DELETE', `/api/workspaces/${workspace.id}/members/${user.id}`, token);
    await call('POST', '/keys/0198c0de-0000-7000-8000-000000000000/revoke', token);
    await call('PATCH', `/api/workspaces/${workspace.id}/policy`, token, { block_language_models: 'x' });
    expect(await actsOf(user.id)).toEqual(before);
  });

  test('what the operator does at the command line is in it, and stays when the account goes', async () => {
    const added = await steno.users.add({ name: 'Zoe', email: 'zoe@example.org' });
    await steno.users.setPlan(added.id, 'pro');
    await steno.users.setOperator(added.id, true);
    await steno.users.setOperator(added.id, true);
    await steno.users.remove(added.id);
    const found = (await events()).filter(({ subject_id }) => subject_id === added.id);
    expect(found.map(({ act, via }) => [act, via]).reverse()).toEqual([
      ['account.created', 'command line'],
      ['account.changed', 'command line'],
      ['operator.given', 'command line'],
      ['account.removed', 'command line'],
    ]);
    expect(found[0]).toMatchObject({ subject_name: 'zoe@example.org' });
  });

  test('every way to sign in counts whom it refuses', () => {
    const ways = steno.routes.flatMap(({ url, config }) => (config?.signsIn ? [url] : []));
    expect(ways.sort()).toEqual([
      '/api/auth/one-time-token/verify',
      '/api/auth/passkey/verify-authentication',
      '/api/auth/sign-in/email',
      '/api/auth/sign-in/email-otp',
      '/api/auth/sign-in/invitation',
      '/api/auth/sign-in/link',
      '/api/v1/auth/email-code/verify',
    ]);
  });

  test('refused sign-ins are counted by address and hour, however many there are', async () => {
    for (let guess = 0; guess < 30; guess += 1) {
      await steno.app.inject({
        url: '/api/v1/me',
        headers: { authorization: `Bearer owk_live_${'B'.repeat(43)}` },
        remoteAddress: guess % 2 === 0 ? '192.0.2.1' : `2001:db8::${guess}`,
      });
      await steno.app.inject({
        method: 'POST',
        url: '/api/auth/sign-in/email-otp',
        payload: { email: 'ada@example.org', otp: '000000' },
        remoteAddress: '192.0.2.3',
      });
    }
    // Other tests are refused from other addresses, or in another hour.
    const refused = await events('act=credential.refused&since=2036-05-01T12:00:00Z');
    expect(refused.map(({ address, times }) => [address, times]).sort()).toEqual([
      ['192.0.2.1', 15],
      ['2001:db8:0:0::/64', 15],
    ]);
    expect(refused[0]).toMatchObject({ created_at: '2036-05-01T12:00:00.000Z', actor_id: null });
    const wrongCodes = (await events('act=sign_in.refused')).filter(({ address }) => address === '192.0.2.3');
    expect(wrongCodes).toMatchObject([{ times: 30 }]);
  });

  test('from very many addresses, the rest are counted together', async () => {
    const hour = '2036-05-01T09:00:00.000Z';
    const refusals = Array.from({ length: 5 }, (_, at) => ({
      act: 'credential.refused' as const,
      address: `198.51.100.${at}`,
      hour,
      times: 2,
    }));
    await steno.store.audit.addRefusals(refusals, 3);
    await steno.store.audit.addRefusals(refusals, 3);
    const counted = await events(`act=credential.refused&until=2036-05-01T10:00:00Z`);
    expect(counted.map(({ address, times }) => [address, times]).sort()).toEqual([
      [null, 8],
      ['198.51.100.0', 4],
      ['198.51.100.1', 4],
      ['198.51.100.2', 4],
    ]);
  });

  test('as CSV no cell is a formula, and every page is in it', async () => {
    const { user } = await steno.person({ name: '=1+1' });
    await steno.call('POST', '/keys/create', {
      key: (await steno.signIn(user)).token,
      body: { name: '@sum "x"', scopes: ['notes:read'] },
    });
    const csv = await call('GET', `/api/audit/csv?actor_id=${user.id}`, runner);
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [head, created, signedIn] = csv.text.split('\r\n');
    expect(head).toMatch(/^"id","created_at","act",/);
    expect(created).toContain(`"'=1+1"`);
    expect(created).toContain(`"'@sum ""x"""`);
    expect(signedIn).toContain('"sign_in"');
    expect((await call('HEAD', '/api/audit/csv', runner)).text).toBe('');
    expect((await call('GET', '/api/audit/csv', runner)).text.split('\r\n').length - 2).toBe(
      Number(
        (
          await steno.database.db
            .selectFrom('audit_events')
            .select(({ fn }) => fn.countAll().as('n'))
            .executeTakeFirstOrThrow()
        ).n,
      ),
    );
  });

  test('a page of another list and a bad filter are refused', async () => {
    for (const query of ['cursor=nonsense', 'act=unknown', 'since=yesterday', 'limit=101'])
      expect((await call('GET', `/api/audit?${query}`, runner)).status).toBe(400);
  });

  test('a suspended account cannot sign in, and is told so', async () => {
    const { user } = await steno.person({ name: 'Sue' });
    const { path } = await steno.sessions.createSignInLink(user.id);
    await steno.database.write((db) =>
      db
        .updateTable('users')
        .set({ suspended_at: '2036-05-01T00:00:00.000Z' })
        .where('id', '=', user.id)
        .execute(),
    );
    const answer = await steno.followLink(path);
    expect([answer.status, answer.body?.code]).toEqual([403, 'ACCOUNT_SUSPENDED']);
    expect(await actsOf(user.id)).toEqual([]);
  });

  test('old events are forgotten', async () => {
    const later = stoppedClock(start);
    const aging = await startSteno({ databaseKind, clock: later });
    try {
      await aging.person();
      const old = () => aging.store.audit.list({ until: '2036-05-02T00:00:00.000Z' }, { limit: 10 });
      expect(await old()).not.toEqual([]);
      later.set(start + 366 * 86_400_000);
      await forgetOldAudit(aging.actor);
      expect(await old()).toEqual([]);
    } finally {
      await aging.close();
    }
  });
});

test('the command line shows the log', async () => {
  const steno = await startSteno();
  try {
    await steno.person({ name: 'Ada' });
    const [shown = ''] = await runBeside(steno, ['audit', '--act', 'key.created', '--json']);
    expect(JSON.parse(shown)).toMatchObject([{ act: 'key.created', via: 'command line' }]);
    await expect(runBeside(steno, ['audit', '--limit', '0'])).rejects.toThrow('--limit must be 1 to 1000.');
  } finally {
    await steno.close();
  }
});
