import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { capturedLog } from '../support/log.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('invitations in the console', () => {
  const browser = useBrowser();
  const captured = capturedLog();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ log: captured.log });
  });
  afterAll(() => steno.close());

  let people = 0;
  async function team() {
    people += 1;
    const email = `grace${people}@example.org`;
    const { workspace, user: admin } = await steno.team();
    const guest = await steno.users.add({ name: 'Grace <b>', email, plan: 'business' });
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    return { workspace, admin, guest, email, path: `/workspaces/${workspace.id}` };
  }
  /** The last code in the log, which is where mail goes without a mail server. */
  const lastCode = () => [...captured.text().matchAll(/Your code is (\d{6})/g)].at(-1)?.[1] ?? '';

  test('an admin invites an address; who has it signs in, reads what it means, and accepts', async () => {
    const { admin, email, path } = await team();
    const desk = await openConsole(browser.get(), steno, { user: admin, path });
    const { page } = desk;
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Manage their account').check();
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText(`Send this link to ${email}`).waitFor();
    const link = await page.getByLabel('Link to the invitation').inputValue();
    const row = page.getByRole('list', { name: 'Invitations' }).getByRole('listitem');
    await row.getByText('Managed', { exact: true }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);

    const phone = await openConsole(browser.get(), steno, { path: new URL(link).pathname });
    await phone.page.getByLabel('Email address').fill(email);
    await phone.page.getByRole('button', { name: 'Send code' }).click();
    const code = phone.page.getByLabel('Six-digit code');
    await code.waitFor();
    await expect.poll(lastCode).not.toBe('');
    await code.fill(lastCode());
    await phone.page.getByText('This workspace will manage your account').waitFor();
    await phone.page
      .getByText('It turns off changes to dictionary and snippets for managed members.')
      .waitFor();
    expect(await seriousProblems(phone.page)).toEqual([]);
    await phone.page.getByRole('button', { name: 'Accept and be managed' }).click();
    await phone.page.getByRole('heading', { name: 'Team' }).waitFor();
    await phone.page.getByRole('link', { name: 'Workspaces' }).first().click();
    await phone.page.getByText('Manages you').waitFor();

    await page.reload();
    await page.getByRole('switch', { name: 'Managed: Grace <b>' }).and(page.locator(':checked')).waitFor();
    expect(await row.count()).toBe(0);
    expect([...desk.complaints, ...phone.complaints]).toEqual([]);
    await desk.close();
    await phone.close();
  });

  test('an invitation is sent again, then revoked; the person is told that it is gone', async () => {
    const { admin, guest, email, path } = await team();
    const desk = await openConsole(browser.get(), steno, { user: admin, path });
    const { page } = desk;
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Send invitation' }).click();
    const link = page.getByLabel('Link to the invitation');
    const first = await link.inputValue();
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => link.inputValue()).not.toBe(first);
    const second = await link.inputValue();
    // Esc leaves the page; the link, which is told once, is there when the admin comes back.
    await page.keyboard.press('Escape');
    await page.getByRole('main').getByRole('link', { name: 'Team' }).click();
    expect(await link.inputValue()).toBe(second);
    const open = (address: string) =>
      openConsole(browser.get(), steno, { user: guest, path: new URL(address).pathname });
    const phone = await open(second);
    await phone.page.getByRole('button', { name: 'Accept', exact: true }).waitFor();
    await page.getByRole('button', { name: `Revoke the invitation to ${email}` }).click();
    await page.getByText(`The invitation to ${email} no longer works`, { exact: true }).waitFor();
    await phone.page.getByRole('button', { name: 'Accept', exact: true }).click();
    await phone.page.getByText('Not found', { exact: true }).waitFor();
    await phone.page.reload();
    await phone.page.getByText('Invitation not found').waitFor();
    await phone.page.getByText(`You’re signed in as ${email}.`).waitFor();
    await desk.close();
    await phone.close();
  });

  test('who declines is no member; a member who is asked to be managed decides too', async () => {
    const { workspace, admin, guest, email, path } = await team();
    await steno.members.add(operator, workspace.id, { user_id: guest.id, role: 'member' });
    const desk = await openConsole(browser.get(), steno, { user: admin, path });
    const managed = desk.page.getByRole('switch', { name: 'Managed: Grace <b>' });
    await managed.click();
    await desk.page.getByText(`Send this link to ${email}`).waitFor();
    expect(await managed.isChecked()).toBe(false);
    const link = await desk.page.getByLabel('Link to the invitation').inputValue();
    const phone = await openConsole(browser.get(), steno, { user: guest, path: new URL(link).pathname });
    await phone.page.getByRole('button', { name: 'Decline' }).click();
    await phone.page.getByText('Invitation declined', { exact: true }).waitFor();
    await desk.page.reload();
    await managed.waitFor();
    expect(await managed.isChecked()).toBe(false);
    expect(await steno.members.list(operator, workspace.id)).toMatchObject([{}, { managed: false }]);
    await desk.close();
    await phone.close();
  });

  test('removing a member offers to revoke the keys they created', async () => {
    const { workspace, admin, guest, path } = await team();
    await steno.members.add(operator, workspace.id, { user_id: guest.id, role: 'member' });
    const owner = { kind: 'workspace', workspaceId: workspace.id } as const;
    const { key } = await steno.keys.issue(operator, owner, { name: 'Bot', user_id: guest.id });
    const { page, close } = await openConsole(browser.get(), steno, { user: admin, path });
    await page.getByRole('button', { name: 'Remove Grace <b>' }).click();
    await page.getByLabel('Revoke the key they created for it').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Grace <b> is no longer a member', { exact: true }).waitFor();
    expect((await steno.call('GET', '/me', { key })).status).toBe(401);
    await close();
  });
});
