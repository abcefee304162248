import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/** A phone or computer with a passkey store, in Chromium itself. */
async function addAuthenticator(page: Page) {
  const debuggers = await page.context().newCDPSession(page);
  await debuggers.send('WebAuthn.enable');
  const { authenticatorId } = await debuggers.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () =>
      (await debuggers.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** Whether somebody touches it as soon as it is asked. */
    touch: (enabled: boolean) =>
      debuggers.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
  };
}

describeInBrowser('passkeys in the console', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  /** Passkeys belong to a name, so the console is opened at localhost. */
  async function openAt(screen: object) {
    const opened = await openConsole(browser.get(), steno, screen);
    const origin = opened.origin.replace('127.0.0.1', 'localhost');
    return { ...opened, origin, authenticator: await addAuthenticator(opened.page) };
  }
  async function followLink(page: Page, origin: string, user: { id: string }) {
    const { path } = await steno.sessions.createSignInLink(user.id);
    await page.goto(origin + path);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'All notes' }).waitFor();
  }

  test.each(sizes)(
    'a person adds one, signs in with it, names it and removes it, on %s',
    async (_size, screen) => {
      const { page, origin, authenticator, close } = await openAt(screen);
      const { user } = await steno.person();
      await followLink(page, origin, user);
      await page.goto(`${origin}/account`);
      await page.getByText('Sign in with your finger').waitFor();
      await page.getByRole('button', { name: 'Add passkey' }).click();
      await page.getByText('Passkey added', { exact: true }).waitFor();
      expect(await authenticator.credentials()).toMatchObject([
        { isResidentCredential: true, rpId: 'localhost' },
      ]);
      await page.getByText('not used yet').waitFor();
      expect(await seriousProblems(page)).toEqual([]);

      // The browser offers the key at the field, and would take it before the page is seen.
      await authenticator.touch(false);
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      await authenticator.touch(true);
      // The offer at the field may be taken before the button is pressed.
      const inside = page.getByRole('heading', { name: /Account|All notes/ });
      const button = page.getByRole('button', { name: 'Sign in with a passkey' });
      await Promise.any([button.click(), inside.waitFor()]);
      await inside.waitFor();

      await page.goto(`${origin}/account`);
      await page.getByText(/last used/).waitFor();
      await page.getByRole('button', { name: /^Rename / }).click();
      await page.getByLabel('Name', { exact: true }).fill('My laptop');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('My laptop', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Remove My laptop' }).click();
      expect(await seriousProblems(page)).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Sign in with your finger').waitFor();
      await close();
    },
  );

  test('a removed passkey is told so at the door', async () => {
    const { page, origin, authenticator, close } = await openAt({});
    const { user } = await steno.person();
    await followLink(page, origin, user);
    await page.goto(`${origin}/account`);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('Passkey added', { exact: true }).waitFor();
    await steno.database.db.deleteFrom('passkeys').where('user_id', '=', user.id).execute();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('This passkey didn’t sign you in').waitFor();
    expect(await authenticator.credentials()).toHaveLength(1);
    await close();
  });

  test('where the address has no name, nothing of passkeys shows', async () => {
    const { user } = await steno.person();
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/account' });
    await page.getByText('Where you’re signed in').waitFor();
    expect(await page.getByText('Passkeys').count()).toBe(0);
    await close();
  });
});
