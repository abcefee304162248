import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, onPhone, openConsole, useBrowser } from '../support/browser.ts';
import { createFakeSpeech } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/** What other files show on a desktop, by finger: where a list and a note are two pages, and most screens are behind "More". */
describeInBrowser('on a phone', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ speech: createFakeSpeech() });
  });
  afterAll(() => steno.close());

  async function open(notes: readonly object[] = []) {
    const { user, key } = await steno.person();
    for (const body of notes) await steno.call('POST', '/notes/create', { key, body });
    const opened = await openConsole(browser.get(), steno, { user, path: '/notes', ...onPhone });
    const stored = async () => (await steno.call('GET', '/notes/list', { key })).body.data;
    return { ...opened, key, stored };
  }
  const bar = (page: Page) => page.getByRole('navigation').filter({ visible: true });
  const sheet = (page: Page) => page.getByRole('dialog', { name: 'Steno' });
  const more = (page: Page) => bar(page).getByRole('button', { name: 'More' });
  /** What a finger cannot do. */
  const forMice = /\b(drop|click|press|drag|Esc|Enter|Ctrl|arrows|keyboard)\b/i;
  const back = (page: Page) =>
    page.getByRole('link', { name: 'All notes' }).filter({ visible: true }).first();

  test('what is written offline outlives its tab, a title is enough, and a note can be cleared', {
    tags: 'slow',
  }, async () => {
    const { page, origin, stored, complaints, close } = await open([{ title: 'Plan', content: 'old' }]);
    const context = page.context();
    await page.getByRole('link', { name: /Plan/ }).tap();
    await page.getByRole('button', { name: 'Write' }).tap();
    await page.getByLabel('Note text').fill('');
    await expect.poll(async () => (await stored())[0].content).toBe('');

    await context.setOffline(true);
    for (const title of ['Milk', 'Bread']) {
      await back(page).tap();
      await page.getByRole('button', { name: 'New note' }).tap();
      await page.getByLabel('Title').fill(title);
      await page.getByText(/^Not saved: /).waitFor();
    }
    await back(page).tap();
    await page.getByRole('link', { name: /Milk.*Not saved yet/ }).waitFor();
    await page.close();
    await context.setOffline(false);
    const again = await context.newPage();
    await again.goto(`${origin}/notes`);
    const titles = async () => (await stored()).map(({ title }: { title: string }) => title).sort();
    await expect.poll(titles).toEqual(['Bread', 'Milk', 'Plan']);
    await expect.poll(() => again.getByText('Not saved yet').count()).toBe(0);
    await again.reload();
    await again.getByRole('link', { name: /Milk/ }).tap();
    await again.getByRole('heading', { name: 'Milk' }).waitFor();
    expect(await titles()).toEqual(['Bread', 'Milk', 'Plan']);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a search looks in the open folder, and a refused list costs only itself', {
    tags: 'slow',
  }, async () => {
    const { page, key, close } = await open(
      Array.from({ length: 51 }, (_, at) => ({ title: `Note ${at}`, content: 'words' })),
    );
    const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'Work' } })).body.data;
    const body = { title: 'Apart', content: 'words', folder_id: folder.id };
    await steno.call('POST', '/notes/create', { key, body });
    await page.reload();
    await page.getByRole('searchbox', { name: 'Search notes' }).fill('words');
    await page.getByText('The best 50 of 52 notes found').waitFor();
    await page.getByRole('link', { name: 'Work' }).filter({ visible: true }).tap();
    await page.getByRole('searchbox', { name: 'Search in Work' }).fill('words');
    await page.getByText('1 note found').waitFor();

    await page.route('**/api/v1/dictionary/list*', (route) => {
      const json = { error: { code: 'rate_limited', message: 'too many requests' } };
      return route.fulfill({ status: 429, headers: { 'retry-after': '7' }, json });
    });
    await more(page).tap();
    await sheet(page).getByRole('link', { name: 'Dictionary' }).tap();
    await page.getByText('Too many requests').waitFor();
    await bar(page).getByRole('link', { name: 'Notes' }).tap();
    await page.getByRole('link', { name: /^Note 50/ }).waitFor();
    await close();
  });

  test('the sheet "More" holds the other screens, fits, and closes when one or the palette is chosen', async () => {
    const { page, close } = await open();
    await more(page).tap();
    for (const name of ['Dictionary', 'Snippets', 'Usage', 'Keys', 'Workspaces', 'Account', 'API docs']) {
      const box = await sheet(page).getByRole('link', { name }).boundingBox();
      expect([name, box && box.y >= 0 && box.y + box.height <= 844 && box.height >= 40]).toEqual([
        name,
        true,
      ]);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => sheet(page).count()).toBe(0);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('More');
    await more(page).tap();
    await sheet(page).getByRole('link', { name: 'Keys' }).tap();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await expect.poll(() => sheet(page).count()).toBe(0);

    await more(page).tap();
    await sheet(page).getByRole('button', { name: 'Search and commands' }).tap();
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    // The sheet gives the focus back when it closes, but not now.
    await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('combobox');
    expect(await sheet(page).count()).toBe(0);
    expect(await palette.innerText()).not.toMatch(forMice);
    await page.keyboard.type('snip');
    await palette.getByRole('option', { name: 'Snippets' }).tap();
    await page.getByRole('heading', { name: 'Snippets', level: 1 }).waitFor();
    await expect.poll(() => palette.count()).toBe(0);
    await close();
  });

  test('the first screen and that of files speak of fingers', async () => {
    const { page, close } = await open();
    const words = () => page.locator('main').innerText();
    await page.getByText('Record your first note').filter({ visible: true }).waitFor();
    expect(await words()).not.toMatch(forMice);
    await bar(page).getByRole('link', { name: 'Transcribe' }).tap();
    await page.getByText('Options').tap();
    await page.getByLabel('Names and jargon').waitFor();
    expect(await words()).not.toMatch(forMice);
    await close();
  });
});
