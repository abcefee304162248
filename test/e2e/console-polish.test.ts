import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteRows } from '../../src/features/notes/queries.ts';
import {
  describeInBrowser,
  isInSight,
  openConsole,
  sizes,
  useBrowser,
  whenStarted,
} from '../support/browser.ts';
import { noteRow } from '../support/rows.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const refusal = {
  status: 429,
  // Longer than a busy machine needs to show it.
  headers: { 'retry-after': '5' },
  json: { error: { code: 'rate_limited', message: 'too many requests' } },
};

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
    screen?: object;
  }

  async function open({ notes = [], folders = 0, path = '/notes', screen = {} }: Wanted = {}) {
    const { user, key } = await steno.person();
    for (let at = 1; at <= folders; at += 1)
      await steno.call('POST', '/folders/create', { key, body: { name: `Folder ${at}` } });
    const ids: string[] = [];
    for (const body of notes)
      ids.push((await steno.call('POST', '/notes/create', { key, body })).body.data.id);
    const opened = await openConsole(browser.get(), steno, {
      user,
      path: path.replace('{0}', ids[0] ?? ''),
      ...screen,
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

  test('further down, a list has no texts; a note there is read when it is opened, and written on', async () => {
    const notes = numbered(60).map(({ title }) => ({ title, content: `${'word '.repeat(300)}of ${title}.` }));
    const { page, key, ids, close } = await open({ notes });
    await listed(page).first().waitFor();
    // Read on the way: a browser does not keep the body of an answer that the page reads as a stream.
    const { promise: answered, resolve } = Promise.withResolvers<{ data: unknown[] }>();
    await page.route(/notes\/list\?.*cursor=/, async (route) => {
      const response = await route.fetch();
      resolve(await response.json());
      await route.fulfill({ response });
    });
    await scrollDown(page);
    const { data } = await answered;
    expect(data).toHaveLength(10);
    expect(data[9]).toMatchObject({ title: 'Note 1', preview: expect.stringMatching(/^(word ?){20,40}$/) });
    expect(data[9]).not.toHaveProperty('content');

    await expect.poll(() => listed(page).first().getAttribute('aria-setsize')).toBe('60');
    await scrollDown(page);
    await page.getByRole('link', { name: /^Note 1 / }).click();
    await page.getByText('of Note 1.').waitFor();
    await page.keyboard.press('ControlOrMeta+e');
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' More.');
    const path = `/notes/${ids[0]}`;
    await expect
      .poll(async () => (await steno.call('GET', path, { key })).body.data.content)
      .toBe(`${notes[0]?.content} More.`);
    await close();
  });

  test('more notes than one request may hold are deleted and brought back, also when the server says wait', {
    tags: 'slow',
  }, async () => {
    const { page, user, key, close } = await open({ path: '/usage' });
    const count = 501;
    await steno.database.write(async (trx) => {
      for (let at = 0; at < count; at += 1)
        await steno.database.insertNote(trx, {
          row: noteRows.toRow(noteRow(user.id, { title: `Note ${at}` })),
          text: null,
        });
    });
    const ofServer = async (where: string) => {
      const parts = new URLSearchParams({ limit: '100' });
      for (let total = 0; ; ) {
        const { data, next_cursor } = (await steno.call('GET', `/notes/${where}?${parts}`, { key })).body;
        total += data.length;
        if (next_cursor === null) return total;
        parts.set('cursor', next_cursor);
      }
    };
    await page.goto(new URL('/notes', page.url()).href);
    await listed(page).first().waitFor();
    await page.getByRole('button', { name: 'Sort and select' }).click();
    await page.getByRole('menuitem', { name: 'Select notes' }).click();
    await page.getByRole('checkbox').first().click();
    await expect
      .poll(() => scrollDown(page).then(() => listed(page).first().getAttribute('aria-setsize')))
      .toBe(String(count));
    await scrollDown(page);
    await page.locator(`[data-index="${count - 1}"] input`).click({ modifiers: ['Shift'] });
    await page.getByText('501 selected', { exact: true }).waitFor();

    let asked = 0;
    await page.route('**/notes/change', (route) => {
      asked += 1;
      return asked === 2 ? route.fulfill(refusal) : route.continue();
    });
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await page
      .getByText(/Going on in \d seconds?/)
      .first()
      .waitFor();
    await page.getByText('Deleted 501 notes', { exact: true }).waitFor();
    expect([asked, await ofServer('list'), await ofServer('trash')]).toEqual([3, 0, count]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => ofServer('list')).toBe(count);
    await expect.poll(() => listed(page).first().getAttribute('aria-setsize')).toBe(String(count));
    await close();
  });

  test('a page of the list that was refused is asked for again when the server said, and not before', {
    tags: 'slow',
  }, async () => {
    const { page, close } = await open({ notes: numbered(60), path: '/usage' });
    const asked: number[] = [];
    await page.route(/notes\/list\?.*cursor=/, (route) => {
      asked.push(Date.now());
      return asked.length > 1 ? route.continue() : route.fulfill(refusal);
    });
    await page.goto(new URL('/notes', page.url()).href);
    await listed(page).first().waitFor();
    await scrollDown(page);
    await page.getByText(/Try again in \d seconds?\./).waitFor();
    await expect.poll(() => listed(page).first().getAttribute('aria-setsize')).toBe('60');
    const [first = 0, second = 0, ...more] = asked;
    expect(more).toEqual([]);
    expect(second - first).toBeGreaterThanOrEqual(5_000);
    await close();
  });

  test.each(sizes)(
    'a note is printed alone, on all the pages that it needs, on %s',
    async (_size, screen) => {
      const content = Array.from({ length: 150 }, (_, at) => `Paragraph ${at}`).join('\n\n');
      const { page, close } = await open({ notes: [{ title: 'Long', content }], path: '/notes/{0}', screen });
      await page.getByText('Paragraph 149').waitFor();
      await page.emulateMedia({ media: 'print' });
      for (const hidden of [
        page.getByRole('navigation'),
        page.getByRole('searchbox'),
        page.getByRole('toolbar'),
      ])
        expect(await hidden.filter({ visible: true }).count()).toBe(0);
      const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
      expect(pages.length).toBeGreaterThan(2);
      await close();
    },
  );

  test.each(sizes)(
    'with the server away, a screen that is not loaded yet says so, and the sign turns red, on %s',
    { tags: 'slow' },
    async (size, screen) => {
      const { page, close } = await open({ screen });
      /** On a phone the sign and most screens are behind "More". */
      const more = async () => {
        if (size === 'a phone') await page.getByRole('button', { name: 'More' }).click();
      };
      const sign = (state: string) => page.locator(`[data-health=${state}]`).filter({ visible: true });
      const everything = /\/(healthz|api\/|assets\/)/;
      await more();
      await sign('ok').waitFor();
      await page.route(everything, (route) => route.abort());
      const notLoaded = size === 'a phone' ? 'Usage' : 'Settings';
      await page.getByRole('link', { name: notLoaded }).filter({ visible: true }).click();
      // A slow machine has loaded it by now; then it has more than one thing to say so about.
      await page.getByRole('alert').getByText('Can’t reach the server').first().waitFor();
      expect(await page.getByText('This page stopped working').count()).toBe(0);
      await page.getByText(/will be sent when it reconnects/).waitFor();
      await more();
      await sign('down').waitFor();
      await page.unroute(everything);
      await sign('ok').waitFor();
      await close();
    },
  );

  test('too many requests cost a list or a moment, never the whole app', { tags: 'slow' }, async () => {
    const { page, close } = await open({ notes: numbered(1), path: '/usage' });
    const asked: number[] = [];
    await page.route(/\/api\/v1\/dictionary\/list/, (route) => {
      asked.push(Date.now());
      return asked.length > 1 ? route.continue() : route.fulfill(refusal);
    });
    // When the changes begin to come, every list is read again.
    await page.locator('html[data-live]').waitFor();
    const told = Promise.all([
      page.getByText('Too many requests').waitFor(),
      page.getByText(/Trying again in \d seconds?\./).waitFor(),
    ]);
    await page.getByRole('link', { name: 'Dictionary' }).first().click();
    await told;
    await page.getByText('No words yet').waitFor();
    const [first = 0, second = 0, ...more] = asked;
    expect(more).toEqual([]);
    expect(second - first).toBeGreaterThanOrEqual(5_000);
    await page.getByRole('link', { name: 'Notes', exact: true }).first().click();
    await listed(page).first().waitFor();
    await close();
  });

  test.each(sizes)(
    'too many requests at the very first load: the page says so, waits, and goes on where it was, on %s',
    { tags: 'slow' },
    async (_size, screen) => {
      // Not a page of the console: this browser has kept nothing that could be shown meanwhile.
      const { page, close } = await open({ notes: numbered(1), path: '/icon.svg', screen });
      await page.route('**/notes', async (route) => {
        const response = await route.fetch();
        // As the server fills it when it refuses to say who is signed in.
        const body = (await response.text()).replace(/(id="first-answers">).*?(?=<\/script>)/s, '$1[]');
        return route.fulfill({ response, body });
      });
      let asked = 0;
      await page.route('**/api/v1/me', (route) => {
        asked += 1;
        return asked > 2 ? route.continue() : route.fulfill(refusal);
      });
      await page.goto(new URL('/notes', page.url()).href);
      await page.getByText(/Trying again in \d seconds?\./).waitFor();
      await listed(page).first().waitFor();
      await close();
    },
  );

  test('a search looks in the open folder, and says how many notes there are', async () => {
    const { page, key, close } = await open({ notes: numbered(60), folders: 1 });
    const folder = (await steno.call('GET', '/folders/list', { key })).body.data[0].id;
    const body = { title: 'Apart', content: 'words', folder_id: folder };
    await steno.call('POST', '/notes/create', { key, body });
    await page.getByRole('searchbox').first().fill('words');
    await page.getByText('The best 50 of 61 notes found').waitFor();
    await page.goto(new URL(`/notes?folder=${folder}`, page.url()).href);
    await page.getByRole('searchbox', { name: 'Search in Folder 1' }).fill('words');
    await page.getByText('1 note found').waitFor();
    await page.getByRole('link', { name: /^Apart/ }).waitFor();
    await close();
  });

  test.each(sizes)(
    'text runs its own way, tables keep their sides, and a number is not cut in two, on %s',
    async (_size, screen) => {
      const content = 'مرحبا بالعالم\n\n| left | right |\n|:--|--:|\n| word | 3,400 |';
      const { page, complaints, close } = await open({
        notes: [{ title: 'שלום עולם', content }],
        path: '/notes/{0}',
        screen,
      });
      /** Of the innermost element with this text. */
      const inPage = (text: string, what: string) =>
        page.evaluate(`{ const it = [...document.querySelectorAll('article *')].findLast((one) => one.textContent.trim() === '${text}');
        ${what}; }`);
      const style = (text: string, property: string) => inPage(text, `getComputedStyle(it)['${property}']`);
      await page.getByRole('article').getByText('3,400').waitFor();
      expect(await style('שלום עולם', 'direction')).toBe('rtl');
      expect(await style('مرحبا بالعالم', 'direction')).toBe('rtl');
      expect(await style('3,400', 'textAlign')).toBe('end');
      expect(await style('word', 'direction')).toBe('ltr');
      const range =
        'const range = document.createRange(); range.selectNodeContents(it); range.getClientRects().length';
      expect(await inPage('3,400', range)).toBe(1);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: /שלום עולם/ }).waitFor();
      const listed = `getComputedStyle(document.querySelector('[data-index] [dir=auto]')).direction`;
      expect(await page.evaluate(listed)).toBe('rtl');
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test.each(sizes)(
    'the ring is for keys, not for clicks, and Tab comes soon to the notes, which are one stop, on %s',
    async (size, screen) => {
      const { page, close } = await open({ notes: numbered(5), folders: 30, screen });
      const focus = (what: string) => page.evaluate(`{ const it = document.activeElement; ${what}; }`);
      const hasRing = () =>
        focus(
          'const { outlineStyle, outlineWidth } = getComputedStyle(it); outlineStyle !== "none" && outlineWidth !== "0px"',
        );
      const isInList = () => focus(`it.closest('ul[aria-label="List of notes"]') !== null`);
      await listed(page).first().waitFor();
      await page.getByRole('link', { name: 'All notes' }).filter({ visible: true }).click();
      expect([await focus('it.textContent'), await hasRing()]).toEqual(['All notes', false]);
      await page.keyboard.press('ArrowDown');
      expect([await focus('it.textContent'), await hasRing()]).toEqual(['Folder 1', true]);

      await page.reload();
      await whenStarted(page);
      await listed(page).first().waitFor();
      await page.getByRole('link', { name: 'Folder 30' }).waitFor();
      // The first stop is the link to what the page is about.
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await expect.poll(() => focus('it.id')).toBe('main');
      let stops = 0;
      for (; stops < 12 && !(await isInList()); stops += 1) await page.keyboard.press('Tab');
      // New note, more, search, its filters; on a phone the folders stand between, which are one stop too.
      expect(stops).toBeLessThan(size === 'a phone' ? 9 : 6);
      await page.keyboard.press('Tab');
      expect(await isInList()).toBe(false);

      // The open folder is in sight, however many stand before it.
      const last = page.getByRole('link', { name: 'Folder 30' }).filter({ visible: true });
      await last.click();
      await page.reload();
      await expect.poll(() => isInSight(last)).toBe(true);
      await close();
    },
  );

  test('a page of an earlier version says so, and a screen that its server no longer has asks for a reload', async () => {
    const { page, origin, close } = await open();
    await page.route('**/healthz', (route) => route.fulfill({ json: { status: 'ok', version: '99.0.0' } }));
    await page.goto(`${origin}/notes`);
    await page.getByText('The server was updated while this page was open.').waitFor();
    await page.route('**/assets/**', (route) => route.fulfill({ status: 404 }));
    // What is not loaded yet: a slow machine has loaded the first of them by now.
    await page.getByRole('link', { name: 'Settings' }).filter({ visible: true }).click();
    await page.getByText('Reload, there is a new version').first().waitFor();
    await close();
  });

  test('without https Copy works by the old way', async () => {
    const { page, close } = await open({ path: '/keys' });
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.reload();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Backup');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const secret = await page.getByLabel('Key', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'Copy key' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    const address = page.getByLabel('Name');
    await page.getByRole('button', { name: 'I’ve copied it' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await address.focus();
    await page.keyboard.press('ControlOrMeta+v');
    await expect.poll(() => address.inputValue()).toBe(secret);
    await close();
  });
});
