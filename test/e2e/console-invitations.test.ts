import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
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

  test('an admin invites an address; who has it signs in, reads what it means, and accepts', {
    tags: 'slow',
  }, async () => {
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
    await phone.page.getByRole('link', { name: 'I have an account' }).click();
    expect(await phone.page.getByLabel('Email address').inputValue()).toBe(email);
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
    await phone.page.getByText('No notes in this space yet').filter({ visible: true }).waitFor();
    await phone.page.goto(`${phone.origin}/workspaces`);
    await phone.page.getByText('Manages you').waitFor();

    await page.reload();
    await page.getByRole('switch', { name: 'Managed: Grace <b>' }).and(page.locator(':checked')).waitFor();
    expect(await row.count()).toBe(0);
    expect([...desk.complaints, ...phone.complaints]).toEqual([]);
    await desk.close();
    await phone.close();
  });

  test.each(sizes)(
    'who has no account makes it with the invitation and lands in the shared space, on %s',
    async (_size, screen) => {
      const { workspace, user: admin, space } = await steno.team();
      const { token } = await steno.signIn(admin);
      const invite = async (email: string, managed: boolean): Promise<string> => {
        const path = `/api/workspaces/${workspace.id}/invitations`;
        const { body } = await steno.call('POST', path, { key: token, body: { email, managed } });
        return new URL(body.data.link).pathname;
      };
      people += 1;
      const email = `newcomer${people}@example.org`;
      const path = await invite(email, true);
      const { page, complaints, close } = await openConsole(browser.get(), steno, { path, ...screen });
      await page.getByRole('heading', { name: `${admin.name} invites you to “${workspace.name}”` }).waitFor();
      await page.getByText('This workspace will manage your account').waitFor();
      await page.getByText(`Your account will have the address ${email}.`).waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      await page.getByLabel('Your name').fill('Grace');
      await page.getByRole('button', { name: 'Create account and be managed' }).click();
      await page.getByText(`You’re now a member of “${workspace.name}”`, { exact: true }).waitFor();
      await page.waitForURL((url) => url.searchParams.get('space') === space.id);
      await page.getByText('No notes in this space yet').filter({ visible: true }).waitFor();

      // Signed in with another address, the page says whose invitation it is.
      const other = await invite(`somebody${people}@example.org`, false);
      await page.goto(new URL(other, page.url()).href);
      await page.getByText(`This invitation is for somebody${people}@example.org`).waitFor();
      await page.getByText(`You’re signed in as ${email}.`).waitFor();

      // The link is used up, for those who are signed in and for everybody else.
      await page.goto(new URL(path, page.url()).href);
      await page.getByText('Invitation not found').waitFor();
      await page.context().clearCookies();
      await page.reload();
      await page.getByText('Invitation not found').waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('an invitation for an address with an account leads to its sign-in', async () => {
    const { workspace, admin, email } = await team();
    const { token } = await steno.signIn(admin);
    const { body } = await steno.call('POST', `/api/workspaces/${workspace.id}/invitations`, {
      key: token,
      body: { email },
    });
    const path = new URL(body.data.link).pathname;
    const { page, close } = await openConsole(browser.get(), steno, { path });
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await page.getByText(`${email} already has an account. Sign in to accept.`).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.getByLabel('Email address').inputValue()).toBe(email);
    await close();
  });

  test('an invitation is sent again, then revoked; the person is told that it is gone', {
    tags: 'slow',
  }, async () => {
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

  test('who declines is no member; a member who is asked to be managed decides too', {
    tags: 'slow',
  }, async () => {
    const { workspace, admin, guest, email, path } = await team();
    await steno.members.add(operator, workspace.id, { user_id: guest.id, role: 'member' });
    const desk = await openConsole(browser.get(), steno, { user: admin, path });
    const managed = desk.page.getByRole('switch', { name: 'Managed: Grace <b>' });
    await managed.click();
    await desk.page.getByText(`This sends an invitation to ${email}.`).waitFor();
    expect(await seriousProblems(desk.page)).toEqual([]);
    await desk.page.getByRole('button', { name: 'Send invitation' }).click();
    await desk.page.getByText(`Send this link to ${email}`).waitFor();
    await desk.page.getByText('This server doesn’t send invitations by email.').waitFor();
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
