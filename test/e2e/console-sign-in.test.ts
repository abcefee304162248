import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { openMailbox } from '../support/mailbox.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('signing in to the console', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  beforeAll(async () => {
    mailbox = await openMailbox();
    steno = await startSteno({ config: { smtpUrl: mailbox.url } });
  });
  afterAll(async () => {
    await steno.close();
    await mailbox.close();
  });

  test('a mailed code opens the page that was asked for; a wrong one says so', async () => {
    const email = 'ada@example.org';
    await steno.users.add({ name: 'Ada', email, plan: 'pro' });
    const { page, complaints, close } = await openConsole(browser.get(), steno, { path: '/account' });
    // The browser lets this one through; the server does not.
    await page.getByLabel('Email address').fill('ada@localhost');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('Enter a valid email address.').waitFor();
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Send code' }).click();
    const field = page.getByLabel('Six-digit code');
    await field.waitFor();
    await expect.poll(() => mailbox.mails.length).toBe(1);
    const code = mailbox.codeFor(email);
    await field.fill(code === '000000' ? '111111' : '000000');
    await page.getByText('This code is wrong or has expired.').waitFor();
    await field.fill(code);
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
    await page.getByText('Ada · ada@example.org').waitFor();
    expect(new URL(page.url()).pathname).toBe('/account');
    expect(complaints).toEqual([]);
    await close();
  });

  test('the printed link opens the notes once; the second time the door explains why not', async () => {
    const { user } = await steno.person();
    const { path } = await steno.sessions.createSignInLink(user.id);
    const { page, complaints, close } = await openConsole(browser.get(), steno, { path });
    await page.getByText('Welcome, Ada').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'All notes' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
    const again = await openConsole(browser.get(), steno, { path });
    await again.page.getByText('This sign-in link has already been used').waitFor();
    await again.close();
  });

  test('signing out closes the door, and going back does not open it', async () => {
    const { user } = await steno.person();
    const { page, close } = await openConsole(browser.get(), steno, { user });
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await close();
  });

  test.each(sizes)(
    'another session can be ended from here, and its page goes to the door, on %s',
    async (_size, screen) => {
      const { user } = await steno.person();
      const other = await openConsole(browser.get(), steno, { user });
      const { page, close } = await openConsole(browser.get(), steno, { user, path: '/account', ...screen });
      await page.getByRole('button', { name: 'End session' }).click();
      await page.getByText('Session ended', { exact: true }).waitFor();
      await other.page.goto(`${other.origin}/keys`);
      await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await other.close();
      await close();
    },
  );

  test('a door that was told to lead elsewhere leads home', { tags: 'slow' }, async () => {
    const { user } = await steno.person();
    const { page, origin, complaints, close } = await openConsole(browser.get(), steno, { user });
    for (const next of ['//evil.example', '/%09/evil.example', '/%5Cevil.example', 'https://evil.example']) {
      await page.goto(`${origin}/sign-in?next=${next}`);
      await page.getByRole('heading', { name: 'All notes' }).waitFor();
      expect([next, complaints]).toEqual([next, []]);
    }
    await close();
  });
});
