import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import {
  describeInBrowser,
  isInSight,
  openConsole,
  sizes,
  sticksOut,
  useBrowser,
} from '../support/browser.ts';
import { networkQuiet } from '../support/quiet.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

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

const nothingSticksOut = async (page: Page) => expect(await sticksOut(page)).toBe(false);

describeInBrowser('notes are put in order', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  let now = Date.now();
  beforeAll(async () => {
    steno = await startSteno({ clock: () => now });
  });
  afterAll(() => steno.close());

  test.each(sizes)('with folders, pins, an order, a selection and the trash, on %s', async (size, screen) => {
    const byMouse = size === 'a desktop';
    const { user, key, work, stored } = await withNotes(steno);
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/notes',
      ...screen,
    });
    const folders = page.getByRole('list', { name: 'Notes and folders' }).filter({ visible: true });
    const openNote = (title: string) => page.getByRole('link', { name: new RegExp(`^${title}`) }).click();
    const inNote = async (role: 'menuitem' | 'menuitemradio', name: string) => {
      await page.getByRole('button', { name: 'Actions for this note' }).click();
      await page.getByRole(role, { name, exact: true }).click();
    };
    const moveTo = async (name: string) => {
      await page.getByRole('dialog').getByLabel('Find a folder').fill(name.slice(0, 3));
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    };
    /** Where a note covers its list. */
    const backToList = async () => {
      if (!byMouse) await page.getByRole('article').getByRole('link', { name: 'All notes' }).click();
    };
    const inList = async (role: 'menuitem' | 'menuitemradio', name: string) => {
      await page.getByRole('button', { name: 'Sort and select' }).click();
      await page.getByRole(role, { name }).click();
    };
    await titles(page).first().waitFor();
    await nothingSticksOut(page);
    // Thirty folders leave the rest of the navigation where it was: nothing has to be scrolled to.
    await folders.getByRole('link', { name: 'Folder 1', exact: true }).waitFor();
    for (const name of byMouse ? ['History', 'Settings'] : ['History', 'More']) {
      const place = page.getByRole('navigation').getByText(name).filter({ visible: true });
      expect([name, await isInSight(place)]).toEqual([name, true]);
    }
    // What is left of the sidebar shows folders.
    if (byMouse)
      expect(await isInSight(folders.getByRole('link', { name: 'Folder 8', exact: true }))).toBe(true);
    await folders.getByLabel('Find a folder').fill('wor');
    await expect
      .poll(() => folders.getByRole('link').allTextContents())
      .toEqual(['All notes', 'Work', 'Trash']);

    // Dragged by the mouse, moved by the menu.
    if (byMouse) {
      await titles(page)
        .filter({ hasText: 'One' })
        .getByRole('link')
        .dragTo(folders.getByRole('link', { name: 'Work' }));
      await page.getByText('Moved 1 note to “Work”', { exact: true }).waitFor();
    } else {
      await openNote('One');
      await inNote('menuitem', 'Move to…');
      await moveTo('Work');
    }
    await expect.poll(async () => (await stored()).One?.folder_id).toBe(work.id);
    await backToList();

    await openNote('Two');
    await inNote('menuitem', 'Pin');
    await expect.poll(async () => (await stored()).Two?.pinned).toBe(true);
    await backToList();
    await expect.poll(() => order(page)).toEqual(['Two', 'Donau', 'Three', 'One']);
    await inList('menuitemradio', 'Date edited');
    await expect.poll(() => order(page)).toEqual(['Two', 'One', 'Donau', 'Three']);
    await page.reload();
    await expect.poll(() => order(page)).toEqual(['Two', 'One', 'Donau', 'Three']);

    // From the second to the last: with Shift, or one by one.
    await inList('menuitem', 'Select notes');
    await page.getByRole('checkbox', { name: 'One' }).click();
    if (!byMouse) await page.getByRole('checkbox', { name: long }).click();
    await page.getByRole('checkbox', { name: 'Three' }).click(byMouse ? { modifiers: ['Shift'] } : {});
    await page.getByText('3 selected', { exact: true }).waitFor();
    await nothingSticksOut(page);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Move to' }).click();
    await moveTo('Work');
    await expect.poll(async () => (await stored()).Three?.folder_id).toBe(work.id);
    await page.getByText('Moved 3 notes to “Work”', { exact: true }).waitFor();
    // Each goes back to where it was, and all of them are chosen at once.
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('Moved back', { exact: true }).waitFor();
    expect([(await stored()).One?.folder_id, (await stored()).Three?.folder_id]).toEqual([work.id, null]);
    await inList('menuitem', 'Select notes');
    await page.getByRole('button', { name: 'Select all' }).click();
    await page.getByText('4 selected', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Two' }).click();
    await page.getByRole('button', { name: 'Move to' }).click();
    await moveTo('Work');
    await expect.poll(async () => (await stored()).Three?.folder_id).toBe(work.id);

    await folders.getByLabel('Find a folder').fill('wor');
    await folders.getByRole('link', { name: 'Work' }).click();
    await inList('menuitem', 'Rename folder');
    await page.getByLabel('Folder name').fill('Play');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Play', level: 1 }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await titles(page).first().waitFor();

    // The first note of the list is chosen by its key or by hand, deleted and brought back.
    if (byMouse) {
      // The dialog gave the focus back to the button of its menu, which opens with this key.
      await page.getByRole('heading', { name: 'Play', level: 1 }).click();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('x');
    } else {
      await inList('menuitem', 'Select notes');
      await page.getByRole('checkbox').first().click();
    }
    await page.getByText('1 selected', { exact: true }).waitFor();
    const [first] = await order(page);
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(async () => Object.keys(await stored()).length).toBe(3);
    // The last "Undo" would be that of the move, as long as this message is not there.
    await page.getByText(new RegExp(`^Deleted “${first}`)).waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(async () => Object.keys(await stored()).length).toBe(4);

    await inList('menuitem', 'Delete folder');
    await page.getByRole('button', { name: 'Delete its notes too' }).click();
    await expect.poll(async () => Object.keys(await stored())).toEqual(['Two']);
    await page.getByRole('heading', { name: 'All notes', level: 1 }).waitFor();

    await folders.getByRole('link', { name: 'Trash' }).click();
    await openNote('Three');
    await page.getByText(/^Deleted \d/).waitFor();
    await nothingSticksOut(page);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Restored “Three”', { exact: true }).waitFor();
    await expect.poll(async () => Object.keys(await stored()).sort()).toEqual(['Three', 'Two']);
    await backToList();
    await folders.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('button', { name: 'Empty trash' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Empty trash' }).click();
    await page.getByText('The trash is empty').waitFor();
    await expect.poll(async () => (await steno.call('GET', '/notes/trash', { key })).body.data).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(sizes)('with revisions, which are compared and restored, on %s', async (_size, screen) => {
    const { user, key } = await steno.person();
    const body = { title: 'Plan', content: 'Meet at nine in the old harbour.' };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    now += 11 * 60_000;
    await steno.call('PATCH', `/notes/${id}`, { key, body: { content: 'Meet at ten in the new harbour.' } });
    const { page, close } = await openConsole(browser.get(), steno, {
      user,
      path: `/notes/${id}`,
      ...screen,
    });
    await page.getByRole('article').getByText('Meet at ten').waitFor();
    await page.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Version history' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.locator('del').allTextContents()).toEqual(['nine ', 'old ']);
    expect(await dialog.locator('ins').allTextContents()).toEqual(['ten ', 'new ']);
    expect(await seriousProblems(page)).toEqual([]);
    await nothingSticksOut(page);
    await dialog.getByRole('button', { name: 'Restore this version' }).click();
    await page.getByRole('article').getByText('Meet at nine in the old harbour.').waitFor();
    await close();
  });

  test('a link to a note far down in the trash opens it, and two versions of one minute have their numbers', async () => {
    const { user, key } = await steno.person();
    const ids: string[] = [];
    for (let at = 0; at < 52; at += 1) {
      const body = { title: `Gone ${at}`, content: 'one' };
      ids.push((await steno.call('POST', '/notes/create', { key, body })).body.data.id);
    }
    const [first, last] = [ids[0] ?? '', ids.pop() ?? ''];
    // Each of another session, so each leaves a version.
    for (const content of ['two', 'three'])
      await steno.call('PATCH', `/notes/${last}`, { key, body: { content } });
    await steno.call('DELETE', `/notes/${first}`, { key });
    now += 1_000;
    await steno.call('POST', '/notes/change', { key, body: { ids: ids.slice(1), deleted: true } });
    const { page, close } = await openConsole(browser.get(), steno, {
      user,
      path: `/notes/${first}?trash=1`,
    });
    await page.getByRole('heading', { name: 'Gone 0', exact: true }).waitFor();
    await page.goto(new URL(`/notes/${last}`, page.url()).href);
    await page.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Version history' }).click();
    const versions = page.getByLabel('Earlier version').locator('option');
    await expect.poll(() => versions.count()).toBe(2);
    expect((await versions.allTextContents()).map((text) => text.replace(/^.* \(/, '('))).toEqual([
      '(1 of 2)',
      '(2 of 2)',
    ]);
    await close();
  });

  test('a folder that is deleted takes nobody away from where they went meanwhile', async () => {
    const { user, work } = await withNotes(steno);
    const { page, close } = await openConsole(browser.get(), steno, {
      user,
      path: `/notes?folder=${work.id}`,
    });
    await page.getByRole('heading', { name: 'Work', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sort and select' }).click();
    await page.getByRole('menuitem', { name: 'Delete folder' }).click();
    const answered = Promise.withResolvers<void>();
    await page.route('**/notes/list*', (route) => answered.promise.then(() => route.continue()));
    await page.getByRole('button', { name: 'Delete its notes too' }).click();
    await page.getByRole('heading', { name: 'All notes', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor();
    answered.resolve();
    await page.getByText('Deleted the folder “Work”', { exact: true }).waitFor();
    await networkQuiet(page);
    expect(new URL(page.url()).searchParams.has('trash')).toBe(true);
    await close();
  });
});
