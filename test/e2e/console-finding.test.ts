import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('finding', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  test.each(sizes)(
    'the palette finds notes, screens and commands; ? shows the keys, on %s',
    async (_size, screen) => {
      const { user, key } = await steno.person();
      for (const title of ['Harbour plan', 'Garden'])
        await steno.call('POST', '/notes/create', { key, body: { title, content: `About the ${title}` } });
      await steno.call('POST', '/folders/create', { key, body: { name: 'Work' } });
      const opened = await openConsole(browser.get(), steno, { user, path: '/usage', ...screen });
      const { page, complaints, close } = opened;
      await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
      const find = async (words: string) => {
        await page.keyboard.press('ControlOrMeta+k');
        await page.getByRole('combobox', { name: 'Search and commands' }).fill(words);
      };
      // What is typed before the palette is there is for the palette: `r` alone would record.
      const { promise: slow, resolve: letGo } = Promise.withResolvers<void>();
      await page.route(/assets\/palette/, async (route) => {
        await slow;
        await route.continue();
      });
      await page.keyboard.press('ControlOrMeta+k');
      await page.keyboard.type('harb');
      letGo();
      await page.keyboard.type('our');
      await page.getByRole('option', { name: 'Harbour plan' }).waitFor();
      expect(await page.getByText('microphone').count()).toBe(0);
      expect(await seriousProblems(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Harbour plan' }).waitFor();

      // What can be done with the open note.
      await find('pin');
      await page.getByRole('option', { name: 'Pin', exact: true }).click();
      const notes = async () => (await steno.call('GET', '/notes/list', { key })).body.data;
      await expect
        .poll(async () => (await notes()).filter((note: { pinned: boolean }) => note.pinned).length)
        .toBe(1);
      await find('dict');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Dictionary', level: 1 }).waitFor();
      await find('wor');
      await page.getByRole('option', { name: /^Work\s*Folder/ }).click();
      await page.getByText('This folder is empty').waitFor();

      await page.keyboard.press('ControlOrMeta+/');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await find('zeppelin');
      await page.getByText('No matches').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test.each(sizes)(
    'a long list: the open note is in it after a reload, and one that was read opens offline, on %s',
    { tags: 'slow' },
    async (size, screen) => {
      const { user, key } = await steno.person();
      const ids: string[] = [];
      for (let at = 1; at <= 90; at += 1)
        ids.push(
          (
            await steno.call('POST', '/notes/create', {
              key,
              body: { title: `Note ${at}`, content: `text ${at}` },
            })
          ).body.data.id,
        );
      const { page, close } = await openConsole(browser.get(), steno, {
        user,
        path: `/notes/${ids[4]}`,
        ...screen,
      });
      // It is the 86th, on the second page of the list.
      const note = page.getByRole('heading', { name: 'Note 5', exact: true });
      await note.waitFor();
      /** A phone has the list too, but does not show it. */
      const height = `parseInt(document.querySelector('ul[aria-label="List of notes"]')?.style.height)`;
      const isRead = () => expect.poll(() => page.evaluate(height)).toBeGreaterThan(60 * 84);
      await isRead();
      const secondPage = page.waitForResponse(/notes\/list\?.*cursor=/);
      await page.reload();
      await secondPage;
      await note.waitFor();
      await isRead();
      const row = (at: number) => page.locator(`a[href="/notes/${ids[at]}"]`);
      const back = page.getByRole('link', { name: 'All notes' }).filter({ visible: true });
      if (size === 'a phone') {
        const top = async (at: number) => (await row(at).boundingBox())?.y ?? Number.NaN;
        await back.tap();
        await expect.poll(() => top(4)).toBeLessThan(844);
        // Who opens one of those in sight comes back to the same place.
        await row(8).scrollIntoViewIfNeeded();
        const before = await top(8);
        await row(8).tap();
        await page.getByRole('heading', { name: 'Note 9', exact: true }).waitFor();
        await back.tap();
        await expect.poll(async () => Math.abs((await top(8)) - before)).toBeLessThan(20);
      } else {
        const open = page.locator('[aria-current=page]', { hasText: 'Note 5' });
        await open.waitFor();
        await expect.poll(async () => (await open.boundingBox())?.y).toBeLessThan(900);
        // Of ninety notes only those in sight are in the page.
        expect(await page.locator('[data-index]').count()).toBeLessThan(60);
      }
      // In sight beside the open one: a list that scrolls under the mouse is clicked between two rows. So far down it came
      // without its text, which is read when it is opened.
      const title = 'Note 6';
      const read = async () => {
        await row(5).click();
        await page.getByRole('heading', { name: title, exact: true }).waitFor();
        await page.getByRole('article').getByText('text 6', { exact: true }).waitFor();
      };
      await read();
      await (size === 'a phone' ? back.tap() : row(4).click());
      await page.context().setOffline(true);
      await read();
      await page.context().setOffline(false);

      // While Undo is offered, the note is deleted, not "not found".
      await page.getByRole('button', { name: 'Actions for this note' }).click();
      const address = page.url();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      // Under the pointer a message stays.
      await page.getByRole('button', { name: 'Undo' }).hover();
      await page.goBack();
      expect(page.url()).toBe(address);
      await page.getByText('You can still undo this.').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
      await close();
    },
  );
});
