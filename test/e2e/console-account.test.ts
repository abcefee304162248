import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { zipped } from '../support/exports.ts';
import { capturedLog } from '../support/log.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('the account', () => {
  const browser = useBrowser();
  const captured = capturedLog();
  let steno: TestSteno;
  let shiftMs = 0;
  beforeAll(async () => {
    steno = await startSteno({ log: captured.log, clock: () => Date.now() + shiftMs });
  });
  afterAll(() => steno.close());
  /** The last code in the log, which is where mail goes without a mail server. */
  const lastCode = () => [...captured.text().matchAll(/Your code is (\d{6})/g)].at(-1)?.[1] ?? '';

  test.each(sizes)(
    'what was exported can be brought back, and a broken file is explained, on %s',
    async (_size, screen) => {
      const { user, key } = await steno.person();
      const { id } = (
        await steno.call('POST', '/notes/create', { key, body: { title: 'Plan', content: 'words' } })
      ).body.data;
      await steno.call('POST', '/folders/create', { key, body: { name: 'Work' } });
      const opened = await openConsole(browser.get(), steno, { user, path: '/account', ...screen });
      const { page, complaints, close } = opened;
      const downloading = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Export' }).click();
      const file = await buffer(await (await downloading).createReadStream());

      await steno.call('DELETE', `/notes/${id}`, { key });
      await steno.call('DELETE', `/notes/trash/${id}`, { key });
      await page.getByLabel('Export to import').setInputFiles({
        name: 'steno-export.zip',
        mimeType: 'application/zip',
        buffer: Buffer.from('no zip'),
      });
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Export to import').setInputFiles({
        name: 'steno-export.zip',
        mimeType: 'application/zip',
        buffer: file,
      });
      await page.getByText('1 note and 0 folders added. 1 already existed.').waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      const { body } = await steno.call('GET', '/notes/list', { key });
      expect(body.data).toMatchObject([{ title: 'Plan', content: 'words' }]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('Markdown files and a zip of them become notes in folders, once', { tags: 'slow' }, async () => {
    const { user, key } = await steno.person();
    const { page, complaints, close } = await openConsole(browser.get(), steno, { user, path: '/account' });
    const markdown = (name: string, text: string) => ({
      name,
      mimeType: 'text/markdown',
      buffer: Buffer.from(text),
    });
    const choose = (...files: { name: string; mimeType: string; buffer: Buffer }[]) =>
      page.getByLabel('Markdown to import').setInputFiles(files);
    const zip = { ...markdown('vault.zip', ''), buffer: await zipped({ 'Work/Plan.md': '# Plan' }) };
    await choose(markdown('Größe.md', 'größer'), markdown('List.md', '---\ntitle: My list\n---\n- [ ] milk'));
    await page.getByText('2 notes and 0 folders added.').waitFor();
    await choose(markdown('Größe.md', 'größer'));
    await page.getByText('0 notes and 0 folders added. 1 already existed.').waitFor();
    await choose(zip);
    await page.getByText('1 note and 1 folder added.').waitFor();
    await choose(zip, markdown('More.md', 'more'));
    await page.getByText('Choose Markdown files, or one zip file.', { exact: true }).waitFor();
    await choose({ ...markdown('Bad.md', ''), buffer: Buffer.from([0xff, 0x00]) });
    await page.getByText('Bad.md is larger than a megabyte or not text').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    const { data } = (await steno.call('GET', '/notes/list', { key })).body;
    const texts = data.map((note: Record<string, string>) => `${note.title}: ${note.content}`);
    expect(texts.sort()).toEqual(['Größe: größer', 'My list: - [ ] milk', 'Plan: # Plan']);
    expect(complaints.filter((said) => !said.includes('400'))).toEqual([]);
    await close();
  });

  test('a theme is chosen and stays after a reload, whatever the system says', async () => {
    const { user } = await steno.person();
    const { page, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/account',
      colorScheme: 'light',
    });
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.getByRole('button', { name: 'Dark' }).click();
    const dark = await background();
    await page.reload();
    await page.getByRole('button', { name: 'Dark', pressed: true }).waitFor();
    expect(await background()).toBe(dark);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'As the system' }).click();
    expect(await background()).not.toBe(dark);
    await close();
  });

  test.each(sizes)(
    'the account of the first start gets a name and an address, and signs in with it, on %s',
    async (size, screen) => {
      const { user } = await steno.person({ name: 'Owner' });
      const email = `olga-${size.slice(2)}@example.org`;
      const { page, complaints, close } = await openConsole(browser.get(), steno, {
        user,
        path: '/account',
        ...screen,
      });
      await page.getByText('No email address').waitFor();
      await page.getByText('This session').waitFor();
      await page.getByRole('button', { name: 'Change name' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Olga');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Olga', { exact: true }).first().waitFor();

      await page.getByRole('button', { name: 'Add email address' }).click();
      await page.getByRole('dialog').getByLabel('Email address').fill(email);
      const before = lastCode();
      await page.getByRole('button', { name: 'Send code' }).click();
      const field = page.getByLabel('Six-digit code');
      await field.waitFor();
      await expect.poll(lastCode).not.toBe(before);
      await field.fill(lastCode() === '000000' ? '000001' : '000000');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('This code is wrong or has expired.').waitFor();
      await field.fill(lastCode());
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(`You now sign in with ${email}`, { exact: true }).waitFor();
      expect(await steno.users.find(email)).toMatchObject({ id: user.id, name: 'Olga' });

      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByLabel('Email address').fill(email);
      const used = lastCode();
      // An address gets one code a minute.
      shiftMs += 61_000;
      await page.getByRole('button', { name: 'Send code' }).click();
      await field.waitFor();
      await expect.poll(lastCode).not.toBe(used);
      await field.fill(lastCode());
      await page.getByText(`Olga · ${email}`).waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );
});
