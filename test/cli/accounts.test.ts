import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../support/commands.ts';
import { type ServerProcess, startServer } from '../support/process.ts';
import { anyDatabase, type DatabaseKind, emptyDatabase } from '../support/steno.ts';

/** Commands beside a running server, as an operator types them. */
function useServer(databaseKind: DatabaseKind) {
  let server: ServerProcess;
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  beforeAll(async () => {
    database = await emptyDatabase(databaseKind);
    server = await startServer(database.config);
  });
  afterAll(async () => {
    await server.stop();
    await database.dispose();
  });

  const steno = (...args: string[]) =>
    runCommand(args, {
      STENO_DATA_DIR: database.config.dataDir,
      STENO_DATABASE_URL: database.config.databaseUrl,
      STENO_DEFAULT_PLAN: 'pro',
    });

  /** What a command prints with --json. */
  async function json(...args: string[]) {
    const ended = await steno(...args, '--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ended.stdout);
  }

  const call = async (path: string, key: string, method = 'GET', body?: object) => {
    const response = await fetch(`${server.address}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  return { steno, json, call, address: () => server.address };
}

describe.each(anyDatabase)('keys made beside a running server on %s', (databaseKind) => {
  const { steno, json, call } = useServer(databaseKind);

  test('a key works in the running server when it is made and stops working when it is revoked', async () => {
    const owner = (await json('users', 'list'))[0];
    const made = await json(
      'keys',
      'create',
      '--name',
      'Laptop',
      '--user',
      owner.id,
      '--expires-in-days',
      '2',
    );
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Laptop',
      key: expect.stringMatching(/^owk_live_/),
      key_prefix: made.key.slice(0, 16),
      scopes: ['notes:read', 'notes:write', 'transcriptions:read', 'usage:read'],
      last_used_at: null,
      last_used_route: null,
      allowed_addresses: null,
      expires_at: new Date(Date.parse(made.created_at) + 2 * 86_400_000).toISOString(),
      created_at: expect.any(String),
      kind: 'personal',
      user_id: owner.id,
      workspace_id: null,
    });
    expect((await call('/me', made.key)).status).toBe(200);
    expect(await steno('keys', 'revoke', made.id)).toMatchObject({
      code: 0,
      stdout: `Revoked ${made.id}.\n`,
    });
    expect((await call('/me', made.key)).status).toBe(401);
    expect(await json('keys', 'revoke', made.id)).toEqual({ id: made.id, revoked: true });
  });

  test('of six keys made at the same time the sixth is refused', async () => {
    const { id } = await json('users', 'add', '--name', 'Grace');
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        steno('keys', 'create', '--user', id, '--name', `key ${index}`),
      ),
    );
    expect(all.map(({ code }) => code).sort()).toEqual([0, 0, 0, 0, 0, 3]);
    expect(all.find(({ code }) => code === 3)?.stderr).toContain('at most 5 active keys');
    expect(await json('keys', 'list', '--user', id)).toHaveLength(5);
  });
});

// Both databases have the same suites below the command line: one is enough here.
describe('the command line beside a running server', () => {
  const { steno, json, call, address } = useServer('sqlite');

  test('the first account is an operator, and the right is given and taken at the command line', async () => {
    const isOperator = async (who: string) => {
      const { url } = await json('users', 'sign-in-link', who);
      const link = `${address()}${new URL(url).pathname}${new URL(url).search}`;
      const cookie = (await fetch(link)).headers.get('set-cookie')?.split(';')[0] ?? '';
      const headers = { cookie, origin: address() };
      const signedIn = await fetch(link, { method: 'POST', headers, redirect: 'manual' });
      return (await call('/me', signedIn.headers.get('set-auth-token') ?? '')).body.data.operator;
    };
    const [owner] = await json('users', 'list');
    expect(await isOperator(owner.id)).toBe(true);
    const { id } = await json('users', 'add', '--name', 'Rosa', '--email', 'rosa@example.org');
    expect(await isOperator(id)).toBe(false);
    expect(await json('users', 'operator', 'Rosa@example.org')).toMatchObject({ id, is_operator: true });
    expect(await isOperator(id)).toBe(true);
    const taken = await steno('users', 'operator', id, '--remove');
    expect(taken).toMatchObject({ code: 0, stdout: `Rosa (${id}) is no longer an operator.\n` });
    expect(await isOperator(id)).toBe(false);
    expect(await steno('users', 'operator', 'nobody@example.org')).toMatchObject({ code: 3 });
  });

  test('a person is added with the default plan, given another that counts at once, and removed with everything', async () => {
    const ada = await json('users', 'add', '--name', ' Ada ', '--email', 'Ada@Example.org');
    expect(ada).toMatchObject({ name: 'Ada', email: 'ada@example.org', plan: 'pro' });
    const again = await steno('users', 'add', '--name', 'Ada', '--email', 'ADA@example.org');
    expect(again).toMatchObject({ code: 3, stdout: '' });
    expect(again.stderr).toMatch(/^There is already an account [^\n]+\.\n$/);

    const { key } = await json(
      'keys',
      'create',
      '--user',
      'ADA@example.org',
      '--name',
      'k',
      '--scopes',
      'all',
    );
    expect((await call('/me', key)).body.data).toMatchObject({ plan: 'pro', scopes: { length: 10 } });
    expect(await json('users', 'set-plan', ada.id, 'free')).toMatchObject({ id: ada.id, plan: 'free' });
    expect((await call('/me', key)).body.data.plan).toBe('free');

    expect((await call('/notes/create', key, 'POST', { content: 'gone soon' })).status).toBe(201);
    const unsure = await steno('users', 'remove', 'ada@example.org');
    expect(unsure).toMatchObject({ code: 3, stdout: '' });
    expect(unsure.stderr).toContain('add --yes');
    expect((await call('/me', key)).status).toBe(200);
    expect(await json('users', 'remove', 'ada@example.org', '--yes')).toMatchObject({ id: ada.id });
    expect((await call('/me', key)).status).toBe(401);
    expect((await json('users', 'list')).map(({ name }: { name: string }) => name)).not.toContain('Ada');
    expect(await steno('users', 'remove', ada.id, '--yes')).toMatchObject({
      code: 3,
      stderr: 'User not found\n',
    });
  });

  test('a sign-in link signs a person in to the running server, once', async () => {
    const user = await json('users', 'add', '--name', 'Grace', '--email', 'grace@north.example');
    const printed = await steno('users', 'sign-in-link', 'Grace@north.example');
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    const { pathname, search } = new URL(printed.stdout.trim());
    const open = (options?: RequestInit) =>
      fetch(`${address()}${pathname}${search}`, { redirect: 'manual', ...options });
    const page = await open();
    expect(page.status).toBe(200);
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
    const opened = await open({ method: 'POST', headers: { cookie } });
    expect(opened.status).toBe(303);
    const me = await call('/me', String(opened.headers.get('set-auth-token')));
    expect(me.body.data).toMatchObject({ user_id: user.id, key: null });
    expect((await open()).status).toBe(401);
    expect((await json('users', 'sign-in-link', user.id)).url).toContain('/api/auth/sign-in/link?token=');
    expect((await steno('users', 'sign-in-link', 'nobody')).code).toBe(3);
  });

  test('without a name, a sign-in link is for the only user; with several, it asks for whom', async () => {
    await json('users', 'add', '--name', 'Another');
    const { code, stderr } = await steno('users', 'sign-in-link');
    expect([code, stderr]).toEqual([2, expect.stringContaining('user')]);
  });

  test('the first account gets an address and a name; an address that is taken is refused', async () => {
    const [owner] = await json('users', 'list');
    expect(owner.email).toBeNull();
    const address = 'owner@north.example';
    const printed = await steno('users', 'set-email', owner.id, address.toUpperCase());
    expect(printed).toMatchObject({
      code: 0,
      stdout: `Owner (${owner.id}) now signs in with ${address}.\n`,
    });
    expect(await json('users', 'set-name', address, 'Olga')).toEqual({
      ...owner,
      email: address,
      name: 'Olga',
    });
    await json('users', 'add', '--name', 'Other', '--email', 'other@north.example');
    const taken = await steno('users', 'set-email', owner.id, 'other@north.example');
    expect(taken).toMatchObject({ code: 3, stdout: '' });
    expect(taken.stderr).toMatch(/^There is already an account /);
    expect((await steno('users', 'set-email', owner.id, 'nowhere')).code).toBe(2);
    expect((await steno('users', 'set-email', 'nobody', 'a@b.example')).code).toBe(3);
    expect((await json('users', 'list'))[0]).toMatchObject({ email: address, name: 'Olga' });
  });

  test('a workspace, its spaces and its keys', async () => {
    const lin = await json('users', 'add', '--name', 'Lin');
    const workspace = await json('workspaces', 'add', '--name', 'Field team', '--admin', lin.id);
    expect(workspace).toMatchObject({ name: 'Field team', plan: 'pro' });
    const space = await json(
      'spaces',
      'add',
      '--workspace',
      workspace.id,
      '--name',
      'Interviews',
      '--emoji',
      '🎙',
    );
    expect(space).toMatchObject({ name: 'Interviews', slug: 'interviews', emoji: '🎙', description: null });
    const made = await json('keys', 'create', '--workspace', workspace.id, '--name', 'Bot');
    expect(made).toMatchObject({ kind: 'workspace', workspace_id: workspace.id, user_id: lin.id });
    const { key } = made;
    expect((await call('/spaces/list', key)).body.data).toEqual([space]);

    const renamed = await json('spaces', 'rename', space.id, 'Field notes');
    expect(renamed).toMatchObject({ id: space.id, name: 'Field notes', slug: 'interviews' });
    expect((await call('/spaces/list', key)).body.data).toEqual([renamed]);
    expect(await json('spaces', 'list', '--workspace', workspace.id)).toEqual([renamed]);

    expect(await json('workspaces', 'set-plan', workspace.id, 'free')).toMatchObject({ plan: 'free' });
    expect((await call('/me', key)).body.data.plan).toBe('free');
    expect(await json('workspaces', 'list')).toMatchObject([{ id: workspace.id, plan: 'free' }]);

    expect(await json('spaces', 'archive', space.id)).toEqual({ id: space.id, archived: true });
    expect((await call('/spaces/list', key)).body.data).toEqual([]);
    expect(await steno('spaces', 'rename', space.id, 'Again')).toMatchObject({ code: 3 });
    expect(await json('keys', 'list', '--workspace', workspace.id)).toMatchObject([{ id: made.id }]);
    await json('keys', 'revoke', made.id);
    expect((await call('/spaces/list', key)).status).toBe(401);
  });

  test('lists are aligned columns without escapes, and no list shows a hash', async () => {
    await json('users', 'add', '--name', 'Zoë 山田');
    const { stdout } = await steno('users', 'list');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID +NAME +E-MAIL +PLAN +CREATED \(UTC\)$/);
    const planAt = head?.indexOf('PLAN');
    // 山田 takes two columns of a terminal for each of its two characters.
    for (const row of rows)
      expect(row.search(/ (free|pro|business) /) + 1 + (row.includes('山田') ? 2 : 0)).toBe(planAt);
    const keys = await steno('keys', 'list');
    expect(keys.stdout).toMatch(/First key +owk_live_\w/);
    expect(JSON.stringify(await json('keys', 'list'))).not.toContain('key_hash');
  });
});
