import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, signInByLink, useBrowser } from '../support/browser.ts';
import { openMailbox } from '../support/mailbox.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('several people in one browser', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  let people = 0;
  beforeAll(async () => {
    mailbox = await openMailbox();
    steno = await startSteno({ config: { smtpUrl: mailbox.url } });
  });
  afterAll(async () => {
    await steno.close();
    await mailbox.close();
  });

  async function person(name: string) {
    people += 1;
    const email = `${name.toLowerCase()}${people}@example.org`;
    const user = await steno.users.add({ name, email, plan: 'business' });
    const titles = async () => {
      const { token } = await steno.signIn(user);
      const { body } = await steno.call('GET', '/notes/list', { key: token });
      return body.data.map(({ title }: { title: string }) => title);
    };
    return { user, email, titles };
  }
  const creating = '**/api/v1/notes/create';

  /** In the page as it is, without loading it again. */
  async function signInByCode(page: Page, email: string) {
    const before = mailbox.mails.length;
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Send code' }).click();
    const field = page.getByLabel('Six-digit code');
    await field.waitFor();
    await expect.poll(() => mailbox.mails.length).toBeGreaterThan(before);
    await field.fill(mailbox.codeFor(email));
  }
  const endSession = async (page: Page, origin: string) => {
    const answer = await page.context().request.post(`${origin}/api/auth/sign-out`, {
      headers: { origin },
      data: {},
    });
    expect(answer.ok()).toBe(true);
  };
  /** Everything that the browser keeps of texts and recordings. */
  const kept = (page: Page) =>
    page.evaluate<string>(`new Promise((resolve) => {
      const opening = indexedDB.open('steno');
      opening.onsuccess = () => {
        const all = opening.result.transaction('kept').objectStore('kept').getAll();
        all.onsuccess = () => resolve(JSON.stringify([all.result, { ...localStorage }]));
      };
    })`);

  test('a save that is answered after another person signed in is nothing of theirs', async () => {
    const [ada, eve] = [await person('Ada'), await person('Eve')];
    const { page, close } = await openConsole(browser.get(), steno, { user: ada.user, path: '/notes/new' });
    const held = Promise.withResolvers<Route>();
    await page.route(creating, (route) => held.resolve(route));
    await page.getByLabel('Title').fill('Of Ada');
    const route = await held.promise;
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out and delete them' }).click();
    await signInByCode(page, eve.email);
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
    await route.abort().catch(() => {});
    await page.unroute(creating);
    await page.getByRole('link', { name: 'Notes', exact: true }).click();
    await page.getByText('No notes yet').waitFor();
    await page.reload();
    await page.getByText('No notes yet').waitFor();
    expect(await page.getByText('Of Ada').count()).toBe(0);
    expect(await kept(page)).not.toContain('Of Ada');
    expect(await eve.titles()).toEqual([]);
    await close();
  });

  test('signing out deletes only one’s own unsaved texts, and names them before', async () => {
    const [ada, eve] = [await person('Ada'), await person('Eve')];
    const opened = await openConsole(browser.get(), steno, { user: ada.user, path: '/notes/new' });
    const { page, origin, close } = opened;
    await page.route(creating, (route) => route.abort());
    await page.getByLabel('Title').fill('Of Ada');
    await page.getByText(/^Not saved: /).waitFor();
    await endSession(page, origin);
    await signInByLink(page, origin, steno, eve.user);
    await page.getByRole('button', { name: 'New note' }).first().click();
    await page.getByLabel('Title').fill('Of Eve');
    await page.getByText(/^Not saved: /).waitFor();
    expect(await page.getByText('Of Ada').count()).toBe(0);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    const question = page.getByRole('dialog');
    await question.getByText(/1 note.*“Of Eve”/).waitFor();
    expect(await question.getByText('Of Ada').count()).toBe(0);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign out and delete them' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => kept(page)).not.toContain('Of Eve');
    await page.unroute(creating);
    await signInByCode(page, ada.email);
    await page.getByRole('link', { name: 'Notes', exact: true }).click();
    await expect.poll(ada.titles).toEqual(['Of Ada']);
    expect(await eve.titles()).toEqual([]);
    await close();
  });

  test('a session that ends while somebody writes: they sign in there, and the last words are saved', async () => {
    const ada = await person('Ada');
    const { page, origin, close } = await openConsole(browser.get(), steno, {
      user: ada.user,
      path: '/notes/new',
    });
    await page.getByLabel('Title').fill('Plan');
    await page.getByText('Saved', { exact: true }).waitFor();
    const { pathname } = new URL(page.url());
    await endSession(page, origin);
    await page.getByLabel('Title').fill('Plan of Ada');
    await page
      .getByText(/You’re signed out/)
      .first()
      .waitFor();
    await page.getByLabel('Title').fill('Plan of Ada, whole');
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
    await signInByCode(page, ada.email);
    await page.getByText('Saved', { exact: true }).waitFor();
    await expect.poll(ada.titles).toEqual(['Plan of Ada, whole']);
    expect(new URL(page.url()).pathname).toBe(pathname);
    expect(await page.getByLabel('Title').inputValue()).toBe('Plan of Ada, whole');
    await close();
  });
});
