import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workspaceKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { runBeside } from '../support/cli.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const unknownId = '0199a000-0000-7000-8000-000000000000';

describe.each(anyDatabase)('"workspaces members" beside a server on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
  });
  afterAll(() => steno.close());

  let people = 0;
  /** A workspace whose only member is its admin, and someone who is not in it. */
  async function team() {
    people += 1;
    const { workspace, user: admin } = await steno.team();
    const email = `grace${people}@example.org`;
    const grace = await steno.users.add({ name: 'Grace', email, plan: 'pro' });
    const run = (command: string, ...rest: string[]) =>
      runBeside(steno, ['workspaces', 'members', command, workspace.id, ...rest]);
    const list = async () => JSON.parse((await run('list', '--json')).join('\n'));
    return { workspace, admin, grace, email, run, list };
  }

  test('a person is added by e-mail address, made admin, and taken out', async () => {
    const { grace, email, admin, run, list } = await team();
    expect(await run('add', email)).toEqual(['Added Grace to Team as member.']);
    expect(await list()).toEqual([
      expect.objectContaining({ user_id: admin.id, role: 'admin', managed: false }),
      {
        user_id: grace.id,
        email,
        name: 'Grace',
        role: 'member',
        managed: false,
        created_at: expect.any(String),
        workspace_keys: 0,
      },
    ]);
    expect(await run('set-role', email.toUpperCase(), 'admin')).toEqual([
      'Grace now has the role admin in Team.',
    ]);
    expect((await list())[1].role).toBe('admin');
    expect(await run('remove', grace.id)).toEqual(['Grace is no longer a member of Team.']);
    expect(await list()).toHaveLength(1);
  });

  test('by id, with a role, and as JSON', async () => {
    const { grace, run } = await team();
    const json = async (command: string, ...rest: string[]) =>
      JSON.parse((await run(command, grace.id, ...rest, '--json')).join('\n'));
    expect(await json('add', '--role', 'admin')).toMatchObject({ user_id: grace.id, role: 'admin' });
    expect(await json('set-role', 'member')).toMatchObject({ user_id: grace.id, role: 'member' });
    expect(await json('remove')).toEqual({
      user_id: grace.id,
      removed: true,
      workspace_keys: 0,
      revoked_keys: false,
    });
  });

  test('removing someone says how many workspace keys they made, and revokes them when told to', async () => {
    const { workspace, grace, run } = await team();
    const issue = () =>
      steno.keys.issue(operator, workspaceKeysOf(workspace.id), { name: 'Bot', user_id: grace.id });
    const { key } = await issue();
    const works = async () => (await steno.call('GET', '/me', { key })).status;
    await run('add', grace.id);
    const [kept] = await run('remove', grace.id);
    expect(kept).toContain('Workspace keys they created: 1, still working.');
    expect(await works()).toBe(200);
    await run('add', grace.id);
    const [revoked] = await run('remove', grace.id, '--revoke-keys');
    expect(revoked).toContain('Workspace keys they created: 1, now revoked.');
    expect(await works()).toBe(401);
  });

  test('the list is columns for people', async () => {
    const { admin, run } = await team();
    const [printed = ''] = await run('list');
    expect(printed).toMatch(/^ID +NAME +E-MAIL +ROLE +MANAGED +SINCE \(UTC\)\n/);
    expect(printed).toMatch(new RegExp(`\n${admin.id} +Team admin +- +admin +no +20`));
  });

  test('the last admin stays, and nobody is added twice', async () => {
    const { admin, run, list } = await team();
    const before = await list();
    await expect(run('set-role', admin.id, 'member')).rejects.toMatchObject({ code: 'conflict' });
    await expect(run('remove', admin.id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(run('add', admin.id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await list()).toEqual(before);
  });

  test('an unknown workspace, person or member is not found; a role must be one', async () => {
    const { grace, run } = await team();
    const missing = { code: 'not_found' };
    for (const [command, ...rest] of [
      ['list'],
      ['add', grace.id],
      ['set-role', grace.id, 'admin'],
      ['remove', grace.id],
    ])
      await expect(
        runBeside(steno, ['workspaces', 'members', command ?? '', unknownId, ...rest]),
      ).rejects.toMatchObject(missing);
    await expect(run('add', 'nobody@example.org')).rejects.toMatchObject(missing);
    await expect(run('set-role', grace.id, 'admin')).rejects.toMatchObject(missing);
    await expect(run('remove', grace.id)).rejects.toMatchObject(missing);
    await expect(run('add', grace.id, '--role', 'owner')).rejects.toThrow(/^error: /);
    await expect(run('set-role', grace.id, 'owner')).rejects.toThrow(/^error: /);
  });
});
