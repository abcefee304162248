import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { settled, uploadTo } from '../support/recordings.ts';
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

  /** Records under this name, and waits until it is heard. */
  async function recorded(key: string, name: string, file = recording({ ms: 90_000 })) {
    const { body } = await uploadTo(steno, key, file, `?note=true&name=${encodeURIComponent(name)}`);
    return settled(steno, key, body.data.id);
  }

  test.each(sizes)(
    'recordings and older texts are one list in time; filters narrow it, stay in the address and survive reading one, on %s',
    async (_size, screen) => {
      const { user, key } = await told(['the old harbour', 20], ['a bakery', 2]);
      speech.say('cranes and gates');
      const { note_id } = await recorded(key, 'Harbour meeting');
      const { page, complaints, close } = await openConsole(browser.get(), steno, {
        user,
        path: '/history',
        ...screen,
      });
      const items = page.getByRole('list', { name: 'Recordings' }).getByRole('link');
      await expect.poll(() => items.count()).toBe(3);
      expect(await items.allTextContents()).toEqual([
        expect.stringMatching(/^Harbour meetingcranes and gates.+1:30 · 15 words/),
        expect.stringMatching(/^a bakery.+Text only/),
        expect.stringMatching(/^the old harbour/),
      ]);
      // By what was said in a recording, too.
      await page.getByLabel('Find by name or words').fill('Gates');
      await expect.poll(() => items.count()).toBe(1);
      await page.getByText('1 recording', { exact: true }).waitFor();
      await page.getByLabel('Find by name or words').fill('harbour');
      await expect.poll(() => items.count()).toBe(2);
      await page.getByLabel('Status').selectOption('Text only');
      await expect.poll(() => items.count()).toBe(1);
      await items.click();
      await page.getByText('the old harbour').waitFor();
      await page.getByRole('main').getByRole('link', { name: 'History' }).click();
      await page.reload();
      await expect.poll(() => items.count()).toBe(1);
      await page.getByLabel('Status').selectOption('Any status');
      await page.getByLabel('Date').selectOption('Last 7 days');
      await expect.poll(() => items.allTextContents()).toEqual([expect.stringContaining('Harbour meeting')]);
      await items.click();
      await page.waitForURL(`**/notes/${note_id}`);
      await page.goBack();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await expect.poll(() => items.count()).toBe(3);

      // Its note has the same name, until somebody gives it another.
      const rename = async (from: string, to: string) => {
        await page.getByRole('button', { name: `Actions for ${from}` }).click();
        await page.getByRole('menuitem', { name: 'Rename' }).click();
        await page.getByLabel('Name', { exact: true }).fill(to);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        return (await steno.call('GET', `/notes/${note_id}`, { key })).body.data.title;
      };
      expect(await rename('Harbour meeting', 'Harbour talk')).toBe('Harbour talk');
      await steno.call('PATCH', `/notes/${note_id}`, { key, body: { title: 'Cranes' } });
      expect(await rename('Harbour talk', 'Talk')).toBe('Cranes');
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('a filter that fits none of 1,200 recordings reads 500, and further ones when it is asked to', async () => {
    const { user, key } = await steno.person();
    await recorded(key, 'Harbour meeting');
    await steno.database.write(async (trx) => {
      const row = await trx
        .selectFrom('recordings')
        .selectAll()
        .where('user_id', '=', user.id)
        .executeTakeFirstOrThrow();
      const earlier = (minutes: number) =>
        new Date(Date.parse(row.created_at) - minutes * 60_000).toISOString();
      for (let at = 1; at <= 1_200; at++)
        await trx
          .insertInto('recordings')
          .values({ ...row, id: randomUUID(), created_at: earlier(at) })
          .execute();
    });
    const { page, origin, complaints, close } = await openConsole(browser.get(), steno, { user });
    const read: string[] = [];
    page.on('request', (request) => {
      if (/\/v1\/recordings\?.*include=words/.test(request.url())) read.push(request.url());
    });
    await page.getByRole('link', { name: 'History' }).first().click();
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByText('No matches so far').waitFor();
    expect(read).toHaveLength(5);
    await page.getByRole('button', { name: 'Look through older ones' }).click();
    await expect.poll(() => read.length).toBe(10);
    await page.getByRole('button', { name: 'Look through older ones' }).click();
    await page.getByText('No matches', { exact: true }).waitFor();
    expect(read).toHaveLength(13);
    // What is text only is no recording.
    await page.goto(`${origin}/history?state=text`);
    await page.getByText('No matches', { exact: true }).waitFor();
    expect(read).toHaveLength(13);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a recording that failed is tried again; it is renamed, and deleted after a question', {
    tags: 'slow',
  }, async () => {
    const { user, key } = await steno.person();
    const { id } = await recorded(key, 'First name', recording({ ms: 700 * 60_000 }));
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/history' });
    await page.getByText('The recording is too long.').waitFor();
    await page.getByRole('button', { name: 'Actions for First name' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Try again' }).count()).toBe(0);
    // For another reason, another try can help.
    await steno.database.write((trx) =>
      trx.updateTable('recordings').set({ error_code: 'quota_exceeded' }).where('id', '=', id).execute(),
    );
    await page.reload();
    await page.getByRole('button', { name: 'Actions for First name' }).click();
    const asked = page.waitForResponse(/retry$/);
    await page.getByRole('menuitem', { name: 'Try again' }).click();
    expect((await asked).status()).toBe(200);
    await settled(steno, key, id);
    await page.getByRole('button', { name: 'Actions for First name' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Second name');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Actions for Second name' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No recordings yet').waitFor();
    await expect.poll(async () => (await steno.call('GET', '/recordings', { key })).body.data).toEqual([]);
    await close();
  });

  test('an older text is exported as JSON, saved as a note, then deleted after a question', async () => {
    const { user, key } = await told(['only this', 0]);
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/history' });
    await page.getByRole('button', { name: 'Actions for this transcription' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'JSON' }).click();
    const record = await json(await (await downloading).createReadStream());
    expect(record).toMatchObject({ text: 'only this', word_count: 2, segments: [{ text: 'only this' }] });

    await page.getByRole('link', { name: 'only this' }).click();
    await page.getByRole('button', { name: 'Save as note' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Open note' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No recordings yet').waitFor();
    await expect
      .poll(async () => (await steno.call('GET', '/transcriptions/list', { key })).body.data)
      .toEqual([]);
    await close();
  });

  test('usage shows words and minutes against their limits, thirty days of bars, and requests', async () => {
    const { user } = await told(['one two three', 3], ['four five', 0]);
    const { page, complaints, close } = await openConsole(browser.get(), steno, { user, path: '/usage' });
    await page.getByText('You’re on the Business plan.').waitFor();
    await page.getByText(/^5 words since/).waitFor();
    const days = page.getByRole('row').filter({ has: page.getByRole('rowheader') });
    await expect.poll(() => days.count()).toBe(30);
    expect(await days.nth(26).textContent()).toMatch(/3$/);
    expect(await days.last().textContent()).toMatch(/2$/);
    await page.getByRole('button', { name: 'Minutes' }).click();
    await page.getByText(/^3 minutes since/).waitFor();
    await page.getByText(/ of 600/).waitFor();
    await page.getByText(/\d+ of 1,000,000/).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
