import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('the own account in the console', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  let people = 0;
  async function openAccount(screen: object) {
    people += 1;
    const email = `ada${people}@example.org`;
    const user = await steno.users.add({ name: 'Ada', email, plan: 'business' });
    return {
      user,
      email,
      ...(await openConsole(browser.get(), steno, { user, path: '/account', ...screen })),
    };
  }

  test.each(sizes)(
    'an app password is made, shown once, used by an app and revoked, on %s',
    async (_size, screen) => {
      const { page, email, complaints, close } = await openAccount(screen);
      await page.getByRole('button', { name: 'Add app password' }).click();
      await page.getByLabel('Which app is it for?').fill('My phone');
      expect(await seriousProblems(page)).toEqual([]);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const password = await page.getByLabel('App password', { exact: true }).inputValue();
      expect(await seriousProblems(page)).toEqual([]);
      const signIn = () => steno.call('POST', '/api/auth/sign-in/email', { body: { email, password } });
      const app = (await signIn()).body.token;
      await page.getByRole('button', { name: 'I’ve copied it' }).click();
      await page.reload();
      await page.getByText('last sign-in').waitFor();
      expect(await page.getByText(password).count()).toBe(0);
      await page.getByRole('button', { name: 'Revoke the password of My phone' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('App password revoked', { exact: true }).waitFor();
      expect((await steno.call('GET', '/me', { key: app })).status).toBe(401);
      expect((await signIn()).status).toBe(401);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test.each(sizes)(
    'an account is deleted after an export was offered and its address typed, on %s',
    async (_size, screen) => {
      const { page, user, email, close } = await openAccount(screen);
      const { workspace, user: admin } = await steno.team();
      await steno.members.add(operator, workspace.id, { user_id: user.id, role: 'admin' });
      await steno.members.update(operator, workspace.id, admin.id, { role: 'member' });
      await page.getByRole('button', { name: 'Delete account' }).click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.getByRole('link', { name: 'Export your data first' }).getAttribute('href')).toBe(
        '/api/v1/export',
      );
      expect(await seriousProblems(page)).toEqual([]);
      const typed = dialog.getByLabel(`Type ${email} to confirm`);
      const press = () => dialog.getByRole('button', { name: 'Delete account' }).click();
      await typed.fill('yes');
      await press();
      await dialog.getByText('This isn’t what it says above.').waitFor();
      await typed.fill(email);
      await press();
      await dialog.getByText(`You are the last admin of “${workspace.name}”`).waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      await steno.members.update(operator, workspace.id, admin.id, { role: 'admin' });
      await press();
      await page.getByText('Your account is deleted', { exact: true }).waitFor();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await steno.store.users.find(user.id)).toBeUndefined();
      await close();
    },
  );
});
