import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const screens = [
  ['Notes', '/notes', 'All notes'],
  ['Trash', '/notes?trash=1', 'Trash'],
  ['Account', '/account', 'Account'],
  ['Transcribe', '/transcribe', 'Transcribe'],
  ['History', '/history', 'History'],
  ['Dictionary', '/dictionary', 'Dictionary'],
  ['Snippets', '/snippets', 'Snippets'],
  ['Usage', '/usage', 'Usage'],
  ['Keys', '/keys', 'Keys'],
  ['Workspaces', '/workspaces', 'Workspaces'],
] as const;

describeInBrowser('axe finds nothing serious', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  test.each(screens)('on %s', async (_name, path, heading) => {
    const { user, key } = await steno.person();
    await steno.call('POST', '/notes/create', { key, body: { title: 'A note', content: 'with **text**' } });
    const { page, close } = await openConsole(browser.get(), steno, { user, path });
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await seriousProblems(page)).toEqual([]);
    await close();
  });

  test('at the door, reading, writing, searching and in a dialog', async () => {
    const door = await openConsole(browser.get(), steno);
    await door.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await seriousProblems(door.page)).toEqual([]);
    await door.close();

    const { user, key } = await steno.person();
    const content = '# Heading\n\nText with `code`, a [link](https://example.org)\n\n> quote\n\n- list';
    await steno.call('POST', '/notes/create', { key, body: { title: 'A note', content } });
    const { page, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/notes?q=quote',
    });
    await page.getByRole('link', { name: /A note/ }).click();
    await page.getByRole('blockquote').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Write' }).click();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'New folder' }).click();
    expect(await seriousProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await close();
  });
});
