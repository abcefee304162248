import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, onPhone, openConsole, useBrowser } from '../support/browser.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/** What other files show on a desktop, by finger: where a list and a note are two pages, and most screens are behind "More". */
describeInBrowser('on a phone', () => {
  const browser = useBrowser();
  const speech = createFakeSpeech();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ speech });
  });
  afterAll(() => steno.close());

  async function open({ notes = [] as object[], path = '/notes', plan = 'business' as 'business' | 'free' }) {
    const { user, key } = await steno.person({ plan });
    for (const body of notes) await steno.call('POST', '/notes/create', { key, body });
    const opened = await openConsole(browser.get(), steno, { user, path, ...onPhone });
    const stored = async () => (await steno.call('GET', '/notes/list', { key })).body.data;
    return { ...opened, key, stored };
  }
  const bar = (page: Page) => page.getByRole('navigation').filter({ visible: true });
  async function goTo(page: Page, name: string) {
    await bar(page).getByRole('button', { name: 'More' }).tap();
    await page.getByRole('dialog', { name: 'Steno' }).getByRole('link', { name }).tap();
  }
  /** What a finger cannot do. */
  const forMice = /\b(drop|click|press|drag|Esc|Enter|Ctrl|keyboard)\b/i;
  const words = (page: Page) => page.locator('main').innerText();
  const back = (page: Page) =>
    page.getByRole('link', { name: 'All notes' }).filter({ visible: true }).first();

  test('what is written offline outlives its tab, a title is enough, and a note can be cleared', async () => {
    const { page, origin, stored, complaints, close } = await open({
      notes: [{ title: 'Plan', content: 'old' }],
    });
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

  test('a file goes on after a reload and becomes a note that is in the history; who may not record is told first', async () => {
    const { page, close } = await open({ path: '/transcribe' });
    await page.getByText('Options').tap();
    await page.getByLabel('Names and jargon').waitFor();
    expect(await words(page)).not.toMatch(forMice);
    // The engine knows English only.
    expect(await page.getByLabel('Language').count()).toBe(0);
    const asked = speech.heard.length;
    const goOn = speech.hold();
    const file = { name: 'Harbour.wav', mimeType: 'audio/wav', buffer: recording({ ms: 35_000 }) };
    await page.getByLabel('Choose files').setInputFiles(file);
    await speech.reached(asked + 1);
    await page.reload();
    await page.getByText('1 recording in progress').waitFor();
    goOn();
    await page.getByText('1 recording is ready').tap();
    await page.getByRole('link', { name: 'Open note' }).tap();
    await page.getByRole('heading', { name: 'Harbour' }).waitFor();
    await page.getByText('word1 word2').first().waitFor();

    await bar(page).getByRole('link', { name: 'History' }).tap();
    await page.getByLabel('Find by name').fill('harb');
    await page.getByRole('link', { name: /Harbour/ }).tap();
    await page.getByRole('heading', { name: 'Harbour' }).waitFor();
    await close();

    const poor = await open({ plan: 'free' });
    await poor.page.getByText('Record your first note').filter({ visible: true }).waitFor();
    expect(await words(poor.page)).not.toMatch(forMice);
    await bar(poor.page).getByRole('button', { name: 'Record' }).tap();
    await poor.page.getByText('Your plan doesn’t include transcription').waitFor();
    await poor.close();
  });

  test('a search looks in the open folder, a refused list costs only itself, and a server that is away is said', async () => {
    const { page, key, close } = await open({
      notes: Array.from({ length: 51 }, (_, at) => ({ title: `Note ${at}`, content: 'words' })),
    });
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
    await goTo(page, 'Dictionary');
    await page.getByText('Too many requests').waitFor();
    const everything = /\/(healthz|api\/|assets\/)/;
    await page.route(everything, (route) => route.abort());
    await goTo(page, 'Usage');
    await page.getByRole('alert').getByText('Can’t reach the server').first().waitFor();
    expect(await page.getByText('This page stopped working').count()).toBe(0);
    await page.unroute(everything);
    await bar(page).getByRole('link', { name: 'Notes' }).tap();
    await page.getByRole('link', { name: /^Note 50/ }).waitFor();
    await close();
  });

  test('the sheet "More" holds the other screens, fits, and closes when one is chosen', async () => {
    const { page, close } = await open({});
    const more = page.getByRole('button', { name: 'More' });
    await more.click();
    const sheet = page.getByRole('dialog', { name: 'Steno' });
    for (const name of ['Dictionary', 'Snippets', 'Usage', 'Keys', 'Workspaces', 'Account', 'API docs']) {
      const box = await sheet.getByRole('link', { name }).boundingBox();
      expect([name, box && box.y >= 0 && box.y + box.height <= 844 && box.height >= 40]).toEqual([
        name,
        true,
      ]);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => sheet.count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('More');
    await more.click();
    await sheet.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await expect.poll(() => sheet.count()).toBe(0);
    await close();
  });
});
