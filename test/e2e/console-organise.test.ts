import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const phone = { viewport: { width: 390, height: 844 } };
const long = 'Donaudampfschifffahrtsgesellschaft'.repeat(3).slice(0, 100);

/** Someone with four notes and thirty folders, and what the server has of them. */
async function withNotes(steno: TestSteno) {
  const { user, key } = await steno.person();
  const create = async (path: string, body: object) =>
    (await steno.call('POST', path, { key, body })).body.data;
  for (let at = 1; at <= 28; at += 1) await create('/folders/create', { name: `Folder ${at}` });
  const work = await create('/folders/create', { name: 'Work' });
  await create('/folders/create', { name: long });
  for (const title of ['One', 'Two', 'Three', long]) await create('/notes/create', { title, content: title });
  const stored = async (): Promise<Record<string, { folder_id: string | null; pinned: boolean }>> => {
    const { body } = await steno.call('GET', '/notes/list', { key });
    return Object.fromEntries(body.data.map((note: { title: string }) => [note.title, note]));
  };
  return { user, key, work, stored };
}

const titles = (page: Page) => page.getByRole('list', { name: 'List of notes' }).getByRole('listitem');
const order = async (page: Page) =>
  (await titles(page).locator('[dir=auto]:first-child').allTextContents()).map((title) => title.slice(0, 5));

async function nothingSticksOut(page: Page) {
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  // `overflow: hidden` of a row would hide that its text is wider than the list.
  const wide = `[...document.querySelectorAll('[data-index]')].some((row) => row.scrollWidth > row.clientWidth)`;
  expect(await page.evaluate(wide)).toBe(false);
}

describeInBrowser('notes are put in order', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  let now = Date.now();
  beforeAll(async () => {
    steno = await startSteno({ clock: () => now });
  });
  afterAll(() => steno.close());

  test('with folders, pins, an order, a selection and the trash', async () => {
    const { user, key, work, stored } = await withNotes(steno);
    const { page, complaints, close } = await openConsole(browser.get(), steno, { user, path: '/notes' });
    await titles(page).first().waitFor();
    await nothingSticksOut(page);
    // Thirty folders leave the rest of the navigation where it was.
    await expect.poll(() => page.getByRole('link', { name: 'Account' }).isVisible()).toBe(true);
    const account = await page.getByRole('link', { name: 'Account' }).boundingBox();
    expect(account?.y).toBeLessThan(900);

    const folders = page.getByRole('navigation').getByRole('list', { name: 'Notes and folders' });
    await folders.getByLabel('Find a folder').fill('wor');
    await expect
      .poll(() => folders.getByRole('link').allTextContents())
      .toEqual(['All notes', 'Work', 'Trash']);

    // Dragged by the mouse, moved by the menu.
    await titles(page)
      .filter({ hasText: 'One' })
      .getByRole('link')
      .dragTo(folders.getByRole('link', { name: 'Work' }));
    await page.getByText('Moved 1 note', { exact: true }).waitFor();
    await expect.poll(async () => (await stored()).One?.folder_id).toBe(work.id);

    await page.getByRole('link', { name: /^Two/ }).click();
    await page.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Pin', exact: true }).click();
    await expect.poll(() => order(page)).toEqual(['Two', 'Donau', 'Three', 'One']);
    expect((await stored()).Two?.pinned).toBe(true);

    const menu = page.getByRole('button', { name: 'Sort and select' });
    await menu.click();
    await page.getByRole('menuitemradio', { name: 'Date edited' }).click();
    await expect.poll(() => order(page)).toEqual(['Two', 'One', 'Donau', 'Three']);
    await page.reload();
    await expect.poll(() => order(page)).toEqual(['Two', 'One', 'Donau', 'Three']);

    // From the second to the last, with Shift.
    await menu.click();
    await page.getByRole('menuitem', { name: 'Select notes' }).click();
    await page.getByRole('checkbox', { name: 'One' }).click();
    await page.getByRole('checkbox', { name: 'Three' }).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected', { exact: true }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Move to' }).click();
    await page.getByRole('menuitem', { name: 'Work' }).click();
    await page.getByText('Moved 3 notes', { exact: true }).waitFor();
    expect((await stored()).Three?.folder_id).toBe(work.id);

    await folders.getByLabel('Find a folder').fill('wor');
    await folders.getByRole('link', { name: 'Work' }).click();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Rename folder' }).click();
    await page.getByLabel('Folder name').fill('Play');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Play', level: 1 }).waitFor();

    // By keyboard: the first note of the list is chosen, deleted and brought back.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.getByText('1 selected', { exact: true }).waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(async () => Object.keys(await stored()).length).toBe(3);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => Object.keys(await stored()).length).toBe(4);

    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete folder' }).click();
    await page.getByRole('button', { name: 'Delete its notes too' }).click();
    await expect.poll(async () => Object.keys(await stored())).toEqual(['Two']);

    await folders.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('link', { name: /^Three/ }).click();
    await page.getByText(/^Deleted \d/).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Restored “Three”', { exact: true }).waitFor();
    await expect.poll(async () => Object.keys(await stored()).sort()).toEqual(['Three', 'Two']);
    await folders.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('button', { name: 'Empty trash' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Empty trash' }).click();
    await page.getByText('The trash is empty').waitFor();
    expect((await steno.call('GET', '/notes/trash', { key })).body.data).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('with revisions, which are compared and restored', async () => {
    const { user, key } = await steno.person();
    const body = { title: 'Plan', content: 'Meet at nine in the old harbour.' };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    now += 11 * 60_000;
    await steno.call('PATCH', `/notes/${id}`, { key, body: { content: 'Meet at ten in the new harbour.' } });
    const { page, close } = await openConsole(browser.get(), steno, { user, path: `/notes/${id}`, ...phone });
    await page.getByText('Meet at ten').waitFor();
    await page.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Revisions' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.locator('del').allTextContents()).toEqual(['nine ', 'old ']);
    expect(await dialog.locator('ins').allTextContents()).toEqual(['ten ', 'new ']);
    expect(await seriousProblems(page)).toEqual([]);
    await nothingSticksOut(page);
    await dialog.getByRole('button', { name: 'Restore this text' }).click();
    await page.getByText('Meet at nine in the old harbour.').waitFor();
    await close();
  });

  test('on a phone', async () => {
    const { user, stored } = await withNotes(steno);
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/notes', ...phone });
    await titles(page).first().waitFor();
    await nothingSticksOut(page);
    await page.getByRole('button', { name: 'Sort and select' }).click();
    await page.getByRole('menuitem', { name: 'Select notes' }).click();
    await page.getByRole('checkbox', { name: 'Two' }).click();
    await page.getByRole('checkbox', { name: long }).click();
    await nothingSticksOut(page);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(async () => Object.keys(await stored()).sort()).toEqual(['One', 'Three']);
    await page.getByRole('searchbox', { name: 'Find a folder' }).last().fill('20');
    await page.getByRole('link', { name: 'Folder 20' }).last().click();
    await page.getByText('This folder is empty').waitFor();
    await page.getByRole('link', { name: 'Trash' }).last().click();
    await page.getByRole('link', { name: /^Two/ }).click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('heading', { name: 'Two' }).waitFor();
    await nothingSticksOut(page);
    await close();
  });
});
