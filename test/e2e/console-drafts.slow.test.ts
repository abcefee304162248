import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, type NewNote, openConsoleWithNotes, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('what is written is never lost', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  const opened = (notes: NewNote[] = [], path = '/notes') =>
    openConsoleWithNotes(browser.get(), steno, notes, path);

  async function writeNew(page: Page, title: string, content: string) {
    await page.getByRole('button', { name: 'New note' }).first().click();
    await page.getByLabel('Title').fill(title);
    await page.getByLabel('Note text').fill(content);
  }

  /** A page that is closed sends its text once more, and that may arrive. One that dies sends nothing. */
  async function kill(page: Page) {
    const devTools = await page.context().newCDPSession(page);
    const died = page.waitForEvent('crash');
    void devTools.send('Page.crash').catch(() => {});
    await died;
    await page.close();
  }

  test('two notes written offline outlive their tab and are saved once each', async () => {
    const { page, origin, stored, close } = await opened();
    const context = page.context();
    await page.getByText('No notes yet').waitFor();
    await context.setOffline(true);
    await writeNew(page, 'One', 'first');
    await page.getByText(/^Not saved: /).waitFor();
    await writeNew(page, 'Two', 'second');
    await page.getByText(/^Not saved: /).waitFor();
    await page.getByRole('link', { name: /One.*Not saved yet/ }).waitFor();
    await kill(page);
    await context.setOffline(false);
    const again = await context.newPage();
    await again.goto(`${origin}/notes`);
    await expect.poll(async () => (await stored()).length).toBe(2);
    await again.getByRole('link', { name: /Two/ }).waitFor();
    await expect.poll(() => again.getByText('Not saved yet').count()).toBe(0);
    await again.reload();
    await again.getByRole('link', { name: /One/ }).waitFor();
    const contents = async () => (await stored()).map((note: { content: string }) => note.content).sort();
    await expect.poll(contents).toEqual(['first', 'second']);
    await close();
  });

  test('a new note whose answer was lost is not created twice, and what was typed meanwhile is saved', async () => {
    const { page, stored, close } = await opened();
    let lost = 0;
    const written = Promise.withResolvers<void>();
    await page.route('**/api/v1/notes/create', async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      await written.promise;
      await page.getByLabel('Note text').fill('first and more');
      return route.abort();
    });
    await writeNew(page, 'Trip', 'first');
    written.resolve();
    await page.getByText('Saved', { exact: true }).waitFor({ timeout: 30_000 });
    await expect.poll(stored).toMatchObject([{ title: 'Trip', content: 'first and more' }]);
    expect(lost).toBe(1);
    await close();
  });

  test('a change made offline outlives its tab', async () => {
    const { page, origin, stored, close } = await opened([{ title: 'Plan', content: 'old' }], '/notes/{0}');
    const context = page.context();
    await page.getByRole('heading', { name: 'Plan' }).waitFor();
    await page.getByRole('button', { name: 'Write' }).click();
    await context.setOffline(true);
    await page.getByLabel('Note text').fill('new');
    await page.getByText(/^Not saved: /).waitFor();
    await kill(page);
    await context.setOffline(false);
    const again = await context.newPage();
    await again.goto(`${origin}/notes`);
    await expect.poll(async () => (await stored())[0].content).toBe('new');
    await close();
  });

  test('a note may have a title alone', async () => {
    const { page, stored, close } = await opened();
    await page.getByRole('button', { name: 'New note' }).first().click();
    await page.getByLabel('Title').fill('Milk');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toMatchObject([{ title: 'Milk', content: '' }]);
    await close();
  });

  test('a note can be cleared, and stays so', async () => {
    const { page, stored, close } = await opened([{ title: 'Plan', content: 'old' }], '/notes/{0}');
    await page.getByRole('heading', { name: 'Plan' }).waitFor();
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByLabel('Note text').fill('');
    await expect.poll(async () => (await stored())[0].content).toBe('');
    await page.reload();
    await page.getByRole('heading', { name: 'Plan' }).waitFor();
    expect(await page.getByText('old', { exact: true }).count()).toBe(0);
    await close();
  });

  test('signing out leaves no text behind in the browser, and asks before it deletes what was not saved', async () => {
    const { page, origin, close } = await opened();
    await page.getByText('No notes yet').waitFor();
    await page.route('**/api/v1/notes/create', (route) => route.abort());
    await writeNew(page, 'Secret', 'words');
    await page.getByText(/^Not saved: /).waitFor();
    await page.goto(`${origin}/account`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText(/that the server doesn’t have yet/).waitFor();
    await page.getByRole('button', { name: 'Sign out and delete them' }).click();
    await page.waitForURL(/sign-in/);
    const kept = () =>
      page.evaluate<number>(`new Promise((resolve) => {
        const opening = indexedDB.open('steno');
        opening.onsuccess = () => {
          const all = opening.result.transaction('kept').objectStore('kept').count();
          all.onsuccess = () => resolve(all.result);
        };
      })`);
    await expect.poll(kept).toBe(0);
    await close();
  });
});
