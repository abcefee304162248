import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('a form with something typed in it', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  async function openForm() {
    const { user } = await steno.person();
    const opened = await openConsole(browser.get(), steno, { user, path: '/workspaces' });
    const { page } = opened;
    await page.getByRole('button', { name: 'New workspace' }).click();
    const form = page.getByRole('dialog', { name: 'New workspace' });
    await form.getByLabel('Name').waitFor();
    return { ...opened, form, name: form.getByLabel('Name') };
  }
  const question = (page: Page) => page.getByRole('dialog', { name: 'Discard your changes?' });

  test('closes at once while nothing is typed, and asks before Esc, the cross or a click beside lose it', async () => {
    const { page, form, name, close } = await openForm();
    await page.keyboard.press('Escape');
    await expect.poll(() => form.count()).toBe(0);

    await page.getByRole('button', { name: 'New workspace' }).click();
    await name.fill('Lemon');
    const ways = [
      () => page.keyboard.press('Escape'),
      () => form.getByRole('button', { name: 'Close' }).click(),
      () => page.mouse.click(5, 5),
    ];
    for (const leave of ways) {
      await leave();
      await question(page).getByRole('button', { name: 'Keep editing' }).click();
      await expect.poll(() => question(page).count()).toBe(0);
      expect(await name.inputValue()).toBe('Lemon');
    }
    // Chrome closes a dialog at the second Esc in a row, whatever the page says.
    for (let time = 0; time < 4; time += 1) await page.keyboard.press('Escape');
    if ((await question(page).count()) > 0)
      await question(page).getByRole('button', { name: 'Keep editing' }).click();
    expect(await name.inputValue()).toBe('Lemon');

    await page.keyboard.press('Escape');
    await question(page).getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => form.count()).toBe(0);
    await close();
  });

  test('stays when a selection is drawn out of it', async () => {
    const { page, form, name, close } = await openForm();
    const box = await name.boundingBox();
    if (!box) throw new Error('The field is not on the screen.');
    await page.mouse.move(box.x + 20, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 5, { steps: 5 });
    await page.mouse.up();
    expect(await form.isVisible()).toBe(true);
    await close();
  });

  test('asks before the back button loses it, and goes there if it may', async () => {
    const { page, form, name, close } = await openForm();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Usage' }).first().click();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'New workspace' }).click();
    await name.fill('Lemon');
    await page.evaluate('history.forward()');
    await question(page).getByRole('button', { name: 'Keep editing' }).click();
    expect(await name.inputValue()).toBe('Lemon');
    expect(new URL(page.url()).pathname).toBe('/workspaces');
    await page.evaluate('history.forward()');
    await question(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(await form.count()).toBe(0);
    await close();
  });

  test('asks before a reload', async () => {
    const { page, name, close } = await openForm();
    await name.fill('Lemon');
    const asked = page.waitForEvent('dialog');
    void page.reload().catch(() => {});
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    expect(await name.inputValue()).toBe('Lemon');
    await close();
  });

  test('is sent, and the page it leads to opens without a question', async () => {
    const { page, name, close } = await openForm();
    await name.fill('Lemon');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Lemon', level: 1 }).waitFor();
    expect(await question(page).count()).toBe(0);
    await close();
  });

  test('is described to screen readers by the sentence below its title', async () => {
    const { user } = await steno.person();
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/account' });
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const about = await dialog.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${about}"]`).textContent()).toContain('are deleted at once');
    await close();
  });
});
