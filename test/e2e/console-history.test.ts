import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const dayMs = 24 * 60 * 60_000;

describeInBrowser('history and usage in the console', () => {
  const browser = useBrowser();
  const speech = createFakeSpeech();
  let steno: TestSteno;
  /** When the server thinks it is. */
  let shiftMs = 0;
  beforeAll(async () => {
    steno = await startSteno({ speech, clock: () => Date.now() + shiftMs });
  });
  afterAll(() => steno.close());

  /** Says each text, so many days ago. */
  async function told(...said: [text: string, daysAgo: number][]) {
    const person = await steno.person();
    for (const [text, daysAgo] of said) {
      shiftMs = -daysAgo * dayMs;
      speech.say(text);
      const { status } = await steno.upload(person.key, { file: recording({ ms: 90_000 }) });
      expect(status).toBe(200);
    }
    shiftMs = 0;
    return person;
  }

  test('filters narrow the list, stay in the address and survive reading one', async () => {
    const { user } = await told(['the old harbour', 20], ['the new harbour', 2], ['a bakery', 1]);
    const { page, complaints, close } = await openConsole(browser.get(), steno, { user, path: '/history' });
    const items = page.getByRole('list', { name: 'Transcriptions' }).getByRole('link');
    await expect.poll(() => items.count()).toBe(3);
    await page.getByLabel('Search transcriptions').fill('harbour');
    await expect.poll(() => items.count()).toBe(2);
    await page.getByLabel('Date').selectOption('Last 7 days');
    await expect.poll(() => items.count()).toBe(1);
    await items.click();
    await page.getByText('the new harbour').waitFor();
    await page.getByRole('link', { name: 'History' }).last().click();
    await expect.poll(() => items.count()).toBe(1);
    await page.reload();
    await expect.poll(() => items.count()).toBe(1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => items.count()).toBe(3);
    expect(complaints).toEqual([]);
    await close();
  });

  test('one is exported as JSON, then deleted after a question', async () => {
    const { user, key } = await told(['only this', 0]);
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/history' });
    await page.getByRole('button', { name: 'Actions for this transcription' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'JSON' }).click();
    const record = JSON.parse(readFileSync(await (await downloading).path(), 'utf8'));
    expect(record).toMatchObject({ text: 'only this', word_count: 2, segments: [{ text: 'only this' }] });

    await page.getByRole('link', { name: 'only this' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No transcriptions yet').waitFor();
    expect((await steno.call('GET', '/transcriptions/list', { key })).body.data).toEqual([]);
    await close();
  });

  test('usage shows words and minutes against their limits, thirty days of bars, and requests', async () => {
    const { user } = await told(['one two three', 3], ['four five', 0]);
    const { page, complaints, close } = await openConsole(browser.get(), steno, { user, path: '/usage' });
    await page.getByText('You’re on the Business plan.').waitFor();
    await page.getByText('5 words in 30 days').waitFor();
    const days = page.getByRole('row').filter({ has: page.getByRole('rowheader') });
    expect(await days.count()).toBe(30);
    expect(await days.nth(26).textContent()).toMatch(/3$/);
    expect(await days.last().textContent()).toMatch(/2$/);
    await page.getByRole('button', { name: 'Minutes' }).click();
    await page.getByText('3 minutes in 30 days').waitFor();
    await page.getByText(/ of 600/).waitFor();
    await page.getByText(/\d+ of 300/).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
