import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('a form with something typed in it', () => {
  const browser = useBrowser();
  let model: Awaited<ReturnType<typeof startFakeModel>>;
  let steno: TestSteno;
  beforeAll(async () => {
    model = await startFakeModel();
    steno = await startSteno({ config: { language: { url: model.url, key: '', model: '', window: 0 } } });
  });
  afterAll(async () => {
    await steno.close();
    await model.close();
  });

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
    // The keyboard goes on where the form was opened.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New workspace');

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

  test('every form over a page asks before Esc loses what is typed in it', { tags: 'slow' }, async () => {
    const user = await steno.users.add({ name: 'Ada', email: 'ada@example.org', plan: 'business' });
    await steno.users.setOperator(user.id, true);
    const { id } = await steno.workspaces.create({ userId: user.id }, { name: 'Orange', plan: 'business' });
    const { page, origin, close } = await openConsole(browser.get(), steno, { user });
    const forms: [path: string, opens: string, field: string][] = [
      ['/notes', 'New folder', 'Name'],
      ['/account', 'Change name', 'Name'],
      ['/account', 'Add app password', 'Which app is it for?'],
      ['/dictionary', 'Import', 'Or paste your list'],
      ['/snippets', 'Import', 'Or paste your list'],
      ['/language', 'New action', 'What to write'],
      ['/keys', 'Create key', 'Name'],
      ['/keys', 'Add webhook', 'Address'],
      ['/workspaces', 'New workspace', 'Name'],
      [`/workspaces/${id}?tab=members`, 'Invite', 'Email'],
      [`/workspaces/${id}?tab=spaces`, 'New space', 'Name'],
      [`/workspaces/${id}?tab=keys`, 'Create workspace key', 'Name'],
      [`/workspaces/${id}?tab=audit`, 'Add webhook', 'Address'],
      ['/operator/people', 'Add a person', 'Name'],
    ];
    for (const [path, opens, label] of forms) {
      await page.goto(origin + path);
      await page.getByRole('button', { name: opens, exact: true }).filter({ visible: true }).first().click();
      const field = page.getByRole('dialog').getByLabel(label).first();
      await field.fill('Lemon');
      await page.keyboard.press('Escape');
      await question(page).getByRole('button', { name: 'Keep editing' }).click();
      expect(await field.inputValue(), path).toBe('Lemon');
      await page.keyboard.press('Escape');
      await question(page).getByRole('button', { name: 'Discard' }).click();
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    }
    await close();
  });

  test('in a row asks before Esc loses it, and at the top of a list before a link does', async () => {
    const { user, key } = await steno.person();
    const body = { trigger: 'brb', replacement: 'be right back' };
    await steno.call('POST', '/snippets/create', { key, body });
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/snippets' });
    await page.getByRole('button', { name: 'Edit brb' }).click();
    const row = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Save' }) });
    await row.getByLabel('Steno writes').fill('back soon');
    await page.keyboard.press('Escape');
    await question(page).getByRole('button', { name: 'Keep editing' }).click();
    expect(await row.getByLabel('Steno writes').inputValue()).toBe('back soon');
    await page.getByRole('link', { name: 'Dictionary' }).first().click();
    await question(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByLabel('New word').fill('Steno');
    await page.getByRole('link', { name: 'Usage' }).first().click();
    await question(page).getByRole('button', { name: 'Keep editing' }).click();
    expect(await page.getByLabel('New word').inputValue()).toBe('Steno');
    await close();
  });

  test('keeps a question while another screen is open, and asks before a reload loses it', async () => {
    const { user } = await steno.person();
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/ask' });
    const words = page.getByLabel('Your question');
    await words.fill('What about the roof?');
    await page.getByRole('link', { name: 'History' }).first().click();
    await page.getByRole('heading', { name: 'History', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Ask' }).first().click();
    expect(await words.inputValue()).toBe('What about the roof?');
    const asked = page.waitForEvent('dialog');
    void page.reload().catch(() => {});
    await (await asked).dismiss();
    expect(await words.inputValue()).toBe('What about the roof?');
    await close();
  });

  test('shows each key until the person says that it is kept, also when another is made', async () => {
    const { user } = await steno.person();
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/keys' });
    for (const name of ['First', 'Second']) {
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('region', { name: `Your key “${name}”` }).waitFor();
    }
    const shown = page.getByRole('region', { name: /^Your key/ });
    expect(await shown.count()).toBe(2);
    await shown.first().getByRole('button', { name: 'I’ve copied it' }).click();
    await expect.poll(() => shown.allInnerTexts()).toEqual([expect.stringContaining('First')]);
    await close();
  });
});
