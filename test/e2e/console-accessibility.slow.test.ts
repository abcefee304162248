import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, sticksOut, useBrowser } from '../support/browser.ts';
import { networkQuiet } from '../support/quiet.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const content = '# Heading\n\nText with `code`, a [link](https://example.org)\n\n> quote\n\n- [ ] list';

/** In light and in dark; the states that console-filled and the tests of each screen do not show. */
describeInBrowser('axe finds nothing serious', () => {
  const browser = useBrowser();
  let now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ clock: () => now });
  });
  afterAll(() => steno.close());

  async function open(screen: object, path: string, user?: { id: string }) {
    const opened = await openConsole(browser.get(), steno, { path, ...screen, ...(user ? { user } : {}) });
    const { page } = opened;
    return {
      ...opened,
      async check(state: string) {
        await networkQuiet(page);
        expect(await seriousProblems(page), state).toEqual([]);
        expect(await sticksOut(page), state).toBe(false);
      },
    };
  }
  const show = (page: Page, path: string) => page.goto(new URL(path, page.url()).href);

  test.each(sizes)(
    'at the door, in the first note, in lists, dialogs and the trash, and without a connection, on %s',
    async (_size, screen) => {
      const door = await open(screen, '/keys');
      await door.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await door.check('sign-in');
      await door.close();

      const { user: newcomer } = await steno.person();
      const first = await open(screen, '/notes', newcomer);
      await first.page.getByText('Record your first note').filter({ visible: true }).waitFor();
      await first.check('first note');
      await first.close();

      const { user, key } = await steno.person();
      const body = { title: 'A note', content };
      const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
      now += 11 * 60_000;
      await steno.call('PATCH', `/notes/${id}`, { key, body: { content: `${content}\n- [x] more` } });
      await steno.call('POST', '/folders/create', { key, body: { name: 'Work' } });
      const gone = (await steno.call('POST', '/notes/create', { key, body })).body.data;
      await steno.call('DELETE', `/notes/${gone.id}`, { key });
      const events = ['note.deleted'];
      await steno.call('POST', '/webhooks', { key, body: { url: 'https://1.1.1.1/steno', events } });

      const { page, check, close } = await open(screen, '/notes?q=quote', user);
      await page.getByRole('link', { name: /A note/ }).waitFor();
      await check('search');
      await page.getByRole('button', { name: 'New folder' }).filter({ visible: true }).click();
      await check('new folder');
      await show(page, `/notes/${id}`);
      await page.getByRole('blockquote').waitFor();
      await page.getByRole('button', { name: 'Actions for this note' }).click();
      await page.getByRole('menuitem', { name: 'Version history' }).click();
      await page.getByRole('dialog').locator('ins').waitFor();
      await check('revisions');
      await show(page, `/notes/${gone.id}?trash=1`);
      await page.getByRole('button', { name: 'Restore' }).waitFor();
      await check('trash');
      await show(page, '/keys');
      await page.getByText('1.1.1.1').waitFor();
      await check('keys and webhooks');
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await check('new webhook');
      await page.keyboard.press('Escape');
      const more = page.getByRole('button', { name: 'More' });
      if (await more.isVisible()) {
        await more.click();
        await check('more');
        await page.keyboard.press('Escape');
      }
      await page.context().setOffline(true);
      await page.getByText('You’re offline').waitFor();
      await check('offline');
      await close();
    },
  );
});
