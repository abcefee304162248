import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workspaceKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('workspaces on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, config: { defaultPlan: 'pro' } });
  });
  afterAll(() => steno.close());

  let people = 0;
  async function newcomer() {
    people += 1;
    const user = await steno.users.add({
      name: `Person ${people}`,
      email: `person${people}@example.org`,
      plan: 'business',
    });
    return { user, token: (await steno.signIn(user)).token, email: user.email ?? '' };
  }

  /** By the operator, who need not ask; how people agree is in invitations.test.ts. */
  const join = (workspaceId: string, { user }: { user: { id: string } }) =>
    steno.members.add(operator, workspaceId, { user_id: user.id, role: 'member' });

  /** A workspace with an admin, a member and someone who has nothing to do with it. */
  async function team() {
    const [admin, member, stranger] = [await newcomer(), await newcomer(), await newcomer()];
    const created = await steno.call('POST', '/api/workspaces', { key: admin.token, body: { name: 'Team' } });
    const { id } = created.body.data;
    const path = `/api/workspaces/${id}`;
    await join(id, member);
    return { id, path, admin, member, stranger };
  }

  test('whoever makes a workspace is its admin and finds it in their list', async () => {
    const { token } = await newcomer();
    const created = await steno.call('POST', '/api/workspaces', { key: token, body: { name: ' Ärzte ' } });
    expect(created.status).toBe(201);
    expect(created.body.data).toMatchObject({ name: 'Ärzte', plan: 'pro', role: 'admin' });
    const listed = await steno.call('GET', '/api/workspaces', { key: token });
    expect(listed.body.data).toEqual([created.body.data]);
    const stranger = await newcomer();
    expect((await steno.call('GET', '/api/workspaces', { key: stranger.token })).body.data).toEqual([]);
  });

  test.each([{}, { name: '' }, { name: 'x'.repeat(101) }, { name: 'a\u0000' }, { name: 7 }])(
    '%j makes no workspace',
    async (body) => {
      const { token } = await newcomer();
      const answer = await steno.call('POST', '/api/workspaces', { key: token, body });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
      expect((await steno.call('GET', '/api/workspaces', { key: token })).body.data).toEqual([]);
    },
  );

  test('members see the workspace, its members and its spaces', async () => {
    const { path, admin, member } = await team();
    const workspaces = await steno.call('GET', '/api/workspaces', { key: member.token });
    expect(workspaces.body.data).toMatchObject([{ name: 'Team', role: 'member' }]);
    const members = await steno.call('GET', `${path}/members`, { key: member.token });
    expect(members.body.data).toMatchObject([
      { user_id: admin.user.id, email: admin.email, role: 'admin' },
      { user_id: member.user.id, email: member.email, name: member.user.name, role: 'member' },
    ]);
    expect((await steno.call('GET', `${path}/spaces`, { key: member.token })).body.data).toEqual([]);
  });

  test('what only admins may do is 403 for members, 404 for strangers and for no workspace at all', async () => {
    const { path, admin, member, stranger } = await team();
    const space = await steno.call('POST', `${path}/spaces`, { key: admin.token, body: { name: 'General' } });
    const forAdmins = [
      ['GET', '/invitations', undefined],
      ['POST', '/invitations', { email: stranger.email }],
      ['POST', '/invitations/00000000-0000-7000-8000-000000000000/resend', undefined],
      ['DELETE', '/invitations/00000000-0000-7000-8000-000000000000', undefined],
      ['PATCH', `/members/${member.user.id}`, { role: 'admin' }],
      ['DELETE', `/members/${admin.user.id}`, undefined],
      ['POST', '/spaces', { name: 'Mine' }],
      ['PATCH', `/spaces/${space.body.data.id}`, { name: 'Mine' }],
      ['POST', `/spaces/${space.body.data.id}/archive`, undefined],
      ['GET', '/api-keys', undefined],
      ['POST', '/api-keys', { name: 'Mine', scopes: ['workspace:*'] }],
      ['DELETE', '/api-keys/00000000-0000-7000-8000-000000000000', undefined],
    ] as const;
    const nowhere = '/api/workspaces/00000000-0000-7000-8000-000000000000';
    for (const [method, route, body] of forAdmins) {
      const as = (key: string, base = path) => steno.call(method, `${base}${route}`, { key, body });
      const byMember = await as(member.token);
      expect([route, byMember.status, byMember.body.error.code]).toEqual([route, 403, 'forbidden']);
      expect([route, (await as(stranger.token)).status]).toEqual([route, 404]);
      expect([route, (await as(admin.token, nowhere)).status]).toEqual([route, 404]);
      expect([route, (await as(admin.token, '/api/workspaces/no-uuid')).status]).toEqual([route, 404]);
    }
    for (const route of ['/members', '/spaces'])
      expect((await steno.call('GET', path + route, { key: stranger.token })).status).toBe(404);
    const members = await steno.call('GET', `${path}/members`, { key: admin.token });
    expect(members.body.data).toHaveLength(2);
    const spaces = await steno.call('GET', `${path}/spaces`, { key: admin.token });
    expect(spaces.body.data).toEqual([space.body.data]);
  });

  test('no key opens these routes, not even the own workspace key', async () => {
    const { key } = await steno.person();
    const other = await steno.team();
    for (const credential of [key, other.key]) {
      const answer = await steno.call('GET', `/api/workspaces/${other.workspace.id}/members`, {
        key: credential,
      });
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden']);
    }
    expect((await steno.call('GET', '/api/workspaces')).status).toBe(401);
  });

  test('nobody is made a member over HTTP without being asked', async () => {
    const { path, admin, stranger } = await team();
    const body = { email: stranger.email, role: 'member', managed: true };
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const answer = await steno.call(method, `${path}/members`, { key: admin.token, body });
      expect([answer.status, answer.body.error.code]).toEqual([405, 'method_not_allowed']);
    }
    for (const method of ['PUT', 'PATCH']) {
      const answer = await steno.call(method, `${path}/members/${stranger.user.id}`, {
        key: admin.token,
        body,
      });
      expect([404, 405]).toContain(answer.status);
    }
    expect((await steno.call('GET', '/api/workspaces', { key: stranger.token })).body.data).toEqual([]);
  });

  test('the workspaces of a person say what each of them manages', async () => {
    const { id, path, admin, member } = await team();
    const blocks = (block_cloud_backup: boolean) => ({
      block_cloud_transcription: false,
      block_cloud_backup,
    });
    const seen = async () => (await steno.call('GET', '/api/workspaces', { key: member.token })).body.data;
    expect(await seen()).toMatchObject([{ id, managed: false, policy: blocks(false) }]);
    await steno.members.update(operator, id, member.user.id, { managed: true });
    await steno.call('PATCH', `${path}/policy`, { key: admin.token, body: { block_cloud_backup: true } });
    expect(await seen()).toMatchObject([{ id, managed: true, policy: blocks(true) }]);
  });

  test('who is removed leaves their workspace keys or takes them along, as the admin says', async () => {
    const { id, path, admin, member } = await team();
    const second = await newcomer();
    await join(id, second);
    for (const { user } of [member, second])
      await steno.members.update(operator, id, user.id, { role: 'admin' });
    const issue = async (key: string, expires_in_days?: number) => {
      const body = { name: 'Bot', scopes: ['workspace:*'], expires_in_days };
      return (await steno.call('POST', `${path}/api-keys`, { key, body })).body.data;
    };
    const kept = await issue(second.token);
    const [one, two, old] = [await issue(member.token), await issue(member.token), await issue(member.token)];
    await steno.call('DELETE', `${path}/api-keys/${old.id}`, { key: admin.token });
    const other = await steno.team();
    const elsewhere = await steno.keys.issue(operator, workspaceKeysOf(other.workspace.id), {
      name: 'Bot',
      user_id: member.user.id,
    });

    const counts = await steno.call('GET', `${path}/members`, { key: admin.token });
    expect(counts.body.data.map((person: { workspace_keys: number }) => person.workspace_keys)).toEqual([
      0, 2, 1,
    ]);
    const remove = (userId: string, query: string, key = admin.token) =>
      steno.call('DELETE', `${path}/members/${userId}${query}`, { key });
    expect((await remove(second.user.id, '?revoke_keys=perhaps')).status).toBe(400);
    expect((await remove(second.user.id, '')).status).toBe(204);
    expect((await remove(member.user.id, '?revoke_keys=true')).status).toBe(204);
    const works = async (key: string) => (await steno.call('GET', '/me', { key })).status;
    expect(await works(kept.key)).toBe(200);
    expect([await works(one.key), await works(two.key)]).toEqual([401, 401]);
    expect(await works(elsewhere.key)).toBe(200);
  });

  test('who leaves without being an admin revokes no key of the workspace', async () => {
    const { id, path, admin, member } = await team();
    await steno.members.update(operator, id, member.user.id, { role: 'admin' });
    const body = { name: 'Bot', scopes: ['workspace:*'] };
    const { key } = (await steno.call('POST', `${path}/api-keys`, { key: member.token, body })).body.data;
    await steno.members.update(operator, id, member.user.id, { role: 'member' });
    const leave = (query: string) =>
      steno.call('DELETE', `${path}/members/${member.user.id}${query}`, { key: member.token });
    expect((await leave('?revoke_keys=true')).status).toBe(403);
    expect((await leave('')).status).toBe(204);
    expect((await steno.call('GET', '/me', { key })).status).toBe(200);
    expect((await steno.call('GET', `${path}/members`, { key: admin.token })).body.data).toHaveLength(1);
  });

  test('roles change and members leave; they lose access at once', async () => {
    const { path, admin, member } = await team();
    const change = (role: string) =>
      steno.call('PATCH', `${path}/members/${member.user.id}`, { key: admin.token, body: { role } });
    expect((await change('admin')).body.data.role).toBe('admin');
    expect((await steno.call('GET', `${path}/api-keys`, { key: member.token })).status).toBe(200);
    expect((await change('member')).body.data.role).toBe('member');
    expect((await steno.call('GET', `${path}/api-keys`, { key: member.token })).status).toBe(403);
    const remove = () => steno.call('DELETE', `${path}/members/${member.user.id}`, { key: admin.token });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect((await steno.call('GET', `${path}/members`, { key: member.token })).status).toBe(404);
  });

  test('a member leaves on their own and takes nobody along', async () => {
    const { id, path, admin, member, stranger } = await team();
    await join(id, stranger);
    const remove = (userId: string, key: string) =>
      steno.call('DELETE', `${path}/members/${userId}`, { key });
    expect((await remove(stranger.user.id, member.token)).status).toBe(403);
    expect((await remove(member.user.id, member.token)).status).toBe(204);
    expect((await remove(member.user.id, member.token)).status).toBe(404);
    expect((await steno.call('GET', '/api/workspaces', { key: member.token })).body.data).toEqual([]);
    const left = await steno.call('GET', `${path}/members`, { key: admin.token });
    expect(left.body.data).toMatchObject([{ user_id: admin.user.id }, { user_id: stranger.user.id }]);
  });

  test('an admin leaves while another stays', async () => {
    const { path, admin, member } = await team();
    const leave = () => steno.call('DELETE', `${path}/members/${admin.user.id}`, { key: admin.token });
    expect((await leave()).status).toBe(409);
    const body = { role: 'admin' };
    await steno.call('PATCH', `${path}/members/${member.user.id}`, { key: admin.token, body });
    expect((await leave()).status).toBe(204);
    expect((await steno.call('GET', `${path}/members`, { key: admin.token })).status).toBe(404);
  });

  test('the last admin cannot leave or step down, not even two of them at once', async () => {
    const { id, path, admin, member } = await team();
    const leave = (userId: string) => steno.call('DELETE', `${path}/members/${userId}`, { key: admin.token });
    expect((await leave(admin.user.id)).body.error.code).toBe('conflict');
    const stepDown = await steno.call('PATCH', `${path}/members/${admin.user.id}`, {
      key: admin.token,
      body: { role: 'member' },
    });
    expect(stepDown.status).toBe(409);
    await steno.call('PATCH', `${path}/members/${member.user.id}`, {
      key: admin.token,
      body: { role: 'admin' },
    });
    const answers = await Promise.all([
      steno.call('DELETE', `${path}/members/${admin.user.id}`, { key: admin.token }),
      steno.call('DELETE', `${path}/members/${member.user.id}`, { key: member.token }),
    ]);
    const left = await steno.members.list(operator, id);
    expect(left.filter(({ role }) => role === 'admin')).toHaveLength(1);
    expect(answers.map(({ status }) => status).sort()[0]).toBe(204);
  });

  test('spaces are made, renamed, described and archived', async () => {
    const { path, admin } = await team();
    const key = admin.token;
    const created = await steno.call('POST', `${path}/spaces`, {
      key,
      body: { name: 'General', emoji: '🌱' },
    });
    expect(created.status).toBe(201);
    expect(created.body.data).toMatchObject({
      name: 'General',
      slug: 'general',
      emoji: '🌱',
      description: null,
    });
    const second = await steno.call('POST', `${path}/spaces`, { key, body: { name: 'General' } });
    expect(second.body.data.slug).toBe('general-2');

    const spacePath = `${path}/spaces/${created.body.data.id}`;
    const renamed = await steno.call('PATCH', spacePath, {
      key,
      body: { name: 'All', description: 'Everyone' },
    });
    expect(renamed.body.data).toMatchObject({
      name: 'All',
      slug: 'general',
      emoji: '🌱',
      description: 'Everyone',
    });
    expect((await steno.call('PATCH', spacePath, { key, body: { emoji: null } })).body.data.emoji).toBeNull();
    for (const body of [
      { name: '' },
      { name: 'x'.repeat(101) },
      { emoji: 'x'.repeat(33) },
      { description: 7 },
    ])
      expect((await steno.call('PATCH', spacePath, { key, body })).status).toBe(400);

    expect((await steno.call('POST', `${spacePath}/archive`, { key })).status).toBe(204);
    expect((await steno.call('POST', `${spacePath}/archive`, { key })).status).toBe(404);
    expect((await steno.call('PATCH', spacePath, { key, body: { name: 'Back' } })).status).toBe(404);
    expect((await steno.call('GET', `${path}/spaces`, { key })).body.data).toEqual([second.body.data]);
  });

  test("an admin reaches no other workspace's spaces and keys through their own", async () => {
    const { path, admin } = await team();
    const other = await steno.team();
    const calls = [
      await steno.call('PATCH', `${path}/spaces/${other.space.id}`, {
        key: admin.token,
        body: { name: 'x' },
      }),
      await steno.call('POST', `${path}/spaces/${other.space.id}/archive`, { key: admin.token }),
      await steno.call('DELETE', `${path}/api-keys/${other.keyId}`, { key: admin.token }),
    ];
    expect(calls.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await steno.call('GET', '/spaces/list', { key: other.key })).body.data).toHaveLength(1);
  });

  test('a workspace key is born here, works in its spaces, and dies here', async () => {
    const { path, admin } = await team();
    const key = admin.token;
    const space = await steno.call('POST', `${path}/spaces`, { key, body: { name: 'General' } });
    const created = await steno.call('POST', `${path}/api-keys`, {
      key,
      body: { name: 'Bot', scopes: ['workspace:*'], expires_in_days: 30, description: 'Posts the minutes' },
    });
    expect(created.status).toBe(201);
    const { key: secret, ...shown } = created.body.data;
    expect(secret).toMatch(/^ow_wks_live_[\w-]{43}$/);
    expect(shown).toMatchObject({
      name: 'Bot',
      scopes: ['workspace:*'],
      description: 'Posts the minutes',
      user_id: admin.user.id,
      key_prefix: secret.slice(0, 16),
    });
    const note = await steno.call('POST', '/notes/create', {
      key: secret,
      body: { content: 'minutes', space_id: space.body.data.id },
    });
    expect(note.status).toBe(201);
    const listed = await steno.call('GET', `${path}/api-keys`, { key });
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([shown.id]);
    expect(listed.text).not.toContain(secret);

    const revoke = () => steno.call('DELETE', `${path}/api-keys/${shown.id}`, { key });
    expect((await revoke()).status).toBe(204);
    expect((await steno.call('GET', '/me', { key: secret })).status).toBe(401);
    expect((await revoke()).status).toBe(204);
    expect((await steno.call('GET', `${path}/api-keys`, { key })).body.data).toEqual([]);
  });

  test.each([
    { name: 'a' },
    { name: 'a', scopes: [] },
    { name: 'a', scopes: ['notes:read'] },
    { name: '', scopes: ['workspace:*'] },
    { name: 'x'.repeat(101), scopes: ['workspace:*'] },
    { name: 'a', scopes: ['workspace:*'], expires_in_days: 0 },
    { name: 'a', scopes: ['workspace:*'], description: 'x'.repeat(501) },
  ])('%j makes no workspace key', async (body) => {
    const { path, admin } = await team();
    const answer = await steno.call('POST', `${path}/api-keys`, { key: admin.token, body });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect((await steno.call('GET', `${path}/api-keys`, { key: admin.token })).body.data).toEqual([]);
  });
});
