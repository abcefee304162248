import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { openMailbox } from '../support/mailbox.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const hourMs = 3_600_000;
let people = 0;
const newAddress = () => `newcomer${people++}@example.org`;

/** What a test does with one server. Sign-up is closed, as always unless the operator says otherwise. */
function actsOn(steno: () => TestSteno) {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    steno().call('POST', `/api/auth${path}`, { body, headers });
  return {
    look: (token: string) => post('/invitation', { token }),
    join: (token: string, name = '', headers = {}) => post('/sign-in/invitation', { token, name }, headers),
    /** A workspace with a space, whose admin invites people. */
    async team() {
      const { workspace, user, space } = await steno().team();
      const { token: key } = await steno().signIn(user);
      const path = `/api/workspaces/${workspace.id}`;
      const invite = async (email: string, more: object = {}) =>
        (await steno().call('POST', `${path}/invitations`, { key, body: { email, ...more } })).body.data;
      const revoke = (id: string) => steno().call('DELETE', `${path}/invitations/${id}`, { key });
      const members = async () => (await steno().call('GET', `${path}/members`, { key })).body.data;
      return { workspace, user, space, invite, revoke, members };
    },
  };
}
const tokenOf = (link: string) => link.split('/').at(-1) ?? '';
const code = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

describe.each(anyDatabase)('invited people without an account on %s', (databaseKind) => {
  let now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());
  beforeEach(() => {
    now += hourMs;
  });
  const { look, join, team } = actsOn(() => steno);

  test('the link says who invites and to what, makes the account, and the person is a member', async () => {
    const { workspace, user, space, invite, members } = await team();
    const email = newAddress();
    const token = tokenOf((await invite(email, { role: 'admin' })).link);
    const seen = await look(token);
    expect(seen.body.invitation).toMatchObject({
      email,
      role: 'admin',
      needs_code: false,
      inviter_name: user.name,
      workspace: { id: workspace.id, name: workspace.name },
    });
    expect(JSON.stringify(seen.body)).not.toContain('token');
    const joined = await join(token, ' Grace Hopper ');
    expect(joined.status).toBe(200);
    expect(joined.body).toMatchObject({
      workspace_id: workspace.id,
      user: { email, name: 'Grace Hopper' },
    });
    expect(String(joined.headers['set-cookie'])).toContain(`steno.session_token=${joined.body.token}`);
    const key = joined.body.token;
    expect((await steno.call('GET', `/notes/list?space_id=${space.id}`, { key })).status).toBe(200);
    expect(await members()).toMatchObject([{}, { user_id: joined.body.user.id, role: 'admin' }]);
    // Used twice, it is nothing any more.
    expect(code(await look(token))).toEqual([404, 'INVALID_INVITATION']);
    expect(code(await join(token))).toEqual([404, 'INVALID_INVITATION']);
    expect(await members()).toHaveLength(2);
  });

  test('opened in many tabs at once, it makes one account', async () => {
    const { invite, members } = await team();
    const token = tokenOf((await invite(newAddress())).link);
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => join(token)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404, 404, 404]);
    expect(await members()).toHaveLength(2);
  });

  test('who is to be managed is, from the first moment', async () => {
    const { workspace, invite } = await team();
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    const token = tokenOf((await invite(newAddress(), { managed: true })).link);
    expect((await look(token)).body.invitation).toMatchObject({
      managed: true,
      policy: { block_cloud_backup: true },
    });
    const { token: key } = (await join(token)).body;
    const word = await steno.call('POST', '/dictionary/create', { key, body: { word: 'Harbour' } });
    expect([word.status, word.body.error.code]).toEqual([403, 'forbidden']);
  });

  test('expired, revoked, replaced or of an admin who is none any more, it makes nothing', async () => {
    const dead: string[] = [];
    const { workspace, user, invite, revoke } = await team();
    const revoked = await invite(newAddress());
    await revoke(revoked.id);
    dead.push(tokenOf(revoked.link));
    const address = newAddress();
    dead.push(tokenOf((await invite(address)).link));
    await invite(address);
    const other = await steno.person();
    await steno.members.add(operator, workspace.id, { user_id: other.user.id, role: 'admin' });
    dead.push(tokenOf((await invite(newAddress())).link));
    await steno.members.update(operator, workspace.id, user.id, { role: 'member' });
    const late = await team();
    const expired = tokenOf((await late.invite(newAddress())).link);
    for (const token of [...dead, 'nonsense', '']) {
      expect(code(await look(token))).toEqual([404, 'INVALID_INVITATION']);
      expect(code(await join(token))).toEqual([404, 'INVALID_INVITATION']);
    }
    now += 14 * 24 * hourMs;
    expect(code(await join(expired))).toEqual([404, 'INVALID_INVITATION']);
  });

  test('it never signs in to an account that is there, and the invitation waits for its owner', async () => {
    const { workspace, invite } = await team();
    const email = newAddress();
    const owner = await steno.users.add({ name: 'Owner', email, plan: 'pro' });
    const token = tokenOf((await invite(email)).link);
    // Looking does not tell whether there is an account.
    const { status, body } = await look(token);
    expect([status, JSON.stringify(body).includes(owner.id)]).toEqual([200, false]);
    const refused = await join(token, 'Somebody else');
    expect(code(refused)).toEqual([409, 'ACCOUNT_EXISTS']);
    expect(refused.headers['set-cookie'] ?? []).toEqual([]);
    const { token: key } = await steno.signIn(owner);
    const accepted = await steno.call('POST', `/api/invitations/${token}/accept`, { key });
    expect([accepted.status, accepted.body.data.id]).toEqual([200, workspace.id]);
  });

  test('the id of an invitation is no secret and opens nothing', async () => {
    const { invite } = await team();
    const { id } = await invite(newAddress());
    expect(code(await look(id))).toEqual([404, 'INVALID_INVITATION']);
    expect(code(await join(id))).toEqual([404, 'INVALID_INVITATION']);
  });

  test('a page of another site cannot use it up, and wrong input is told', async () => {
    const { invite } = await team();
    const token = tokenOf((await invite(newAddress())).link);
    expect(code(await join(token, '', { origin: 'https://evil.example' }))).toEqual([403, 'INVALID_ORIGIN']);
    expect(code(await join(token, 'x'.repeat(101)))).toEqual([400, 'VALIDATION_ERROR']);
    expect((await join(token)).status).toBe(200);
  });

  test('after twenty wrong links a network waits, and then goes on', async () => {
    const { invite } = await team();
    const token = tokenOf((await invite(newAddress())).link);
    for (let tries = 0; tries < 20; tries += 1) expect((await join(`wrong${tries}`)).status).toBe(404);
    const refused = await join(token);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    now += hourMs;
    expect((await join(token)).status).toBe(200);
  });
});

describe('where e-mail is sent', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  const started: TestSteno[] = [];
  beforeAll(async () => {
    mailbox = await openMailbox();
  });
  afterAll(async () => {
    for (const steno of started) await steno.close();
    await mailbox.close();
  });
  async function start(publicUrl: string) {
    const steno = await startSteno({ config: { smtpUrl: mailbox.url, publicUrl } });
    started.push(steno);
    return { steno, ...actsOn(() => steno) };
  }

  test('a mailed link is as good as a code', async () => {
    const { steno, look, join, team } = await start('http://localhost');
    const email = newAddress();
    expect((await (await team()).invite(email)).link).toBe(null);
    await steno.outbox.idle();
    const mail = mailbox.mails.findLast(({ to }) => to.includes(email))?.text.replaceAll(/=\n/g, '') ?? '';
    const token = mail.match(/invitations\/([\w-]{43})/)?.[1] ?? '';
    expect((await look(token)).body.invitation.needs_code).toBe(false);
    expect((await join(token)).body.user.email).toBe(email);
  });

  test('a link that an admin was shown needs a code, which the invitation allows to make the account', async () => {
    const { steno, look, join, team } = await start('');
    const email = newAddress();
    const { workspace, invite } = await team();
    const sent = await invite(email);
    const token = tokenOf(sent.link);
    expect((await look(token)).body.invitation.needs_code).toBe(true);
    expect(code(await join(token))).toEqual([403, 'CODE_REQUIRED']);

    const send = (address: string) =>
      steno.call('POST', '/api/auth/email-otp/send-verification-otp', {
        body: { email: address, type: 'sign-in' },
      });
    // Sign-up is closed for everybody else.
    const stranger = newAddress();
    await send(stranger);
    await send(email);
    await steno.outbox.idle();
    expect(mailbox.mails.filter(({ to }) => to.includes(stranger))).toEqual([]);
    const signedIn = await steno.call('POST', '/api/auth/sign-in/email-otp', {
      body: { email, otp: mailbox.codeFor(email) },
    });
    expect(signedIn.body.user.email).toBe(email);
    const accepted = await steno.call('POST', `/api/invitations/${token}/accept`, {
      key: signedIn.body.token,
    });
    expect(accepted.body.data.id).toBe(workspace.id);
  });
});
