import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const phone = { viewport: { width: 390, height: 844 } };

/** Small things that were broken once: one server and one browser for all of them. */
describeInBrowser('in the console', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  interface Wanted {
    notes?: object[];
    folders?: number;
    path?: string;
    shape?: object;
  }

  async function open({ notes = [], folders = 0, path = '/notes', shape = {} }: Wanted = {}) {
    const { user, key } = await steno.person();
    for (let at = 1; at <= folders; at += 1)
      await steno.call('POST', '/folders/create', { key, body: { name: `Folder ${at}` } });
    const ids: string[] = [];
    for (const body of notes)
      ids.push((await steno.call('POST', '/notes/create', { key, body })).body.data.id);
    const opened = await openConsole(browser.get(), steno, {
      user,
      path: path.replace('{0}', ids[0] ?? ''),
      ...shape,
    });
    return { ...opened, user, key, ids };
  }
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ title: `Note ${at + 1}`, content: 'words' }));
  const listed = (page: Page) => page.getByRole('list', { name: 'List of notes' }).getByRole('listitem');
  const scrollDown = (page: Page) =>
    page.evaluate(`{ const list = document.querySelector('ul[aria-label="List of notes"]').parentElement;
      list.scrollTop = list.scrollHeight; }`);

  test('a long list goes on when it learns at once that its end was out of sight and is in sight', async () => {
    const { page, close } = await open({ notes: numbered(60), path: '/usage' });
    // Browsers do this while the page is busy.
    await page.addInitScript(`{ const Real = IntersectionObserver;
      window.IntersectionObserver = class extends Real {
        constructor(tell, options) {
          super((changes, self) => tell([{ isIntersecting: false }, ...changes], self), options);
        }
      }; }`);
    await page.goto(new URL('/notes', page.url()).href);
    await listed(page).first().waitFor();
    await scrollDown(page);
    await expect.poll(() => listed(page).first().getAttribute('aria-setsize')).toBe('60');
    await close();
  });

  test('a page of the list that was refused is asked for again when the server said, and not before', async () => {
    const { page, close } = await open({ notes: numbered(60), path: '/usage' });
    const asked: number[] = [];
    await page.route(/notes\/list\?.*cursor=/, (route) => {
      asked.push(Date.now());
      if (asked.length > 1) return route.continue();
      const json = { error: { code: 'rate_limited', message: 'too many requests' } };
      return route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json });
    });
    await page.goto(new URL('/notes', page.url()).href);
    await listed(page).first().waitFor();
    await scrollDown(page);
    await page.getByText('Try again in 2 seconds.').waitFor();
    await expect.poll(() => listed(page).first().getAttribute('aria-setsize')).toBe('60');
    const [first = 0, second = 0, ...more] = asked;
    expect(more).toEqual([]);
    expect(second - first).toBeGreaterThanOrEqual(2_000);
    await close();
  });
});
