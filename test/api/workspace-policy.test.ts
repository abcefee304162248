import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const nowhere = '/api/workspaces/00000000-0000-7000-8000-000000000000';

describe.each(anyDatabase)('a workspace policy by session, on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
  });
  afterAll(() => steno.close());

  /** A workspace with an admin and a member, and someone who has nothing to do with it; everyone signed in. */
  async function team() {
    const [admin, member, stranger] = await Promise.all(['Ada', 'Mia', 'Sid'].map(signedIn));
    if (!admin || !member || !stranger) return expect.fail();
    const created = await steno.call('POST', '/api/workspaces', { key: admin.token, body: { name: 'Org' } });
    const { id } = created.body.data;
    await steno.members.add(operator, id, { user_id: member.user.id, role: 'member' });
    const path = `/api/workspaces/${id}`;
    const setPolicy = (body: unknown, key = admin.token) =>
      steno.call('PATCH', `${path}/policy`, { key, body });
    const getPolicy = (key = admin.token) => steno.call('GET', `${path}/policy`, { key });
    const setMember = (body: unknown, userId = member.user.id) =>
      steno.call('PATCH', `${path}/members/${userId}`, { key: admin.token, body });
    /** By the operator, who need not ask; how people agree is in invitations.test.ts. */
    const manage = () => steno.members.update(operator, id, member.user.id, { managed: true });
    return { id, path, admin, member, stranger, setPolicy, getPolicy, setMember, manage };
  }

  async function signedIn(name: string) {
    const person = await steno.person({ name });
    return { ...person, token: (await steno.signIn(person.user)).token };
  }

  const addWord = async (key: string) =>
    (await steno.call('POST', '/dictionary/create', { key, body: { word: 'word' } })).status;

  test('nothing is blocked at first, and only the given members change', async () => {
    const { setPolicy, getPolicy } = await team();
    const blocks = (transcription: boolean, backup: boolean) => ({
      data: {
        block_cloud_transcription: transcription,
        block_cloud_backup: backup,
        block_language_models: false,
      },
    });
    expect((await getPolicy()).body).toEqual(blocks(false, false));
    expect((await setPolicy({ block_cloud_backup: true })).body).toEqual(blocks(false, true));
    expect((await setPolicy({ block_cloud_transcription: true })).body).toEqual(blocks(true, true));
    expect((await setPolicy({})).body).toEqual(blocks(true, true));
    expect((await setPolicy({ block_cloud_backup: false })).body).toEqual(blocks(true, false));
    expect((await getPolicy()).body).toEqual(blocks(true, false));
  });

  test('it holds for a managed member from the next call on, key and session alike', async () => {
    const { member, setPolicy, setMember, manage } = await team();
    const { key, token } = member;
    const statuses = async () => [await addWord(key), await addWord(token)];
    expect(await statuses()).toEqual([201, 201]);
    await setPolicy({ block_cloud_backup: true });
    expect(await statuses()).toEqual([201, 201]);
    expect(await manage()).toMatchObject({ managed: true, role: 'member' });
    expect(await statuses()).toEqual([403, 403]);
    await setPolicy({ block_cloud_backup: false });
    expect(await statuses()).toEqual([201, 201]);
    await setPolicy({ block_cloud_backup: true, block_cloud_transcription: true });
    expect((await steno.upload(key)).status).toBe(403);
    await setMember({ managed: false });
    expect(await statuses()).toEqual([201, 201]);
    expect((await steno.upload(key)).status).toBe(200);
  });

  test('who leaves is bound no more, from the next call on', async () => {
    const { path, member, setPolicy, manage } = await team();
    await setPolicy({ block_cloud_backup: true });
    await manage();
    expect(await addWord(member.key)).toBe(403);
    const leaving = await steno.call('DELETE', `${path}/members/${member.user.id}`, { key: member.token });
    expect(leaving.status).toBe(204);
    expect([await addWord(member.key), await addWord(member.token)]).toEqual([201, 201]);
  });

  test('members may read it, and only admins change it; strangers find nothing', async () => {
    const { path, admin, member, stranger, setPolicy, getPolicy } = await team();
    const wanted = { block_cloud_backup: true };
    expect((await getPolicy(member.token)).status).toBe(200);
    const byMember = await setPolicy(wanted, member.token);
    expect([byMember.status, byMember.body.error.code]).toEqual([403, 'forbidden']);
    expect((await setPolicy(wanted, stranger.token)).status).toBe(404);
    expect((await getPolicy(stranger.token)).status).toBe(404);
    const options = { key: admin.token, body: wanted };
    expect((await steno.call('PATCH', `${nowhere}/policy`, options)).status).toBe(404);
    expect((await steno.call('GET', `${nowhere}/policy`, { key: admin.token })).status).toBe(404);
    expect((await steno.call('GET', `${path}/policy`, { key: admin.key })).status).toBe(403);
    expect((await getPolicy()).body.data.block_cloud_backup).toBe(false);
  });

  test.each([{ block_cloud_backup: 'yes' }, { block_cloud_transcription: null }, [], 'on', undefined])(
    '%j changes no policy',
    async (body) => {
      const { setPolicy, getPolicy } = await team();
      expect((await setPolicy(body)).status).toBeGreaterThanOrEqual(400);
      expect((await getPolicy()).body.data.block_cloud_backup).toBe(false);
    },
  );

  test('role and managed change together or not at all', async () => {
    const { path, admin, member, setMember, manage } = await team();
    await manage();
    const both = await setMember({ role: 'admin', managed: true });
    expect(both.body.data).toMatchObject({ user_id: member.user.id, role: 'admin', managed: true });
    expect((await setMember({ role: 'member' })).body.data).toMatchObject({ role: 'member', managed: true });
    expect((await setMember({})).body.data).toMatchObject({ role: 'member', managed: true });
    const lastAdmin = await setMember({ role: 'member', managed: true }, admin.user.id);
    expect([lastAdmin.status, lastAdmin.body.error.code]).toEqual([409, 'conflict']);
    expect((await setMember({ managed: 'yes' })).status).toBe(400);
    const listed = await steno.call('GET', `${path}/members`, { key: member.token });
    expect(listed.body.data).toMatchObject([
      { user_id: admin.user.id, role: 'admin', managed: false },
      { user_id: member.user.id, role: 'member', managed: true },
    ]);
    expect((await setMember({ managed: true }, admin.user.id)).body.data.managed).toBe(true);
  });

  test('an admin cannot manage a person who did not agree, not even together with a role or by asking twice', async () => {
    const { path, admin, member, setPolicy, setMember } = await team();
    await setPolicy({ block_cloud_backup: true });
    for (const body of [{ managed: true }, { managed: true, role: 'admin' }, { managed: true }]) {
      const refused = await setMember(body);
      expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden']);
      expect(refused.body.error.message).toContain('invitation');
    }
    const listed = await steno.call('GET', `${path}/members`, { key: admin.token });
    expect(listed.body.data[1]).toMatchObject({ user_id: member.user.id, role: 'member', managed: false });
    expect([await addWord(member.key), await addWord(member.token)]).toEqual([201, 201]);
  });

  test('who was let go is not managed again without being asked again', async () => {
    const { setMember, manage } = await team();
    await manage();
    expect((await setMember({ managed: false })).body.data.managed).toBe(false);
    expect((await setMember({ managed: true })).status).toBe(403);
  });
});
