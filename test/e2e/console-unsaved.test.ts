import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import {
  describeInBrowser,
  onPhone,
  openConsole,
  openConsoleWithNotes,
  useBrowser,
} from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('what only this browser has', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  const onlyHere = /Not saved yet.*1 thing is only in this browser/;

  test('the text of a deleted note is found from another screen, and becomes a new note', async () => {
    const notes = [{ title: 'Plan', content: 'old' }];
    const { page, ids, key, stored, complaints, close } = await openConsoleWithNotes(
      browser.get(),
      steno,
      notes,
      '/notes/{0}',
    );
    await page.getByRole('heading', { name: 'Plan' }).waitFor();
    await page.getByRole('button', { name: 'Write' }).click();
    // The page does not hear of it before it saves.
    await page.route('**/api/v1/notes/*', async (route) => {
      if (route.request().method() === 'PATCH') await steno.call('DELETE', `/notes/${ids[0]}`, { key });
      await route.continue();
    });
    await page.getByLabel('Note text').fill('what I wrote');
    await page.getByText('This note was deleted while you were writing.').waitFor();
    await page.getByRole('link', { name: 'Transcribe' }).click();
    await page.getByRole('link', { name: onlyHere }).click();
    await page.getByRole('heading', { name: 'Not saved yet' }).waitFor();
    const item = page.getByRole('list', { name: 'Notes' }).getByRole('listitem');
    await item.getByText('Changes to a note').waitFor();
    await item.getByText('The note was deleted while you were writing.').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await item.getByRole('button', { name: 'Save as new: Plan' }).click();
    await page.getByText('Everything is saved').waitFor();
    await expect.poll(stored).toMatchObject([{ title: 'Plan', content: 'what I wrote' }]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a text is discarded after a question that names it', async () => {
    const { page, stored, close } = await openConsoleWithNotes(browser.get(), steno, [], '/notes');
    await page.getByText('No notes yet').waitFor();
    await page.route('**/api/v1/notes/create', (route) => route.abort());
    await page.getByRole('button', { name: 'New note' }).first().click();
    await page.getByLabel('Title').fill('Draft');
    await page.getByText(/^Not saved: /).waitFor();
    await page.getByRole('link', { name: onlyHere }).click();
    const item = page.getByRole('list', { name: 'Notes' }).getByRole('listitem');
    await item.getByText('Can’t reach the server').waitFor();
    await item.getByRole('button', { name: 'Discard: Draft' }).click();
    await page.getByRole('dialog', { name: 'Discard what you wrote in “Draft”?' }).waitFor();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByText('Everything is saved').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    await page.getByText('Everything is saved').waitFor();
    expect(await stored()).toEqual([]);
    await close();
  });

  test('a note of a folder that is gone goes to one’s own notes, says so, and needs no open editor', async () => {
    const { user, key } = await steno.person();
    const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'Work' } })).body.data;
    const { page, origin, close } = await openConsole(browser.get(), steno, {
      user,
      path: `/notes?folder=${folder.id}`,
    });
    await page.route('**/api/v1/notes/create', (route) => route.abort());
    await page.getByRole('button', { name: 'New note' }).first().click();
    await page.getByLabel('Title').fill('Minutes');
    await page.getByText(/^Not saved: /).waitFor();
    await steno.call('DELETE', `/folders/${folder.id}`, { key });
    await page.unrouteAll({ behavior: 'wait' });
    const { promise: isTold, resolve: tell } = Promise.withResolvers<void>();
    await page.route('**/api/v1/notes/create', async (route) => {
      if (!route.request().postDataJSON().folder_id) await isTold;
      await route.continue();
    });
    await page.goto(`${origin}/usage`);
    await page.getByText('“Minutes” is in “My notes”', { exact: true }).waitFor();
    tell();
    const notes = async () => (await steno.call('GET', '/notes/list', { key })).body.data;
    await expect.poll(notes).toMatchObject([{ title: 'Minutes', folder_id: null }]);
    await close();
  });

  test('on a phone it is behind More', async () => {
    const { user } = await steno.person();
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/notes', ...onPhone });
    await page.route('**/api/v1/notes/create', (route) => route.abort());
    await page.getByRole('button', { name: 'New note' }).first().click();
    await page.getByLabel('Title').fill('Draft');
    await page.getByText(/^Not saved: /).waitFor();
    await page.getByRole('button', { name: /More.*1 thing is only in this browser/ }).click();
    await page.getByRole('link', { name: onlyHere }).click();
    await page.getByRole('link', { name: 'Open: Draft' }).click();
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Draft');
    await close();
  });
});
