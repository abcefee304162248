import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('dictionary and snippets in the console', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  async function open(path: string) {
    const person = await steno.person();
    return { ...person, ...(await openConsole(browser.get(), steno, { user: person.user, path })) };
  }
  const wordsOf = async (key: string): Promise<string[]> =>
    (await steno.call('GET', '/dictionary/list?limit=500', { key })).body.data.map(
      ({ word }: { word: string }) => word,
    );

  test('a word is added, spelled anew, removed and brought back', { tags: 'slow' }, async () => {
    const { page, key, complaints, close } = await open('/dictionary');
    await page.getByText('No words yet').waitFor();
    await page.getByLabel('New word').focus();
    await page.keyboard.type('Dashwod');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit Dashwod' }).click();
    await page.getByLabel('Spelling').fill('Dashwood');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove Dashwood' }).click();
    // Under the pointer a message stays.
    await page.getByRole('button', { name: 'Undo' }).hover();
    await page.getByText('No words yet').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Edit Dashwood' }).waitFor();
    expect(await wordsOf(key)).toEqual(['Dashwood']);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a spelling that another word has is refused in place', async () => {
    const { page, key, close } = await open('/dictionary');
    await steno.call('POST', '/dictionary/create', { key, body: { words: ['Ada', 'Grace'] } });
    await page.reload();
    await page.getByRole('button', { name: 'Edit Grace' }).click();
    await page.getByLabel('Spelling').fill('ada');
    await page.keyboard.press('Enter');
    await page.getByText('This word is already in your dictionary.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Edit Grace' }).waitFor();
    await close();
  });

  test('a pasted list of 450 words goes in by three requests, and says what it leaves out', async () => {
    const { page, key, close } = await open('/dictionary');
    await steno.call('POST', '/dictionary/create', { key, body: { word: 'Word 7' } });
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/dictionary/create')) requests.push(request.postData() ?? '');
    });
    await page.getByRole('button', { name: 'Import' }).click();
    const list = Array.from({ length: 450 }, (_, at) => `Word ${at}`);
    await page.getByLabel('Or paste your list').fill([...list, 'word 3', 'x'.repeat(101)].join('\n'));
    await page.getByText('450 ready to import. 1 duplicate skipped. 1 can’t be used').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('Imported 449', { exact: true }).waitFor();
    await page.getByText('1 already existed.', { exact: true }).waitFor();
    expect(requests.map((body) => JSON.parse(body).words.length)).toEqual([200, 200, 50]);
    expect((await wordsOf(key)).length).toBe(450);
    await close();
  });

  test('what is exported can be imported: odd characters and all', { tags: 'slow' }, async () => {
    const odd = ['Müller, Anna', 'the "Rose"', '<script>alert(1)</script>', '=1+1'];
    const { page, key, complaints, close } = await open('/dictionary');
    await steno.call('POST', '/dictionary/create', { key, body: { words: odd } });
    await page.reload();
    await page.getByText('<script>alert(1)</script>').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await buffer(await (await downloading).createReadStream());
    await close();

    const other = await open('/dictionary');
    await other.page.getByRole('button', { name: 'Import' }).click();
    await other.page
      .getByLabel('Choose a TXT or CSV file')
      .setInputFiles({ name: 'dictionary.csv', mimeType: 'text/csv', buffer: file });
    await other.page.getByText('4 ready to import.').waitFor();
    await other.page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await other.page.getByText('Imported 4', { exact: true }).waitFor();
    expect((await wordsOf(other.key)).sort()).toEqual(odd.sort());
    expect([...complaints, ...other.complaints]).toEqual([]);
    await other.close();
  });

  test('a snippet is made, changed and found; a taken trigger is said at its field', async () => {
    const { page, key, complaints, close } = await open('/snippets');
    await page.getByLabel('When you say').fill('my address');
    await page.getByLabel('Steno writes').fill('12 Long Street\nSpringfield');
    await page.getByRole('button', { name: 'Add snippet' }).click();
    await page.getByRole('button', { name: 'Edit my address' }).waitFor();
    await page.getByLabel('When you say').fill('MY address');
    await page.getByLabel('Steno writes').fill('elsewhere');
    await page.getByRole('button', { name: 'Add snippet' }).click();
    await page.getByText('You already have a snippet for this phrase.').waitFor();

    await page.getByRole('button', { name: 'Edit my address' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'Steno writes' });
    await row.getByLabel('Steno writes').fill('34 Short Street');
    await row.getByRole('button', { name: 'Save' }).click();
    // Not while it is only in the field.
    await row.getByLabel('Steno writes').waitFor({ state: 'detached' });
    await page.getByText('34 Short Street').waitFor();
    await expect
      .poll(async () => (await steno.call('GET', '/snippets/list', { key })).body.data)
      .toMatchObject([{ trigger: 'my address', replacement: '34 Short Street' }]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('snippets come in by CSV; what is there already is counted, not changed', async () => {
    const { page, key, close } = await open('/snippets');
    await steno.call('POST', '/snippets/create', { key, body: { trigger: 'brb', replacement: 'mine' } });
    await page.getByRole('button', { name: 'Import' }).click();
    await page
      .getByLabel('Or paste your list')
      .fill('brb,be right back\nsig,"Kind regards,\nAda"\nomw,on my way, soon\nalone');
    await page.getByText('3 ready to import. 1 can’t be used').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('Imported 2', { exact: true }).waitFor();
    const { body } = await steno.call('GET', '/snippets/list', { key });
    const found = Object.fromEntries(
      body.data.map((snippet: { trigger: string; replacement: string }) => [
        snippet.trigger,
        snippet.replacement,
      ]),
    );
    expect(found).toEqual({ brb: 'mine', sig: 'Kind regards,\nAda', omw: 'on my way, soon' });
    await close();
  });
});
