import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('two writers of one note', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  async function opened(content: string, screen = {}) {
    const { user, key } = await steno.person();
    const body = { title: 'Shared', content };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    const stored = async (): Promise<string> =>
      (await steno.call('GET', `/notes/${id}`, { key })).body.data.content;
    /** While somebody writes, another text comes. No save arrives before it, however busy the machine is. */
    const meanwhile = async (write: () => Promise<void>, theirs: string) => {
      const { promise: isThere, resolve } = Promise.withResolvers<void>();
      await console.page.route('**/api/v1/notes/*', async (route) => {
        if (route.request().method() === 'PATCH') await isThere;
        await route.continue();
      });
      await write();
      await steno.call('PATCH', `/notes/${id}`, { key, body: { content: theirs } });
      resolve();
      await console.page.unrouteAll({ behavior: 'wait' });
    };
    const versions = async () => {
      const list = (await steno.call('GET', `/notes/${id}/revisions`, { key })).body.data;
      const texts = list.map(async (version: { id: string }) => {
        const one = await steno.call('GET', `/notes/${id}/revisions/${version.id}`, { key });
        return one.body.data.content;
      });
      return (await Promise.all(texts)).toSorted();
    };
    const console = await openConsole(browser.get(), steno, { user, path: `/notes/${id}`, ...screen });
    await console.page.getByRole('button', { name: 'Write' }).click();
    return { ...console, id, stored, meanwhile, versions, text: console.page.getByLabel('Note text') };
  }

  test('changes in different places are merged without a question, and Undo leaves the other’s', {
    tags: 'slow',
  }, async () => {
    const { page, stored, meanwhile, text, complaints, close } = await opened('one\ntwo\nthree');
    // Undo is the editor's. A plain field is in its place until its code is there.
    await page.locator('.cm-content').waitFor();
    await text.click();
    await page.keyboard.press('ControlOrMeta+Home');
    // Typed letter by letter, a letter after the save would take the notice away again.
    await meanwhile(() => page.keyboard.insertText('My '), 'one\ntwo\nthree\nfour');
    await page.getByText(/^Merged with changes from/).waitFor();
    await expect.poll(stored).toBe('My one\ntwo\nthree\nfour');
    await page.keyboard.insertText('own ');
    await expect.poll(stored).toBe('My own one\ntwo\nthree\nfour');
    // Two edits, one step each or both in one, depending on the time between them. Where there is no more, undo does nothing.
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(stored).toBe('one\ntwo\nthree\nfour');
    expect(complaints).toEqual([]);
    await close();
  });

  test('the caret stays where it is when the editor’s code does not come', { tags: 'slow' }, async () => {
    const { page, stored, meanwhile, text, close } = await opened('one\ntwo\nthree');
    await page.context().route('**/code-editor*', (route) => route.abort());
    await page.reload();
    await page.getByRole('button', { name: 'Write' }).click();
    await text.click();
    await page.keyboard.press('ControlOrMeta+Home');
    await meanwhile(() => page.keyboard.insertText('My '), 'one\ntwo\nthree\nfour');
    await page.getByText(/^Merged with changes from/).waitFor();
    await page.keyboard.insertText('own ');
    await expect.poll(stored).toBe('My own one\ntwo\nthree\nfour');
    await close();
  });

  test.each(sizes)(
    'two texts for one place are side by side until someone chooses, on %s',
    async (_size, screen) => {
      const { page, stored, meanwhile, versions, text, close } = await opened('first', screen);
      const choose = async (mine: string, theirs: string, button: string) => {
        await meanwhile(() => text.fill(mine), theirs);
        await page.getByText('Someone edited this note while you were writing.').waitFor();
        await page.getByRole('complementary').getByText(theirs).waitFor();
        expect(await stored()).toBe(theirs);
        expect(await seriousProblems(page)).toEqual([]);
        await page.getByRole('button', { name: button }).click();
        await page.getByText('Saved', { exact: true }).waitFor();
      };
      await choose('mine', 'theirs', 'Keep mine');
      expect(await stored()).toBe('mine');
      expect(await versions()).toEqual(['first', 'theirs']);

      await choose('red', 'blue', 'Use theirs');
      await expect.poll(stored).toBe('blue');
      await expect.poll(() => text.textContent()).toBe('blue');
      expect(await versions()).toEqual(['blue', 'first', 'mine', 'red', 'theirs']);

      await choose('apples', 'pears', 'Keep both');
      await expect.poll(stored).toBe('apples\npears');
      expect(await versions()).toEqual(expect.arrayContaining(['apples', 'pears']));
      await close();
    },
  );

  /** As on an old phone: the storage of the browser opens late. */
  const slowStorage = `const open = IDBFactory.prototype.open;
    IDBFactory.prototype.open = function (...how) {
      const request = open.apply(this, how);
      const set = (then) => request.addEventListener('success', () => setTimeout(then, 800));
      return Object.defineProperty(request, 'onsuccess', { set });
    };`;

  test('a conflict outlives Esc, a reload and typing', async () => {
    const { page, stored, meanwhile, text, close } = await opened('first');
    await meanwhile(() => text.fill('mine'), 'theirs');
    await page.getByText('Someone edited this note while you were writing.').waitFor();
    await page.keyboard.type(' and more');
    await page.keyboard.press('Escape');
    await page.addInitScript(slowStorage);
    await page.reload();
    await page.getByRole('complementary').getByText('theirs').waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(stored).toBe('mine and more');
    await close();
  });

  test.each(['Keep mine', 'Use theirs', 'Keep both'])(
    'after a conflict is answered with “%s”, the next words are in the text',
    async (button) => {
      const { page, stored, meanwhile, text, close } = await opened('first');
      await page.locator('.cm-content').waitFor();
      await meanwhile(() => text.fill('mine'), 'theirs');
      await page.getByRole('button', { name: button }).click();
      await expect.poll(() => page.getByRole('button', { name: button }).count()).toBe(0);
      await page.keyboard.type('!');
      await expect.poll(stored).toContain('!');
      await close();
    },
  );

  test('a second tab shows what is written in the first, and goes on with it', async () => {
    const { page, id, origin, stored, text, close } = await opened('first');
    await text.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(', second');
    const other = await page.context().newPage();
    await other.goto(`${origin}/notes/${id}`);
    await other.getByRole('button', { name: 'Write' }).click();
    await other.getByText('You are writing this note in another tab').waitFor();
    await page.keyboard.type(', third');
    // The list has the same words.
    const shown = (one: Page) => one.getByRole('region', { name: 'Note', exact: true });
    await shown(other).getByText('first, second, third').waitFor();
    // It can only be read there: no field, and a box that cannot be ticked.
    await page.keyboard.type('\n\n- [ ] box');
    const box = other.getByRole('checkbox', { name: 'box' });
    await box.waitFor();
    await expect.poll(() => box.isDisabled()).toBe(true);
    await shown(other).getByText('first, second, third').click();
    await shown(other).getByRole('heading', { name: 'Shared' }).click();
    await other.keyboard.press('ControlOrMeta+e');
    await other.keyboard.type('lost');
    expect(await other.getByRole('textbox', { name: /Note text|Title/ }).count()).toBe(0);
    expect(await shown(other).getByRole('button', { name: 'Write', exact: true }).count()).toBe(0);
    for (let at = 0; at < '\n\n- [ ] box'.length; at += 1) await page.keyboard.press('Backspace');
    await shown(other).getByText('first, second, third').waitFor();
    await other.getByRole('button', { name: 'Write here' }).click();
    await page.getByText('You are writing this note in another tab').waitFor();
    await other.getByLabel('Note text').click();
    await other.keyboard.press('ControlOrMeta+End');
    await other.keyboard.type(', fourth');
    await expect.poll(stored).toBe('first, second, third, fourth');
    await shown(page).getByText('first, second, third, fourth').waitFor();
    await close();
  });

  test('Write here goes on from the newest text: a deleted word stays deleted, a replaced one is no conflict', async () => {
    const { page, id, origin, stored, text, close } = await opened('one two');
    await page.locator('.cm-content').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${origin}/notes/${id}`);
    await other.getByRole('button', { name: 'Write' }).click();
    await other.getByText('You are writing this note in another tab').waitFor();
    await text.fill('one new two');
    await expect.poll(stored).toBe('one new two');
    await other.getByRole('button', { name: 'Write here' }).click();
    const field = other.getByLabel('Note text');
    await expect.poll(() => field.textContent()).toBe('one new two');
    await field.fill('one two');
    await other.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toBe('one two');
    await expect.poll(() => field.textContent()).toBe('one two');

    await page.getByRole('button', { name: 'Write here' }).click();
    await text.fill('one 2');
    await expect.poll(stored).toBe('one 2');
    await other.getByRole('button', { name: 'Write here' }).click();
    await expect.poll(() => field.textContent()).toBe('one 2');
    await field.fill('one II');
    await expect.poll(stored).toBe('one II');
    for (const tab of [page, other]) expect(await tab.getByText('Someone edited this note').count()).toBe(0);
    await close();
  });

  test('the second tab of a note that was just made is told that the first one writes it', async () => {
    const { user, key } = await steno.person();
    const { page, origin, close } = await openConsole(browser.get(), steno, { user, path: '/notes/new' });
    await page.getByLabel('Title').fill('Just made');
    await page.waitForURL((url) => !url.pathname.endsWith('/new'));
    const other = await page.context().newPage();
    await other.goto(origin + new URL(page.url()).pathname);
    await other.getByRole('button', { name: 'Write' }).click();
    await other.getByText('You are writing this note in another tab').waitFor();
    await other.getByRole('button', { name: 'Write here' }).click();
    await page.getByText('You are writing this note in another tab').waitFor();
    await other.getByLabel('Title').fill('Just made here');
    const titles = async () =>
      (await steno.call('GET', '/notes/list', { key })).body.data.map((one: { title: string }) => one.title);
    await expect.poll(titles).toEqual(['Just made here']);
    await close();
  });
});
