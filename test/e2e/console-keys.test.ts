import { afterAll, beforeAll, expect, test } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startReceiver } from '../support/receiver.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const dayMs = 24 * 60 * 60_000;

describeInBrowser('keys, webhooks and workspaces in the console', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ config: { webhookNetworks: ['127.0.0.1'] } });
  });
  afterAll(() => steno.close());

  test('a key is made with its scopes, works by the command shown, and stops when revoked', async () => {
    const user = await steno.users.add({ name: 'Ada', email: null, plan: 'pro' });
    const { page, origin, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/keys',
    });
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Backup');
    await dialog.getByLabel('Write notes and folders').uncheck();
    await dialog.getByLabel('Expires').selectOption('In 30 days');
    const before = Date.now();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByLabel('Key', { exact: true }).inputValue();
    expect(key).toMatch(/^owk_live_[A-Za-z0-9_-]{43}$/);
    expect(await page.getByLabel('Try it').inputValue()).toBe(
      `curl -H "Authorization: Bearer ${key}" ${origin}/api/v1/notes/list`,
    );

    const use = (path: string, method = 'GET') =>
      fetch(`${origin}/api/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } });
    expect((await use('/notes/list')).status).toBe(200);
    expect((await use('/notes/create', 'POST')).status).toBe(403);
    const { data } = JSON.parse(await (await use('/me')).text());
    expect(data.scopes).toEqual(['notes:read', 'transcriptions:read', 'usage:read']);
    const made = Date.parse(data.expires_at) - 30 * dayMs;
    expect([made >= before, made <= Date.now()]).toEqual([true, true]);

    // It is told once, so it is still there after a look at another screen.
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('You’re on the Pro plan.').waitFor();
    await page.getByRole('link', { name: 'Keys' }).click();
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe(key);
    expect(await page.getByLabel('Run this command').inputValue()).toBe(
      `claude mcp add --transport http steno ${origin}/mcp --header "Authorization: Bearer ${key}"`,
    );
    await page.getByLabel('Connect an assistant').selectOption('Cursor');
    const forCursor = JSON.parse(await page.getByLabel('Put this in ~/.cursor/mcp.json').inputValue());
    expect(forCursor.mcpServers.steno).toEqual({
      url: `${origin}/mcp`,
      headers: { Authorization: `Bearer ${key}` },
    });

    await page.getByRole('button', { name: 'I’ve copied it' }).click();
    await page.reload();
    await page.getByText('Backup').waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByRole('button', { name: 'Revoke Backup' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No keys yet').waitFor();
    expect((await use('/notes/list')).status).toBe(401);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a key works only from its addresses, shows its last call, and is replaced by another', {
    tags: 'slow',
  }, async () => {
    const user = await steno.users.add({ name: 'Ada', email: null, plan: 'pro' });
    const { page, origin, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/keys',
    });
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Office');
    await dialog.getByRole('button', { name: 'Read only' }).click();
    expect(await dialog.getByLabel('Write notes and folders').isChecked()).toBe(false);
    expect(await dialog.getByLabel('Read snippets').isChecked()).toBe(true);
    await dialog.getByLabel('Works from').fill('127.0.0.0/8, 2001:db8::/32');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByLabel('Key', { exact: true });
    const old = await shown.inputValue();
    await page.getByText('Only from 127.0.0.0/8, 2001:db8::/32').waitFor();
    const use = async (key: string) =>
      (await fetch(`${origin}/api/v1/notes/list`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await use(old)).toBe(200);
    await page.getByRole('button', { name: 'Replace Office' }).click();
    await dialog.getByLabel('Old key stops working').selectOption('Immediately');
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await expect.poll(() => shown.inputValue()).not.toBe(old);
    expect([await use(old), await use(await shown.inputValue())]).toEqual([401, 200]);
    // The server writes it down every half minute.
    const [made] = await steno.keys.list(operator, personalKeysOf(user.id));
    const used = { at: new Date().toISOString(), route: 'GET /api/v1/notes/list' };
    await steno.store.keys.touch(new Map([[made?.id ?? '', used]]));
    await page.reload();
    await page.getByText('(GET /api/v1/notes/list)').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a key without any scope is not made', async () => {
    const user = await steno.users.add({ name: 'Ada', email: null, plan: 'pro' });
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/keys' });
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Nothing');
    for (const box of await dialog.getByRole('checkbox').all()) await box.uncheck();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Choose at least one.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('No keys yet').waitFor();
    await close();
  });

  test('a workspace gets a member, a space and a key that finds the space', async () => {
    const user = await steno.users.add({ name: 'Ada', email: null, plan: 'pro' });
    const grace = await steno.users.add({ name: 'Grace <b>', email: 'grace@example.org', plan: 'pro' });
    const { page, origin, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/workspaces',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByRole('button', { name: 'New workspace' }).click();
    await page.getByLabel('Name').fill('Editorial <i>desk</i>');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Editorial <i>desk</i>' }).waitFor();

    const workspaceId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await steno.members.add(operator, workspaceId, { user_id: grace.id, role: 'member' });
    await page.reload();
    await page.getByLabel('Role of Grace <b>').selectOption('Admin');
    await expect.poll(() => page.getByLabel('Role of Grace <b>').inputValue()).toBe('admin');
    await page.getByRole('button', { name: 'Remove Grace <b>' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Grace <b> is no longer a member', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page
      .getByText(/This is the last admin/)
      .first()
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('tab', { name: 'Spaces' }).click();
    await page.getByRole('button', { name: 'New space' }).click();
    await page.getByLabel('Name').fill('Interviews');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Copy ID of Interviews' }).click();
    await page
      .getByText(/Space ID copied/)
      .first()
      .waitFor();
    const spaceId = await page.evaluate('navigator.clipboard.readText()');

    await page.getByRole('tab', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Create workspace key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Desk tools');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByLabel('Key', { exact: true }).inputValue();
    const spaces = await fetch(`${origin}/api/v1/spaces/list`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await spaces.json()).toMatchObject({ data: [{ id: spaceId, name: 'Interviews' }] });
    expect(complaints).toEqual([]);
    await close();
  });

  test('who is no admin sees the people and can change nothing', async () => {
    const { workspace } = await steno.team();
    const { user: guest } = await steno.person({ name: 'Guest' });
    await steno.members.add(operator, workspace.id, { user_id: guest.id, role: 'member' });
    const { page, close } = await openConsole(browser.get(), steno, {
      user: guest,
      path: `/workspaces/${workspace.id}`,
    });
    await page.getByText('Team admin').waitFor();
    expect(await page.getByRole('button', { name: /Invite|Remove/ }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Keys' }).click();
    await page.getByText('Only admins of this workspace can change this.').waitFor();
    await close();
  });

  test('a webhook is added, paused, looked at and deleted', async () => {
    const { user, key } = await steno.person();
    const { page, complaints, close } = await openConsole(browser.get(), steno, { user, path: '/keys' });
    const receiver = await startReceiver();
    const { url } = receiver;
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByLabel('Address').fill(url);
    await page.getByRole('checkbox', { name: 'A note is deleted' }).uncheck();
    await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I’ve copied it' }).click();
    await page.getByRole('button', { name: `Pause ${url}` }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    const webhooks = async () => (await steno.call('GET', '/webhooks', { key })).body.data;
    await expect.poll(webhooks).toMatchObject([{ url, status: 'paused' }]);
    expect((await webhooks())[0].events).not.toContain('note.deleted');
    await page.getByRole('button', { name: `Recent deliveries to ${url}` }).click();
    await page.getByText('Nothing sent yet').waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('Test event').waitFor();
    await page.getByText('Headers').click();
    await page.getByText('webhook-id: msg_').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `New secret for ${url}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).not.toBe(secret);
    await page.getByRole('button', { name: 'I’ve copied it' }).click();
    await page.getByRole('button', { name: `Delete ${url}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Webhook deleted', { exact: true }).waitFor();
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['webhook.test']);
    await receiver.close();
    await expect.poll(webhooks).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});
