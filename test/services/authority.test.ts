import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personalKeysOf, workspaceKeysOf } from '../../src/domain/api-key.ts';
import { operator, type Principal } from '../../src/domain/principal.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const unknownId = '0199a000-0000-7000-8000-000000000000';
const anySpace = {};
const anyKey = { kind: 'anyone' } as const;

describe('on whose word something is done', () => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  async function signedIn(user: { id: string }): Promise<Principal> {
    const { token } = await steno.signIn(user);
    return (await steno.authentication.authenticate(token)) ?? expect.fail();
  }

  test('an admin reaches nothing beyond their own workspace, whatever reach is named', async () => {
    const [mine, theirs] = [await steno.team(), await steno.team()];
    const admin = await signedIn(mine.user);
    const { spaces, keys, members } = steno;
    const before = [
      await spaces.list(operator, theirs.workspace.id),
      await keys.list(operator, workspaceKeysOf(theirs.workspace.id)),
    ];
    const attempts: [string, () => Promise<unknown>][] = [
      ['forbidden', () => spaces.update(admin, anySpace, theirs.space.id, { name: 'Mine' })],
      ['forbidden', () => spaces.archive(admin, anySpace, theirs.space.id)],
      ['not_found', () => spaces.archive(admin, { workspaceId: theirs.workspace.id }, theirs.space.id)],
      ['not_found', () => spaces.archive(admin, { workspaceId: mine.workspace.id }, theirs.space.id)],
      ['forbidden', () => members.add(admin, mine.workspace.id, { user_id: theirs.user.id, role: 'member' })],
      ['forbidden', () => keys.list(admin, anyKey)],
      ['forbidden', () => keys.revoke(admin, anyKey, theirs.keyId)],
      ['not_found', () => keys.list(admin, workspaceKeysOf(theirs.workspace.id))],
      ['not_found', () => keys.list(admin, personalKeysOf(theirs.user.id))],
      ['not_found', () => keys.issue(admin, personalKeysOf(theirs.user.id), { name: 'Mine' })],
    ];
    for (const [code, attempt] of attempts) await expect(attempt()).rejects.toMatchObject({ code });
    expect([
      await spaces.list(operator, theirs.workspace.id),
      await keys.list(operator, workspaceKeysOf(theirs.workspace.id)),
    ]).toEqual(before);
    expect(await keys.list(operator, personalKeysOf(theirs.user.id))).toEqual([]);
  });

  test('the operator is told when there is no such workspace', async () => {
    const { user } = await steno.person();
    const attempts = [
      () => steno.members.list(operator, unknownId),
      () => steno.members.add(operator, unknownId, { user_id: user.id, role: 'member' }),
      () => steno.members.remove(operator, unknownId, user.id, { revokeKeys: false }),
      () => steno.spaces.list(operator, unknownId),
      () => steno.spaces.create(operator, unknownId, { name: 'General' }),
      () => steno.policies.get(operator, unknownId),
      () => steno.keys.list(operator, workspaceKeysOf(unknownId)),
      () => steno.keys.issue(operator, workspaceKeysOf(unknownId), { name: 'Bot', user_id: user.id }),
    ];
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found', message: 'Workspace not found' });
  });

  test('a key that the operator makes for a workspace counts as made by its first admin, when it has one', async () => {
    const { workspace, user } = await steno.team();
    const { user: second } = await steno.person();
    await steno.members.add(operator, workspace.id, { user_id: second.id, role: 'admin' });
    const issue = () => steno.keys.issue(operator, workspaceKeysOf(workspace.id), { name: 'Bot' });
    expect(await issue()).toMatchObject({ user_id: user.id, scopes: ['workspace:*'] });
    await steno.users.remove(user.id);
    expect(await issue()).toMatchObject({ user_id: second.id });
    await steno.users.remove(second.id);
    await expect(issue()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('whoever makes a workspace key answers for it, also when they name someone else', async () => {
    const { workspace, user } = await steno.team();
    const other = await steno.person();
    const draft = { name: 'Bot', user_id: other.user.id };
    const issued = await steno.keys.issue(await signedIn(user), workspaceKeysOf(workspace.id), draft);
    expect(issued.user_id).toBe(user.id);
  });
});
