import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const content = `# Shopping

We need **fresh bread** and more, see [the list](https://example.org).

- [ ] milk
- [x] eggs
`;

describeInBrowser('writing', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  test.each(sizes)(
    'one clicks and types, sees the formatting, and ticks boxes while reading, on %s',
    async (_size, screen) => {
      const { user, key } = await steno.person();
      const body = { title: 'Market', content };
      const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
      const stored = async (): Promise<string> =>
        (await steno.call('GET', `/notes/${id}`, { key })).body.data.content;
      const opened = await openConsole(browser.get(), steno, { user, path: `/notes/${id}`, ...screen });
      const { page, complaints, close } = opened;

      // By mouse and by keyboard.
      await page.getByRole('checkbox', { name: 'milk' }).click();
      await expect.poll(stored).toContain('- [x] milk');
      await page.keyboard.press('Space');
      await expect.poll(stored).toContain('- [ ] milk');
      await page.getByRole('checkbox', { name: 'eggs' }).uncheck();
      await expect.poll(stored).toBe(content.replace('[x] eggs', '[ ] eggs'));
      expect(await seriousProblems(page)).toEqual([]);

      // The right edge of a word that is bold: the caret is behind it, and the marks are counted.
      const bread = await page.locator('strong').boundingBox();
      await page.mouse.click((bread?.x ?? 0) + (bread?.width ?? 0) - 1, (bread?.y ?? 0) + 8);
      const text = page.getByLabel('Note text');
      await text.waitFor();
      await page.keyboard.type(' rolls');
      await expect.poll(stored).toContain('**fresh bread rolls** and more');
      await page.locator('[data-types-text]').waitFor();
      const weight = `getComputedStyle([...document.querySelector('[data-types-text]').shadowRoot
      .querySelectorAll('.cm-line span')].find((span) => span.textContent.includes('bread'))).fontWeight`;
      expect(await page.evaluate(weight)).toBe('700');
      expect(await seriousProblems(page)).toEqual([]);

      // Back to reading, and `e` goes on where the caret was.
      await page.keyboard.press('Escape');
      await page.locator('strong').waitFor();
      await page.keyboard.press('e');
      await page.keyboard.type(', two');
      await expect.poll(stored).toContain('**fresh bread rolls, two** and more');

      await page.keyboard.press('ControlOrMeta+End');
      await page.keyboard.press('Backspace');
      await page.keyboard.press('Enter');
      await page.keyboard.type('tea');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.keyboard.type('1. one');
      await page.keyboard.press('Enter');
      await page.keyboard.press('ControlOrMeta+b');
      await page.keyboard.type('two');
      await page.keyboard.press('Shift+Home');
      await page.keyboard.type('3');
      await expect.poll(stored).toMatch(/- \[ \] eggs\n- \[ \] tea\n1\. one\n/);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('site');
      await page.keyboard.press('Shift+Home');
      await page.keyboard.press('ControlOrMeta+k');
      await page.keyboard.type('https://example.org/a');
      await page.keyboard.press('End');
      await page.keyboard.type(' _x_');
      await expect.poll(stored).toBe('[site](https://example.org/a) _x_');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'site', exact: true }).waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('Tab and Shift+Tab indent an item of a list, and the letters after it stay in the text', async () => {
    const { user, key } = await steno.person();
    const body = { title: 'List', content: '- one' };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    const stored = async () => (await steno.call('GET', `/notes/${id}`, { key })).body.data.content;
    const { page, close } = await openConsole(browser.get(), steno, { user, path: `/notes/${id}` });
    await page.getByRole('heading', { name: 'List' }).waitFor();
    await page.keyboard.press('e');
    await page.locator('[data-types-text]').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('two');
    await expect.poll(stored).toBe('- one\n  - two');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(stored).toBe('- one\n- two');
    await close();
  });
});
