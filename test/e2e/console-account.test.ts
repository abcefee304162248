import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser.each([
  ['a desktop', {}],
  ['a phone', { viewport: { width: 390, height: 844 } }],
] as const)('the account, on %s', (_shape, options) => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  test('what was exported can be brought back, and a broken file is explained', async () => {
    const { user, key } = await steno.person();
    const { id } = (
      await steno.call('POST', '/notes/create', { key, body: { title: 'Plan', content: 'words' } })
    ).body.data;
    await steno.call('POST', '/folders/create', { key, body: { name: 'Work' } });
    const opened = await openConsole(browser.get(), steno, { user, path: '/account', ...options });
    const { page, complaints, close } = opened;
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export' }).click();
    const file = await (await downloading).path();

    await steno.call('DELETE', `/notes/${id}`, { key });
    await steno.call('DELETE', `/notes/trash/${id}`, { key });
    await page.getByLabel('Export to import').setInputFiles({
      name: 'steno-export.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from('no zip'),
    });
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Export to import').setInputFiles(file);
    await page.getByText('1 note and 0 folders added. 1 already existed.').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    const { body } = await steno.call('GET', `/notes/${id}`, { key });
    expect(body.data).toMatchObject({ title: 'Plan', content: 'words' });

    await page.getByRole('button', { name: 'Change name' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Grace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Grace').first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
