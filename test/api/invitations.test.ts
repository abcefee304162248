import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { operator } from '../../src/domain/principal.ts';
import type { Tx } from '../../src/platform/database/database.ts';
import { openMailbox } from '../support/mailbox.ts';
import { anyDatabase, silentLog, startSteno, type TestSteno } from '../support/steno.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let people = 0;
const newAddress = () => `guest${people++}@example.org`;

describe.each(anyDatabase)('invitations on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());
  beforeEach(() => {
    now += hourMs;
  });

  async function newcomer(email = newAddress()) {
    const user = await steno.users.add({ name: 'Grace', email, plan: 'business' });
    return { user, email, key: (await steno.signIn(user)).token };
  }

  /** A workspace that blocks changes to dictionaries, and what its admin can do there. */
  async function workspace() {
    const admin = await newcomer();
    const made = await steno.call('POST', '/api/workspaces', { key: admin.key, body: { name: 'Research' } });
    const { id } = made.body.data;
    const path = `/api/workspaces/${id}`;
    await steno.call('PATCH', `${path}/policy`, { key: admin.key, body: { block_cloud_backup: true } });
    const as = (method: string, route: string, body?: unknown) =>
      steno.call(method, path + route, { key: admin.key, body });
    const invite = (email: string, more: object = {}) => as('POST', '/invitations', { email, ...more });
    const members = async () => (await as('GET', '/members')).body.data;
    const open = async () => (await as('GET', '/invitations')).body.data;
    return { id, path, admin, as, invite, members, open };
  }

  const tokenOf = ({ body }: { body: { data: { link: string } } }) => body.data.link.split('/').at(-1) ?? '';
  const look = (key: string, token: string) => steno.call('GET', `/api/invitations/${token}`, { key });
  const accept = (key: string, token: string) =>
    steno.call('POST', `/api/invitations/${token}/accept`, { key });
  const decline = (key: string, token: string) =>
    steno.call('POST', `/api/invitations/${token}/decline`, { key });
  const addWord = async (key: string) =>
    (await steno.call('POST', '/dictionary/create', { key, body: { word: 'word' } })).status;

  test('a person finds the invitations to their own address, and answers them without the link', async () => {
    const { invite, members } = await workspace();
    const guest = await newcomer();
    const other = await newcomer();
    await invite(guest.email);
    const listed = async (key: string) => (await steno.call('GET', '/api/invitations', { key })).body.data;
    const [found] = await listed(guest.key);
    expect(found).toMatchObject({ email: guest.email, workspace: { name: 'Research' }, role: 'member' });
    expect(await listed(other.key)).toEqual([]);
    expect((await look(other.key, found.id)).status).toBe(404);
    expect((await accept(other.key, found.id)).status).toBe(404);
    expect((await decline(other.key, found.id)).status).toBe(404);
    expect((await accept(guest.key, found.id)).status).toBe(200);
    expect(await listed(guest.key)).toEqual([]);
    expect(await members()).toHaveLength(2);
    const again = await workspace();
    await again.invite(guest.email);
    const [second] = await listed(guest.key);
    expect((await decline(guest.key, second.id)).status).toBe(204);
    expect(await again.members()).toHaveLength(1);
    now += 15 * dayMs;
    await invite(other.email);
    now += 15 * dayMs;
    const later = (await steno.signIn(other.user)).token;
    expect(await listed(later)).toEqual([]);
  });

  test('who is invited is asked, sees what it means, and is a member when they accept', async () => {
    const { id, admin, invite, members, open } = await workspace();
    const guest = await newcomer();
    const sent = await invite(guest.email.toUpperCase(), { role: 'admin' });
    expect(sent.status).toBe(201);
    expect(sent.body.data).toEqual({
      id: expect.any(String),
      email: guest.email,
      role: 'admin',
      managed: false,
      invited_by: admin.user.id,
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + 14 * dayMs).toISOString(),
      link: expect.stringMatching(/^http:\/\/localhost(:\d+)?\/invitations\/[\w-]{43}$/),
    });
    const { link: _, ...shown } = sent.body.data;
    expect(await open()).toEqual([shown]);
    expect(await members()).toHaveLength(1);
    expect((await steno.call('GET', '/api/workspaces', { key: guest.key })).body.data).toEqual([]);

    const token = tokenOf(sent);
    expect((await look(guest.key, token)).body.data).toEqual({
      id: sent.body.data.id,
      email: guest.email,
      role: 'admin',
      managed: false,
      expires_at: shown.expires_at,
      inviter_name: 'Grace',
      workspace: { id, name: 'Research' },
      policy: {
        block_cloud_transcription: false,
        block_cloud_backup: true,
        block_language_models: false,
      },
    });
    const joined = await accept(guest.key, token);
    expect([joined.status, joined.body.data]).toMatchObject([200, { id, role: 'admin', managed: false }]);
    expect(await members()).toMatchObject([{}, { user_id: guest.user.id, role: 'admin', managed: false }]);
    expect(await open()).toEqual([]);
  });

  test('the answer is the same whether the address has an account, and so is what is stored', async () => {
    const { invite, open } = await workspace();
    const guest = await newcomer();
    const answers = [await invite(guest.email), await invite(newAddress())];
    const general = answers.map(({ status, body: { data }, headers }) => [
      status,
      Object.keys(headers).sort(),
      { ...data, id: '', email: '', link: data.link.length },
    ]);
    expect(general[0]).toEqual(general[1]);
    const stored = (await open()).map((one: object) => ({ ...one, id: '', email: '' }));
    expect(stored[0]).toEqual(stored[1]);
  });

  test('an address makes the same work, with an account and without', async () => {
    const { invite } = await workspace();
    const guest = await newcomer();
    const { write } = steno.database;
    // The server also writes its counts meanwhile: only the transaction that keeps the invitation is compared.
    const statementsFor = async (email: string) => {
      const transactions: string[][] = [];
      steno.database.write = (work) =>
        write((trx) => {
          const statements: string[] = [];
          transactions.push(statements);
          const watched = trx.withPlugin({
            transformQuery({ node }) {
              statements.push(
                JSON.stringify(node).includes('"invitations"') ? `${node.kind} of invitations` : node.kind,
              );
              return node;
            },
            transformResult: async ({ result }) => result,
          });
          return work(watched as Tx);
        });
      expect((await invite(email)).status).toBe(201);
      return transactions.find((statements) => statements.includes('InsertQueryNode of invitations'));
    };
    const known = await statementsFor(guest.email);
    expect(known?.length).toBeGreaterThan(3);
    expect(await statementsFor(newAddress())).toEqual(known);
    steno.database.write = write;
  });

  test('being managed is said in the invitation and begins when it is accepted, for keys too', async () => {
    const { id, invite } = await workspace();
    const guest = await newcomer();
    const { key } = await steno.keys.issue(
      operator,
      { kind: 'personal', userId: guest.user.id },
      { name: 'test', scopes: ['dictionary:write'] },
    );
    const statuses = async () => [await addWord(key), await addWord(guest.key)];
    const token = tokenOf(await invite(guest.email, { managed: true }));
    expect(await statuses()).toEqual([201, 201]);
    expect((await look(guest.key, token)).body.data.managed).toBe(true);
    expect(await statuses()).toEqual([201, 201]);
    expect((await accept(guest.key, token)).body.data).toMatchObject({ id, managed: true });
    expect(await statuses()).toEqual([403, 403]);
    await steno.call('DELETE', `/api/workspaces/${id}/members/${guest.user.id}`, { key: guest.key });
    expect(await statuses()).toEqual([201, 201]);
  });

  test('a member agrees to being managed by an invitation; their role stays', async () => {
    const { id, invite, members } = await workspace();
    const guest = await newcomer();
    await steno.members.add(operator, id, { user_id: guest.user.id, role: 'member' });
    const token = tokenOf(await invite(guest.email, { managed: true, role: 'admin' }));
    expect(await members()).toMatchObject([{}, { role: 'member', managed: false }]);
    expect((await accept(guest.key, token)).body.data).toMatchObject({ role: 'member', managed: true });
    expect(await members()).toMatchObject([{}, { role: 'member', managed: true }]);
    for (const managed of [true, false])
      expect((await invite(guest.email, { managed })).body.error.code).toBe('conflict');
  });

  test('a member who is asked nothing new is no invitation', async () => {
    const { id, invite, open } = await workspace();
    const guest = await newcomer();
    await steno.members.add(operator, id, { user_id: guest.user.id, role: 'member' });
    expect((await invite(guest.email)).status).toBe(409);
    expect(await open()).toEqual([]);
  });

  test('only the invited address can look, accept or decline; for everyone else there is nothing', async () => {
    const { admin, invite, members, open } = await workspace();
    const guest = await newcomer();
    const stranger = await newcomer();
    const { user } = await steno.person();
    const withoutAddress = (await steno.signIn(user)).token;
    const token = tokenOf(await invite(guest.email));
    const unknown = await look(stranger.key, 'A'.repeat(43));
    for (const key of [stranger.key, admin.key, withoutAddress])
      for (const attempt of [look, accept, decline]) {
        const answer = await attempt(key, token);
        expect([answer.status, answer.text]).toEqual([404, unknown.text]);
      }
    const personal = await steno.person();
    expect((await accept(personal.key, token)).status).toBe(403);
    expect((await steno.call('GET', `/api/invitations/${token}`)).status).toBe(401);
    expect(await members()).toHaveLength(1);
    expect(await open()).toHaveLength(1);
    expect((await accept(guest.key, token)).status).toBe(200);
  });

  test('who changes their address takes no invitation along', async () => {
    const { invite } = await workspace();
    const guest = await newcomer();
    const token = tokenOf(await invite(guest.email));
    await steno.users.setEmail(guest.user.id, newAddress());
    expect((await accept(guest.key, token)).status).toBe(404);
    await steno.users.setEmail(guest.user.id, guest.email);
    expect((await accept(guest.key, token)).status).toBe(200);
  });

  test('who has no account yet accepts once they have one', async () => {
    const { invite } = await workspace();
    const email = newAddress();
    const token = tokenOf(await invite(email));
    const guest = await newcomer(email);
    expect((await accept(guest.key, token)).status).toBe(200);
  });

  test('who declines is no member, and the invitation is gone', async () => {
    const { invite, members, open } = await workspace();
    const guest = await newcomer();
    const token = tokenOf(await invite(guest.email, { managed: true }));
    expect((await decline(guest.key, token)).status).toBe(204);
    expect((await decline(guest.key, token)).status).toBe(404);
    expect((await accept(guest.key, token)).status).toBe(404);
    expect([await members(), await open()]).toMatchObject([[{ role: 'admin' }], []]);
  });

  test('an invitation is good for 14 days, is listed after that, and lives again when it is sent again', async () => {
    const { as, invite, open } = await workspace();
    const guest = await newcomer();
    const sent = await invite(guest.email);
    const token = tokenOf(sent);
    now += 14 * dayMs - 1;
    expect((await look(guest.key, token)).status).toBe(200);
    now += 1;
    for (const attempt of [look, accept, decline]) expect((await attempt(guest.key, token)).status).toBe(404);
    expect(await open()).toHaveLength(1);
    const again = await as('POST', `/invitations/${sent.body.data.id}/resend`);
    expect(again.status).toBe(200);
    expect(again.body.data).toMatchObject({
      id: sent.body.data.id,
      expires_at: new Date(now + 14 * dayMs).toISOString(),
    });
    expect((await look(guest.key, token)).status).toBe(404);
    expect((await accept(guest.key, tokenOf(again))).status).toBe(200);
  });

  test('inviting an address again replaces the invitation, so nobody accepts what they did not read', async () => {
    const { invite, open, members } = await workspace();
    const guest = await newcomer();
    const read = tokenOf(await invite(guest.email));
    const other = tokenOf(await invite(guest.email, { managed: true }));
    expect(await open()).toMatchObject([{ email: guest.email, managed: true }]);
    expect((await accept(guest.key, read)).status).toBe(404);
    expect(await members()).toHaveLength(1);
    expect((await accept(guest.key, other)).body.data.managed).toBe(true);
  });

  test('a revoked invitation does nothing any more', async () => {
    const { as, invite, members, open } = await workspace();
    const guest = await newcomer();
    const sent = await invite(guest.email);
    const revoke = () => as('DELETE', `/invitations/${sent.body.data.id}`);
    expect((await revoke()).status).toBe(204);
    expect((await revoke()).status).toBe(404);
    expect((await as('POST', `/invitations/${sent.body.data.id}/resend`)).status).toBe(404);
    expect((await accept(guest.key, tokenOf(sent))).status).toBe(404);
    expect([await members(), await open()]).toMatchObject([[{ role: 'admin' }], []]);
  });

  test('accepted many times at once, it makes one member', async () => {
    const { invite, members } = await workspace();
    const guest = await newcomer();
    const token = tokenOf(await invite(guest.email));
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(guest.key, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
    expect(await members()).toHaveLength(2);
  });

  test('accepted and revoked or declined at once, one of them happens', async () => {
    const { as, invite, members } = await workspace();
    for (let round = 0; round < 4; round += 1) {
      const guest = await newcomer();
      const sent = await invite(guest.email);
      const before = (await members()).length;
      const [accepted, ended] = await Promise.all([
        accept(guest.key, tokenOf(sent)),
        round % 2 === 0
          ? as('DELETE', `/invitations/${sent.body.data.id}`)
          : decline(guest.key, tokenOf(sent)),
      ]);
      expect([
        [200, 404],
        [404, 204],
      ]).toContainEqual([accepted.status, ended.status]);
      expect((await members()).length - before).toBe(accepted.status === 200 ? 1 : 0);
    }
  });

  test('an address invited many times at once has one invitation', async () => {
    const { invite, open } = await workspace();
    const email = newAddress();
    const answers = await Promise.all(Array.from({ length: 5 }, () => invite(email)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(await open()).toHaveLength(1);
  });

  test('an address gets five invitations an hour, whoever sends them; an admin sends fifty', async () => {
    const [one, two] = [await workspace(), await workspace()];
    const email = newAddress();
    const sent = await one.invite(email);
    await one.as('POST', `/invitations/${sent.body.data.id}/resend`);
    for (let more = 0; more < 3; more += 1) expect((await two.invite(email)).status).toBe(201);
    for (const refused of [
      await one.invite(email),
      await one.as('POST', `/invitations/${sent.body.data.id}/resend`),
    ])
      expect([refused.status, refused.body.error.code, refused.headers['retry-after']]).toEqual([
        429,
        'rate_limited',
        '3600',
      ]);
    expect(await one.open()).toMatchObject([{ id: sent.body.data.id }]);
    for (let more = 0; more < 48; more += 1) expect((await one.invite(newAddress())).status).toBe(201);
    expect((await one.invite(newAddress())).status).toBe(429);
    now += hourMs;
    expect((await one.invite(email)).status).toBe(201);
  });

  test.each([
    {},
    { email: 'no address' },
    { email: 'a@b.org\r\nBcc: c@d.org' },
    { email: 'a@example.org', role: 'owner' },
    { email: 'a@example.org', managed: 'yes' },
    { email: `${'x'.repeat(250)}@example.org` },
  ])('%j invites nobody', async (body) => {
    const { as, open } = await workspace();
    const answer = await as('POST', '/invitations', body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect(await open()).toEqual([]);
  });

  test('tokens are stored only as hashes, and no list shows one', async () => {
    const { as, invite } = await workspace();
    const token = tokenOf(await invite(newAddress()));
    const rows = await steno.database.db.selectFrom('invitations').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect((await as('GET', '/invitations')).text).not.toContain('token');
  });

  type Team = Awaited<ReturnType<typeof workspace>>;
  test.each<[string, (team: Team) => Promise<unknown>]>([
    [
      'is an admin no longer',
      ({ as, admin }) => as('PATCH', `/members/${admin.user.id}`, { role: 'member' }),
    ],
    ['left', ({ as, admin }) => as('DELETE', `/members/${admin.user.id}`)],
    ['has no account any more', ({ admin }) => steno.users.remove(admin.user.id)],
  ])('an invitation ends when its sender %s', async (_how, go) => {
    const team = await workspace();
    const second = await newcomer();
    await steno.members.add(operator, team.id, { user_id: second.user.id, role: 'admin' });
    const guest = await newcomer();
    const token = tokenOf(await team.invite(guest.email));
    const other = await steno.call('POST', `${team.path}/invitations`, {
      key: second.key,
      body: { email: newAddress() },
    });
    await go(team);
    expect([(await look(guest.key, token)).status, (await accept(guest.key, token)).status]).toEqual([
      404, 404,
    ]);
    const list = await steno.call('GET', `${team.path}/invitations`, { key: second.key });
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([other.body.data.id]);
  });

  test('an invitation that was sent while its sender lost the role does not work', async () => {
    const { id, admin, invite } = await workspace();
    const guest = await newcomer();
    const token = tokenOf(await invite(guest.email));
    await steno.database.write((trx) =>
      trx
        .updateTable('workspace_members')
        .set({ role: 'member' })
        .where('workspace_id', '=', id)
        .where('user_id', '=', admin.user.id)
        .execute(),
    );
    expect((await accept(guest.key, token)).status).toBe(404);
  });

  test('an expired invitation is listed for 14 days more; then its address is forgotten', async () => {
    const { invite, open } = await workspace();
    const forgotten = newAddress();
    await invite(forgotten);
    now += 28 * dayMs - 1;
    expect(await open()).toHaveLength(1);
    now += 1;
    expect(await open()).toEqual([]);
    const stored = () => steno.database.db.selectFrom('invitations').select('email').execute();
    await (await workspace()).invite(newAddress());
    expect(await stored()).not.toContainEqual({ email: forgotten });
  });
});

describe('invitations by mail', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  let steno: TestSteno;
  beforeAll(async () => {
    mailbox = await openMailbox();
    steno = await startSteno({
      config: { smtpUrl: mailbox.url, publicUrl: 'https://notes.example.org/' },
    });
  });
  afterAll(async () => {
    await steno.close();
    await mailbox.close();
  });

  async function invite(email: string, managed: boolean, headers: Record<string, string> = {}) {
    const { workspace, user } = await steno.team({ name: 'Field\nBcc: team' });
    const { token } = await steno.signIn(user);
    const sent = await steno.call('POST', `/api/workspaces/${workspace.id}/invitations`, {
      key: token,
      headers,
      body: { email, managed },
    });
    await steno.outbox.idle();
    const mail = mailbox.mails.findLast(({ to }) => to.includes(email)) ?? expect.fail('no mail');
    return { sent, mail, text: mail.text.replaceAll(/=\n/g, '').replaceAll('=3D', '=') };
  }

  test('the link goes to the address and not to the admin, whether there is an account or not', async () => {
    const known = await steno.users.add({ name: 'Grace', email: newAddress() });
    const mails = [];
    for (const email of [known.email ?? '', newAddress()]) {
      const { sent, mail, text } = await invite(email, false, { host: 'evil.example' });
      expect([sent.status, sent.body.data.link]).toEqual([201, null]);
      expect(text).toMatch(/https:\/\/notes\.example\.org\/invitations\/[\w-]{43}/);
      expect(text).not.toContain('evil.example');
      mails.push([mail.headers.subject, text.replaceAll(/[\w-]{43}/g, 'token')]);
    }
    expect(mails[0]).toEqual(mails[1]);
  });

  test('the mail says that the workspace will manage the person, and only then', async () => {
    expect((await invite(newAddress(), true)).text).toContain('will manage your account');
    expect((await invite(newAddress(), false)).text).not.toContain('manage your account');
  });

  test('with an Idempotency-Key it is mailed once, however often it is sent', async () => {
    const [email, headers] = [newAddress(), { 'idempotency-key': 'one' }];
    const { workspace, user } = await steno.team();
    const { token } = await steno.signIn(user);
    const send = () =>
      steno.call('POST', `/api/workspaces/${workspace.id}/invitations`, {
        key: token,
        headers,
        body: { email },
      });
    expect([(await send()).status, (await send()).status]).toEqual([201, 201]);
    await steno.outbox.idle();
    expect(mailbox.mails.filter(({ to }) => to.includes(email))).toHaveLength(1);
  });

  test('sent again, it is mailed again with another link', async () => {
    const email = newAddress();
    const { sent, mail } = await invite(email, false);
    const { workspace_id } = await steno.database.db
      .selectFrom('invitations')
      .select('workspace_id')
      .where('id', '=', sent.body.data.id)
      .executeTakeFirstOrThrow();
    const [admin] = await steno.members.list(operator, workspace_id);
    const { token } = await steno.signIn({ id: admin?.user_id ?? '' });
    const path = `/api/workspaces/${workspace_id}/invitations/${sent.body.data.id}/resend`;
    expect((await steno.call('POST', path, { key: token })).status).toBe(200);
    await steno.outbox.idle();
    const mails = mailbox.mails.filter(({ to }) => to.includes(email));
    expect(mails).toHaveLength(2);
    expect(mails[1]?.text).not.toBe(mail.text);
  });

  test('names reach neither the headers nor a line of their own', async () => {
    const { mail, text } = await invite(newAddress(), false);
    expect(Object.keys(mail.headers)).not.toContain('bcc');
    expect(mail.headers.subject).not.toContain('Field');
    expect(text).toContain('"Field Bcc: team"');
  });
});

describe.runIf(anyDatabase.includes('postgres'))('invitations on several servers', () => {
  test('what is accepted on one server holds on the other, whose cache knew the key', async () => {
    const one = await startSteno({ databaseKind: 'postgres' });
    const other = await compose(one.config, { log: silentLog });
    await other.app.ready();
    const { workspace, user: admin } = await one.team();
    await one.policies.update(operator, workspace.id, { block_cloud_backup: true });
    const guest = await one.person();
    await one.users.setEmail(guest.user.id, 'guest@example.org');
    const addWord = async () =>
      (
        await other.app.inject({
          method: 'POST',
          url: '/api/v1/dictionary/create',
          headers: { authorization: `Bearer ${guest.key}` },
          payload: { word: 'word' },
        })
      ).statusCode;
    expect(await addWord()).toBe(201);
    const sent = await one.call('POST', `/api/workspaces/${workspace.id}/invitations`, {
      key: (await one.signIn(admin)).token,
      body: { email: 'guest@example.org', managed: true },
    });
    expect(await addWord()).toBe(201);
    const token = sent.body.data.link.split('/').at(-1);
    const { token: key } = await one.signIn(guest.user);
    expect((await one.call('POST', `/api/invitations/${token}/accept`, { key })).status).toBe(200);
    await expect.poll(addWord).toBe(403);
    await other.close();
    await one.close();
  });
});
