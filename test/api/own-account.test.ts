import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('who deletes their own account, on %s', (databaseKind) => {
  let now = Date.now();
  let people = 0;
  const speech = createFakeSpeech();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, speech });
  });
  afterAll(() => steno.close());

  async function signedIn() {
    now += 60_000;
    people += 1;
    const user = await steno.users.add({ name: 'Ada', email: `ada${people}@example.org`, plan: 'business' });
    const session = await steno.signIn(user);
    return { user, email: user.email ?? '', key: session.token, cookie: session.cookie };
  }
  const leave = (key: string, confirm: string) =>
    steno.call('DELETE', '/api/account', { key, body: { confirm } });
  const made = async (key: string, path: string, body: object) =>
    (await steno.call('POST', path, { key, body })).body.data;
  /** In how many rows of each table something is said of the account. */
  async function traces(text: string): Promise<string[]> {
    const found: string[] = [];
    for (const { name } of await steno.database.db.introspection.getTables()) {
      if (name.startsWith('audit_events') || name.includes('sqlite')) continue;
      // biome-ignore lint/suspicious/noExplicitAny: any table
      const rows: object[] = await (steno.database.db as any).selectFrom(name).selectAll().execute();
      if (rows.some((row) => JSON.stringify(row).includes(text))) found.push(name);
    }
    return found;
  }

  test('leaves nothing behind but what is the team’s, and a line in the audit log', async () => {
    const ada = await signedIn();
    const { workspace, space, key: teamKey } = await steno.team();
    await steno.members.add(operator, workspace.id, { user_id: ada.user.id, role: 'admin' });
    const own = await made(ada.key, '/notes/create', { content: 'mine alone' });
    const shared = await made(ada.key, '/notes/create', { content: 'of the team', space_id: space.id });
    const made1 = await made(ada.key, '/keys/create', { name: 'Laptop' });
    const bot = await made(ada.key, `/api/workspaces/${workspace.id}/api-keys`, {
      name: 'Bot',
      scopes: ['workspace:*'],
    });
    await made(ada.key, `/api/workspaces/${workspace.id}/invitations`, { email: 'x@example.org' });
    await made(ada.key, '/dictionary/create', { words: ['Kaizeli'] });
    await made(ada.key, '/folders/create', { name: 'Mine' });
    await made(ada.key, '/webhooks/create', { url: 'https://example.org/hook', events: ['note.created'] });
    const app = await made(ada.key, '/api/app-passwords', { name: 'Phone' });
    const body = { email: ada.email, password: app.password };
    const phone = (await steno.call('POST', '/api/auth/sign-in/email', { body })).body.token;

    expect((await leave(ada.key, ada.email.toUpperCase())).status).toBe(204);
    for (const key of [ada.key, phone, made1.key])
      expect((await steno.call('GET', '/me', { key })).status).toBe(401);
    expect((await steno.call('POST', '/api/auth/sign-in/email', { body })).status).toBe(401);
    expect((await steno.call('GET', `/notes/${shared.id}`, { key: teamKey })).status).toBe(200);
    expect((await steno.call('GET', `/notes/${shared.id}`, { key: bot.key })).status).toBe(200);
    expect(await traces(own.id)).toEqual([]);
    expect(await traces('mine alone')).toEqual([]);
    expect(await traces(ada.email)).toEqual([]);
    // The team's keys and notes say who made them; the others are counts, which expire.
    const usual = ['api_keys', 'code_requests', 'notes', 'rate_usage'];
    expect((await traces(ada.user.id)).filter((name) => !usual.includes(name))).toEqual([]);
    const log = await steno.store.audit.list({ actorId: ada.user.id }, { limit: 2 });
    expect(log.map(({ act, workspace_id, actor_name }) => ({ act, workspace_id, actor_name }))).toEqual(
      expect.arrayContaining([
        { act: 'account.removed', workspace_id: null, actor_name: ada.email },
        { act: 'member.removed', workspace_id: workspace.id, actor_name: ada.email },
      ]),
    );
  });

  test('is asked to type the address; a key, an agent or another page cannot do it', async () => {
    const ada = await signedIn();
    const wrong = await leave(ada.key, 'somebody@example.org');
    expect([wrong.status, wrong.body.error.message]).toEqual([
      400,
      'confirm must be the e-mail address of your account.',
    ]);
    expect((await steno.call('DELETE', '/api/account', { key: ada.key })).status).toBe(400);
    const body = { confirm: ada.email };
    expect((await steno.call('DELETE', '/api/account', { body })).status).toBe(401);
    const headers = { cookie: ada.cookie, origin: 'https://evil.example' };
    expect((await steno.call('DELETE', '/api/account', { body, headers })).status).toBe(403);
    const { key } = await made(ada.key, '/keys/create', { name: 'Laptop' });
    expect((await leave(key, ada.email)).status).toBe(403);
    const { user } = await steno.person({ name: 'Nameless' });
    const { token } = await steno.signIn(user);
    expect((await leave(token, 'nameless')).status).toBe(204);
    expect((await leave(token, 'nameless')).status).toBe(401);
    expect((await steno.call('GET', '/me', { key: ada.key })).status).toBe(200);
  });

  test('cannot leave members without an admin, and takes along a workspace in which nobody else is', async () => {
    const ada = await signedIn();
    const alone = await made(ada.key, '/api/workspaces', { name: 'Alone' });
    const space = await made(ada.key, `/api/workspaces/${alone.id}/spaces`, { name: 'Secret place' });
    const note = await made(ada.key, '/notes/create', { content: 'lonely words', space_id: space.id });
    await made(ada.key, `/api/workspaces/${alone.id}/invitations`, { email: 'late@example.org' });
    const team = await made(ada.key, '/api/workspaces', { name: 'Design' });
    const bob = await signedIn();
    await steno.members.add(operator, team.id, { user_id: bob.user.id, role: 'member' });
    const refused = await leave(ada.key, ada.email);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      'You are the last admin of “Design”; make another member an admin first.',
    ]);
    expect((await steno.call('GET', `/notes/${note.id}`, { key: ada.key })).status).toBe(200);
    await steno.members.update(operator, team.id, bob.user.id, { role: 'admin' });
    expect((await leave(ada.key, ada.email)).status).toBe(204);
    for (const trace of [alone.id, space.id, note.id, 'lonely words'])
      expect(await traces(trace)).toEqual([]);
    expect(await steno.members.list(operator, team.id)).toMatchObject([{ user_id: bob.user.id }]);
  });

  test('when the last two admins, or operators, leave at once, one of them stays', {
    tags: 'slow',
  }, async () => {
    for (let round = 0; round < 5; round += 1) {
      const [ada, bob, guest] = [await signedIn(), await signedIn(), await signedIn()];
      const team = await made(ada.key, '/api/workspaces', { name: 'Design' });
      await steno.members.add(operator, team.id, { user_id: bob.user.id, role: 'admin' });
      await steno.members.add(operator, team.id, { user_id: guest.user.id, role: 'member' });
      const both = await Promise.all([leave(ada.key, ada.email), leave(bob.key, bob.email)]);
      expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);

      const [cleo, dan] = [await signedIn(), await signedIn()];
      for (const { user } of [cleo, dan]) await steno.users.setOperator(user.id, true);
      const last = await Promise.all([leave(cleo.key, cleo.email), leave(dan.key, dan.email)]);
      expect(last.map(({ status }) => status).sort()).toEqual([204, 409]);
      const stays = last[0]?.status === 409 ? cleo : dan;
      expect((await leave(stays.key, stays.email)).body.error.message).toContain('the last operator');
      await steno.users.remove(stays.user.id);
    }
  });

  test('takes the audio of their recordings along', async () => {
    const ada = await signedIn();
    const { id } = (await uploadTo(steno, ada.key, recording())).body.data;
    await settled(steno, ada.key, id);
    const sound = join(steno.config.dataDir, 'recordings', `${id}.sound`);
    expect(existsSync(sound)).toBe(true);
    expect((await leave(ada.key, ada.email)).status).toBe(204);
    expect(existsSync(sound)).toBe(false);
    expect(await traces(id)).toEqual([]);
  });
});
