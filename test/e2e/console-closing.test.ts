import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, type NewNote, openConsoleWithNotes, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/** Around the pause after which a text is kept, and the one after which it is sent. */
const delays = [0, 100, 300, 500, 900, 1_100];

describeInBrowser('a page that ends while someone writes', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  const opened = (notes: NewNote[] = [], path = '/notes') =>
    openConsoleWithNotes(browser.get(), steno, notes, path);

  const endings = [
    ['closed', (page: Page) => page.close({ runBeforeUnload: true })],
    ['reloaded', (page: Page) => page.reload()],
  ] as const;

  test('a new note is there once and whole when its page is closed', () => newNote(endings[0][1]));
  test('a new note is there once and whole when its page is reloaded', { tags: 'slow' }, () =>
    newNote(endings[1][1]),
  );

  async function newNote(end: (page: Page) => Promise<unknown>): Promise<void> {
    const { page: first, origin, stored, close } = await opened();
    await first.getByText('No notes yet').waitFor();
    const context = first.context();
    await Promise.all(
      delays.map(async (ms) => {
        const page = await context.newPage();
        await page.goto(`${origin}/notes/new`);
        await page.getByLabel('Title').fill(`After ${ms} ms`);
        await page.getByLabel('Note text').fill('word');
        await page.keyboard.type(' by word');
        await page.waitForTimeout(ms);
        await end(page);
      }),
    );
    await first.reload();
    const found = async () =>
      (await stored()).map(({ title, content }: { title: string; content: string }) => [title, content]);
    const wanted = delays.map((ms) => [`After ${ms} ms`, 'word by word']);
    await expect.poll(async () => (await found()).sort()).toEqual(wanted.toSorted());
    await close();
  }

  test.each(endings)(
    'a change is there, without a conflict, when its page is %s',
    { tags: 'slow' },
    async (_how, end) => {
      const notes = delays.map((ms) => ({ title: `After ${ms} ms`, content: 'word' }));
      const { page: first, origin, ids, stored, close } = await opened(notes);
      const context = first.context();
      await Promise.all(
        delays.map(async (ms, at) => {
          const page = await context.newPage();
          await page.goto(`${origin}/notes/${ids[at]}`);
          await page.getByRole('heading', { name: `After ${ms} ms` }).waitFor();
          await page.getByRole('button', { name: 'Write' }).click();
          await page.getByLabel('Note text').waitFor();
          await page.keyboard.type(' by');
          await page.waitForTimeout(900);
          await page.keyboard.type(' word');
          await page.waitForTimeout(ms);
          await end(page);
        }),
      );
      await first.reload();
      const texts = async () => (await stored()).map(({ content }: { content: string }) => content);
      await expect.poll(texts).toEqual(delays.map(() => 'word by word'));
      await first.getByRole('link', { name: /After 0 ms/ }).click();
      await first.getByText('Saved', { exact: true }).waitFor();
      await close();
    },
  );

  test('a change whose answer was lost is no conflict, with one more letter', { tags: 'slow' }, async () => {
    const { page, stored, close } = await opened([{ title: 'Plan', content: 'word' }], '/notes/{0}');
    let lost = 0;
    await page.route('**/api/v1/notes/*', async (route) => {
      if (route.request().method() !== 'PATCH' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      await page.keyboard.type('s');
      return route.abort();
    });
    await page.getByRole('heading', { name: 'Plan' }).waitFor();
    await page.getByRole('button', { name: 'Write' }).click();
    // Letter by letter it may be saved in between.
    await page.keyboard.insertText(' plus word');
    await expect.poll(async () => (await stored())[0].content).toBe('word plus words');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(lost).toBe(1);
    await close();
  });
});
