import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, onPhone, openConsole, sticksOut, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const long = 'Donaudampfschifffahrtsgesellschaft'.repeat(3).slice(0, 100);

/** The tags of the note on the screen. */
const chips = (page: Page) =>
  page.getByRole('article').getByRole('list', { name: 'Tags' }).getByRole('listitem').allTextContents();
const field = (page: Page) => page.getByRole('combobox', { name: 'Add tag' });
const titles = async (page: Page) =>
  (
    await page
      .getByRole('list', { name: 'List of notes' })
      .locator('[data-index] [dir=auto]:first-child')
      .allTextContents()
  ).sort();

describeInBrowser('tags', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  /** Someone with three notes, two of which have tags. */
  async function withNotes(tags: readonly string[] = []) {
    const { user, key } = await steno.person();
    const create = async (body: object) =>
      (await steno.call('POST', '/notes/create', { key, body })).body.data.id as string;
    const plan = await create({ title: 'Plan', content: 'Ship the harbour report', tags });
    const soup = await create({ title: 'Soup', content: 'Leeks', tags: ['Kitchen', 'Home'] });
    await create({ title: 'Bread', content: 'Rye', tags: ['Kitchen'] });
    const tagsOf = async (id: string): Promise<string[]> => {
      const { body } = await steno.call('GET', `/notes/${id}`, { key });
      return body.data.tags.map(({ name }: { name: string }) => name);
    };
    const known = async (): Promise<Record<string, number>> => {
      const { body } = await steno.call('GET', '/tags/list', { key });
      return Object.fromEntries(
        body.data.map(({ name, note_count }: { name: string; note_count: number }) => [name, note_count]),
      );
    };
    return { user, key, plan, soup, tagsOf, known };
  }

  test('a note gets new and known tags by typing, and loses them by keyboard; another session sees it', async () => {
    const { user, plan, tagsOf, known } = await withNotes();
    const opened = await openConsole(browser.get(), steno, { user, path: `/notes/${plan}` });
    const other = await openConsole(browser.get(), steno, { user, path: `/notes/${plan}` });
    const { page, complaints } = opened;
    await other.page.locator('html[data-live]').waitFor({ state: 'attached' });
    await field(page).click();
    await page.keyboard.type('Work');
    await page.keyboard.press('Enter');
    await expect.poll(() => chips(page)).toEqual(['Work']);
    await expect.poll(() => chips(other.page)).toEqual(['Work']);
    // A part of the name of a known one, chosen by its arrow; and two with commas, one of them known in other letters.
    await page.keyboard.type('itch');
    await page.getByRole('option', { name: 'Kitchen' }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('home,Later,');
    await expect.poll(() => tagsOf(plan)).toEqual(['Home', 'Kitchen', 'Later', 'Work']);
    await expect.poll(() => chips(page)).toEqual(['Home', 'Kitchen', 'Later', 'Work']);
    expect(await known()).toEqual({ Home: 2, Kitchen: 3, Later: 1, Work: 1 });
    await expect.poll(() => chips(other.page)).toEqual(['Home', 'Kitchen', 'Later', 'Work']);
    await page.getByRole('list', { name: 'List of notes' }).getByText('Later').waitFor();

    await page.keyboard.press('Backspace');
    await expect.poll(() => tagsOf(plan)).toEqual(['Home', 'Kitchen', 'Later']);
    await page.getByRole('button', { name: 'Remove the tag “Home”' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => tagsOf(plan)).toEqual(['Kitchen', 'Later']);
    await expect.poll(() => chips(other.page)).toEqual(['Kitchen', 'Later']);
    await expect.poll(() => field(page).evaluate((input) => input.matches(':focus'))).toBe(true);

    // The tags are there while the text is written, and Esc in their field does not end that.
    await page.getByRole('button', { name: 'Write' }).click();
    await field(page).fill('draft');
    for (let at = 0; at < 3; at += 1) await page.keyboard.press('Escape');
    await page.getByLabel('Note text').fill('Ship it');
    await field(page).fill('Draft');
    await page.keyboard.press('Enter');
    await expect.poll(() => tagsOf(plan)).toEqual(['Draft', 'Kitchen', 'Later']);
    await expect.poll(() => page.getByText('Saved', { exact: true }).count()).toBe(1);
    expect([...complaints, ...other.complaints]).toEqual([]);
    await opened.close();
    await other.close();
  });

  test('the list and the search are narrowed by a tag: in the filters, in a row, in a note and by the address', {
    tags: 'slow',
  }, async () => {
    const { user, key, soup } = await withNotes();
    const { page, complaints, close } = await openConsole(browser.get(), steno, { user, path: '/notes' });
    const bar = (name: string) => page.getByText(`Notes with the tag “${name}”`);
    await expect.poll(() => titles(page)).toEqual(['Bread', 'Plan', 'Soup']);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Tag', { exact: true }).selectOption('Kitchen');
    await expect.poll(() => titles(page)).toEqual(['Bread', 'Soup']);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Search notes' }).fill('harbour rye');
    await page.getByText('1 note found').waitFor();
    expect(await titles(page)).toEqual(['Bread']);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('2 notes found').waitFor();
    await page.getByRole('searchbox', { name: 'Search notes' }).fill('');

    await page.locator('[data-tag]', { hasText: 'Home' }).click();
    await bar('Home').waitFor();
    await expect.poll(() => titles(page)).toEqual(['Soup']);
    await page.reload();
    await bar('Home').waitFor();
    await expect.poll(() => titles(page)).toEqual(['Soup']);
    // Another program gives the tag to a note, and takes it from the other one.
    await page.locator('html[data-live]').waitFor({ state: 'attached' });
    await steno.call('PATCH', `/notes/${soup}`, { key, body: { tags: ['Kitchen'] } });
    await page.getByText('No notes with this tag').waitFor();
    await page.getByRole('button', { name: 'Show all notes' }).click();
    await page.getByRole('link', { name: /^Soup/ }).click();
    await page.getByRole('article').getByRole('link', { name: 'Kitchen' }).click();
    await bar('Kitchen').waitFor();
    await expect.poll(() => titles(page)).toEqual(['Bread', 'Soup']);
    expect(complaints).toEqual([]);
    await close();
  });

  test('tags are renamed, merged and deleted in their dialog; notes on the screen and the filter follow', async () => {
    const { user, soup, known } = await withNotes(['Work', 'To do']);
    const opened = await openConsole(browser.get(), steno, { user, path: `/notes/${soup}` });
    const other = await openConsole(browser.get(), steno, { user, path: `/notes/${soup}` });
    const { page, complaints } = opened;
    await other.page.locator('html[data-live]').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Sort and select' }).click();
    await page.getByRole('menuitem', { name: 'Tags…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Tags' });
    await dialog.getByRole('listitem').filter({ hasText: 'Kitchen' }).getByText('2 notes').waitFor();
    expect(await seriousProblems(page)).toEqual([]);

    await dialog.getByRole('button', { name: 'Rename “Home”' }).click();
    await page.getByLabel('Name', { exact: true }).fill('kitchen');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Merge the two instead.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('House');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => chips(other.page)).toEqual(['House', 'Kitchen']);
    await expect.poll(() => chips(page)).toEqual(['House', 'Kitchen']);

    await dialog.getByRole('link', { name: 'House' }).click();
    await page.getByText('Notes with the tag “House”').waitFor();
    await page.getByRole('link', { name: /^Soup/ }).click();
    await page.getByRole('button', { name: 'Sort and select' }).click();
    await page.getByRole('menuitem', { name: 'Tags…' }).click();
    await dialog.getByRole('button', { name: 'Merge “House” into another tag' }).click();
    await page.getByLabel('Into', { exact: true }).selectOption('Kitchen');
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await expect.poll(() => chips(page)).toEqual(['Kitchen']);
    await expect.poll(() => chips(other.page)).toEqual(['Kitchen']);
    await dialog.getByRole('button', { name: 'Delete “To do”' }).click();
    await page.getByRole('button', { name: 'Delete tag' }).click();
    await expect.poll(known).toEqual({ Kitchen: 2, Work: 1 });
    await expect.poll(() => dialog.getByRole('listitem').count()).toBe(2);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Notes with the tag “Kitchen”').waitFor();
    await expect.poll(() => titles(page)).toEqual(['Bread', 'Soup']);
    expect([...complaints, ...other.complaints]).toEqual([]);
    await opened.close();
    await other.close();
  });

  test('the palette filters by a tag and leads to the field of the open note; chosen notes get a tag at once', {
    tags: 'slow',
  }, async () => {
    const { user, plan, tagsOf, known } = await withNotes();
    const path = `/notes/${plan}`;
    const { page, complaints, close } = await openConsole(browser.get(), steno, { user, path });
    await field(page).waitFor();
    const find = async (words: string, name: string) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox', { name: 'Search and commands' }).fill(words);
      await page.getByRole('option', { name }).waitFor();
      await page.keyboard.press('Enter');
    };
    await find('tag this', 'Tag this note');
    await expect.poll(() => field(page).evaluate((input) => input.matches(':focus'))).toBe(true);
    await page.keyboard.type('Work');
    await page.keyboard.press('Enter');
    await expect.poll(() => tagsOf(plan)).toEqual(['Work']);
    await expect.poll(() => chips(page)).toEqual(['Work']);

    await page.getByRole('button', { name: 'Sort and select' }).click();
    await page.getByRole('menuitem', { name: 'Select notes' }).click();
    for (const name of ['Plan', 'Bread']) await page.getByRole('checkbox', { name }).click();
    await page.getByRole('button', { name: 'Add a tag to the selected notes' }).click();
    await page.getByRole('dialog').getByLabel('Tag', { exact: true }).fill('Later');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Added the tag “Later” to 2 notes', { exact: true }).waitFor();
    expect(await known()).toEqual({ Home: 1, Kitchen: 2, Later: 2, Work: 1 });
    await expect.poll(() => chips(page)).toEqual(['Later', 'Work']);
    await find('later', 'Filter by tag: Later');
    await page.getByText('Notes with the tag “Later”').waitFor();
    await expect.poll(() => titles(page)).toEqual(['Bread', 'Plan']);
    expect(complaints).toEqual([]);
    await close();
  });

  test('on a phone tags are added by a finger, and a long one fits', { tags: 'slow' }, async () => {
    // The field begins beside the last one.
    const { user, plan, tagsOf } = await withNotes(['Harbour', 'To send']);
    const path = `/notes/${plan}`;
    const { page, complaints, close } = await openConsole(browser.get(), steno, { user, path, ...onPhone });
    await field(page).tap();
    await page.getByRole('option', { name: 'Kitchen' }).waitFor();
    expect(await sticksOut(page)).toBe(false);
    await page.getByRole('option', { name: 'Kitchen' }).tap();
    await expect.poll(() => chips(page)).toEqual(['Harbour', 'Kitchen', 'To send']);
    await field(page).fill(long);
    await page.getByRole('option', { name: /^New tag/ }).tap();
    await expect.poll(() => tagsOf(plan)).toEqual([long, 'Harbour', 'Kitchen', 'To send']);
    await expect.poll(() => chips(page)).toEqual([long, 'Harbour', 'Kitchen', 'To send']);
    expect(await sticksOut(page)).toBe(false);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove the tag “Kitchen”' }).tap();
    await expect.poll(() => tagsOf(plan)).toEqual([long, 'Harbour', 'To send']);
    await page.getByRole('article').getByRole('link', { name: 'All notes' }).tap();
    await page.locator('[data-tag]').first().tap();
    await page.getByRole('button', { name: 'Show all notes' }).waitFor();
    expect(await sticksOut(page)).toBe(false);
    await page.getByRole('button', { name: 'Sort and select' }).tap();
    await page.getByRole('menuitem', { name: 'Tags…' }).tap();
    await page.getByRole('dialog', { name: 'Tags' }).getByRole('link', { name: long }).waitFor();
    expect(await sticksOut(page)).toBe(false);
    expect(complaints).toEqual([]);
    await close();
  });
});
