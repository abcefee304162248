import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { type PolicyChanges, turnedOffBy } from '../../src/domain/policy.ts';
import { operator } from '../../src/domain/principal.ts';
import { composeServices } from '../../src/services.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';
import { teamActs } from '../support/teams.ts';

const unknownId = '0199a000-0000-7000-8000-000000000000';

describe.each(anyDatabase)('organisation policy on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
  });
  afterAll(() => steno.close());

  /** A person, and a workspace that manages them. */
  async function managed() {
    const person = await steno.person();
    const workspace = await steno.workspaces.create(
      { userId: person.user.id },
      { name: 'Org', plan: 'business' },
    );
    await steno.members.update(operator, workspace.id, person.user.id, { managed: true });
    return { ...person, workspace };
  }
  const addWord = (key: string) => steno.call('POST', '/dictionary/create', { key, body: { word: 'word' } });

  const writes = [
    ['POST', '/dictionary/create'],
    ['PATCH', `/dictionary/${unknownId}`],
    ['DELETE', `/dictionary/${unknownId}`],
    ['POST', '/snippets/create'],
    ['PATCH', `/snippets/${unknownId}`],
    ['DELETE', `/snippets/${unknownId}`],
  ] as const;

  test.each(writes)('without cloud backup %s %s is 403 and names the policy', async (method, path) => {
    const { key, workspace } = await managed();
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    // No body: the policy is looked at before it, as the contract orders the checks.
    const { status, body } = await steno.call(method, path, { key });
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
    expect(body.error.message).toContain('policy turns off cloud backup');
  });

  test('what is there stays readable, and everything else works', async () => {
    const { key, workspace } = await managed();
    await addWord(key);
    await steno.policies.update(operator, workspace.id, {
      block_cloud_backup: true,
      block_cloud_transcription: true,
    });
    expect((await steno.call('GET', '/dictionary/list', { key })).body.data).toHaveLength(1);
    expect((await steno.call('GET', '/snippets/list', { key })).status).toBe(200);
    expect((await steno.call('POST', '/notes/create', { key, body: { content: 'x' } })).status).toBe(201);
  });

  test('a missing scope is said before the policy', async () => {
    const { user, workspace } = await managed();
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    const { key } = await steno.keys.issue(operator, personalKeysOf(user.id), {
      name: 'reader',
      scopes: ['notes:read'],
    });
    expect((await addWord(key)).body.error.message).toContain('dictionary:write');
  });

  test('a policy holds from the next call on, and so does its end', async () => {
    const { key, workspace } = await managed();
    for (const blocked of [false, true, false, true]) {
      await steno.policies.update(operator, workspace.id, { block_cloud_backup: blocked });
      expect((await addWord(key)).status).toBe(blocked ? 403 : 201);
    }
  });

  test('becoming managed and being let go hold from the next call on', async () => {
    const { user, key, workspace } = await managed();
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    for (const isManaged of [false, true, false]) {
      await steno.members.update(operator, workspace.id, user.id, { managed: isManaged });
      expect((await addWord(key)).status).toBe(isManaged ? 403 : 201);
    }
  });

  test('a change made by another process reaches this one', async () => {
    const { key, workspace } = await managed();
    expect((await addWord(key)).status).toBe(201);
    const other = await composeServices(steno.config);
    await teamActs(other).policies.update(operator, workspace.id, { block_cloud_backup: true });
    await other.close();
    await expect.poll(async () => (await addWord(key)).status).toBe(403);
  });

  test('one of two policies does not bring the other', async () => {
    const { key, workspace } = await managed();
    const policy = await steno.policies.update(operator, workspace.id, { block_cloud_transcription: true });
    expect(turnedOffBy(policy)).toEqual(['cloud transcription']);
    expect((await addWord(key)).status).toBe(201);
    const principal = await steno.authentication.authenticate(key);
    expect(principal?.blockedBy).toEqual(['cloud transcription']);
  });

  test('only the given policy changes', async () => {
    const { workspace } = await managed();
    const set = async (changes: PolicyChanges) =>
      turnedOffBy(await steno.policies.update(operator, workspace.id, changes));
    expect(turnedOffBy(await steno.policies.get(operator, workspace.id))).toEqual([]);
    expect(await set({ block_cloud_backup: true })).toEqual(['cloud backup']);
    expect(await set({ block_cloud_transcription: true })).toEqual(['cloud transcription', 'cloud backup']);
    expect(await set({})).toEqual(['cloud transcription', 'cloud backup']);
    expect(await set({ block_cloud_backup: false })).toEqual(['cloud transcription']);
    expect(turnedOffBy(await steno.policies.get(operator, workspace.id))).toEqual(['cloud transcription']);
  });

  test('of two managing workspaces the stricter one holds', async () => {
    const { user, key, workspace } = await managed();
    const lenient = await steno.workspaces.create({ userId: user.id }, { name: 'B', plan: 'free' });
    await steno.members.update(operator, lenient.id, user.id, { managed: true });
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    expect((await addWord(key)).status).toBe(403);
  });

  test("an unmanaged member, a stranger and the workspace's own key are not touched", async () => {
    const team = await steno.team();
    const stranger = await steno.person();
    const member = await steno.keys.issue(operator, personalKeysOf(team.user.id), {
      name: 'member',
      scopes: ['dictionary:write'],
    });
    await steno.policies.update(operator, team.workspace.id, {
      block_cloud_backup: true,
      block_cloud_transcription: true,
    });
    expect((await addWord(member.key)).status).toBe(201);
    expect((await addWord(stranger.key)).status).toBe(201);
    await steno.members.update(operator, team.workspace.id, team.user.id, { managed: true });
    expect((await steno.authentication.authenticate(team.key))?.blockedBy).toEqual([]);
    expect((await addWord(member.key)).status).toBe(403);
  });

  test('an unknown workspace or member is not_found', async () => {
    const { user, workspace } = await managed();
    const missing = { code: 'not_found' };
    await expect(steno.policies.get(operator, unknownId)).rejects.toMatchObject(missing);
    await expect(steno.policies.update(operator, unknownId, {})).rejects.toMatchObject(missing);
    await expect(steno.members.update(operator, unknownId, user.id, { managed: true })).rejects.toMatchObject(
      missing,
    );
    await expect(
      steno.members.update(operator, workspace.id, unknownId, { managed: true }),
    ).rejects.toMatchObject(missing);
  });
});
