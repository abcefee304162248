import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import {
  describeInBrowser,
  isInSight,
  openConsole,
  sizes,
  sticksOut,
  useBrowser,
} from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';
import { positionIn as at, createKnownSpeech, recordNote, said, sentence } from '../support/voice-note.ts';

describeInBrowser('what was said', () => {
  const browser = useBrowser();
  const speech = createKnownSpeech();
  const { known } = speech;
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ speech });
  });
  afterAll(() => steno.close());

  async function record(key: string, name: string, transcript = said) {
    known.transcript = transcript;
    const { note_id: noteId } = await recordNote(steno, key, name);
    known.transcript = said;
    return noteId;
  }

  test.each(sizes)(
    'a hit of a search opens the transcript at its moment, from the list and from the palette, on %s',
    async (_size, screen) => {
      const { user, key } = await steno.person();
      // So long that only a part of it is in the page.
      const long = Array.from({ length: 150 }, (_, number) => ({
        ...sentence(number === 130 ? 'The lighthouse.' : 'Nothing of note.', 0, `Speaker ${number % 2}`),
        start: number * 0.4,
        end: number * 0.4 + 0.3,
        words: [],
      }));
      const noteId = await record(key, 'Tour', long);
      await record(key, 'Stand-up');
      // Somebody wrote into it, so that the note opens with that.
      const body = { content: 'My notes about the tour.' };
      await steno.call('PATCH', `/notes/${noteId}`, { key, body });
      const { page, complaints, close } = await openConsole(browser.get(), steno, { user, ...screen });
      await page.getByRole('searchbox', { name: 'Search notes' }).fill('lighthouse');
      await page.getByRole('link', { name: /Tour.*Said at 0:52.*lighthouse/ }).click();
      const hit = page.locator('[data-word]').filter({ hasText: 'lighthouse' });
      const inSight = async () => {
        const box = await hit.boundingBox();
        return box !== null && box.y > 100 && box.y < (page.viewportSize()?.height ?? 0) - 60;
      };
      await expect.poll(inSight).toBe(true);
      expect(await page.getByRole('tab', { name: 'Transcript' }).getAttribute('aria-selected')).toBe('true');
      expect(await hit.locator('mark').count()).toBe(1);
      await expect.poll(() => at(page)).toBeCloseTo(52, 1);
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await expect.poll(() => at(page)).toBeGreaterThan(52.2);
      expect(await seriousProblems(page)).toEqual([]);
      // What somebody has chosen since stays chosen, and the list knows nothing of the moment.
      await page.getByRole('tab', { name: 'Notes' }).click();
      await page.getByRole('tab', { name: 'Transcript' }).click();
      expect(await at(page)).toBeGreaterThan(52.2);

      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox', { name: 'Search and commands' }).fill('harbour');
      await page.getByRole('option', { name: /^Stand-up\s*0:16/ }).click();
      await page.getByRole('heading', { name: 'Stand-up' }).waitFor();
      await expect.poll(() => at(page)).toBeCloseTo(16, 1);
      // The link leads there too.
      await page.reload();
      await expect.poll(() => at(page)).toBeCloseTo(16, 1);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('Ctrl+F finds what is said anywhere in a long transcript, of which the page has only a part', {
    tags: 'slow',
  }, async () => {
    const { user, key } = await steno.person();
    const long = Array.from({ length: 150 }, (_, number) => ({
      ...sentence(
        [20, 130].includes(number) ? 'The old lighthouse.' : 'Nothing of note.',
        0,
        `Speaker ${number % 2}`,
      ),
      start: number * 0.4,
      end: number * 0.4 + 0.3,
      words: [],
    }));
    const noteId = await record(key, 'Tour', long);
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: `/notes/${noteId}`,
    });
    const hit = page.locator('[data-found]');
    await page.locator('[data-word]').first().waitFor();
    await page.keyboard.press('ControlOrMeta+f');
    const field = page.getByRole('searchbox', { name: 'Find in this transcript' });
    await field.fill('old LIGHT');
    await page.getByText('1 of 2').waitFor();
    await expect.poll(() => hit.textContent()).toBe('old');
    const first = await hit.getAttribute('data-word');
    await field.press('Enter');
    await page.getByText('2 of 2').waitFor();
    await expect.poll(() => hit.count()).toBe(1);
    await expect.poll(() => hit.getAttribute('data-word')).not.toBe(first);
    await expect.poll(() => isInSight(hit)).toBe(true);
    await field.press('Enter');
    await page.getByText('1 of 2').waitFor();
    await field.fill('nowhere');
    await page.getByText('Not found').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await field.press('Escape');
    expect(await field.count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(sizes)(
    'a search is narrowed by kind, day, folder and speaker, with the keyboard too, on %s',
    async (_size, screen) => {
      const { user, key } = await steno.person();
      const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'Port' } })).body.data;
      const spoken = (speaker: string) => [sentence('And how is the harbour?', 0, speaker)];
      await record(key, 'Call-1', spoken('Ada'));
      await record(key, 'Call-2', spoken('Noor'));
      for (const more of [{ title: 'Plan', folder_id: folder.id }, { title: 'Other plan' }])
        await steno.call('POST', '/notes/create', { key, body: { content: 'The harbour.', ...more } });
      const { page, complaints, close } = await openConsole(browser.get(), steno, { user, ...screen });
      const found = (count: number) =>
        page.getByRole('status').filter({ hasText: count === 1 ? '1 note found' : `${count} notes found` });
      const search = page.getByRole('searchbox');
      await search.fill('harbour');
      await found(4).waitFor();
      await search.press('Tab');
      await page.keyboard.press('Enter');
      const field = (name: string) => page.getByLabel(name, { exact: true });
      await field('Kind').selectOption('Voice');
      await found(2).waitFor();
      await field('Speaker').selectOption('Noor');
      await found(1).waitFor();
      await page.getByRole('link', { name: /Call-2/ }).waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      // They are in the address.
      await page.reload();
      await found(1).waitFor();
      expect(await field('Speaker').inputValue()).toBe('Noor');
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await field('Folder').selectOption('Port');
      await found(1).waitFor();
      await page.getByRole('link', { name: /Plan/ }).waitFor();
      await field('Folder').selectOption('Any folder');
      await field('From').fill('2999-01-01');
      await page.getByText('Try fewer or different words').waitFor();
      await field('From').fill('2020-01-01');
      await field('To').fill('2999-01-01');
      await found(4).waitFor();
      await field('To').press('Escape');
      expect(await field('Kind').count()).toBe(0);
      await page.keyboard.press('Enter');
      await field('Kind').waitFor();
      expect(await sticksOut(page)).toBe(false);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test.each(sizes)(
    'a recording goes on playing on other screens, until another one plays or it is stopped, on %s',
    async (_size, screen) => {
      const { user, key } = await steno.person();
      const first = await record(key, 'Stand-up');
      const second = await record(key, 'Tour');
      const opened = await openConsole(browser.get(), steno, {
        user,
        path: `/notes/${first}`,
        permissions: ['microphone'],
        ...screen,
      });
      const { page, complaints, close } = opened;
      const player = page.getByRole('region', { name: 'Recording', exact: true });
      const bar = page.getByRole('region', { name: 'Still playing' });
      /** Without loading the page again. */
      const go = async (words: string, name: string) => {
        await page.keyboard.press('ControlOrMeta+k');
        await page.getByRole('combobox', { name: 'Search and commands' }).fill(words);
        await page.getByRole('option', { name }).first().click();
      };
      const position = async () => Number(await bar.getByLabel('Position').inputValue());
      await player.getByRole('button', { name: 'Play', exact: true }).click();
      await expect.poll(() => at(page)).toBeGreaterThan(0.2);
      await go('usage', 'Usage');
      await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
      const before = await position();
      await expect.poll(position).toBeGreaterThan(before);
      expect(await seriousProblems(page)).toEqual([]);
      const width = page.viewportSize()?.width ?? 0;
      for (const part of [...(await bar.getByRole('button').all()), bar.getByRole('link')]) {
        const box = await part.boundingBox();
        expect(box && box.x >= 0 && box.x + box.width <= width && box.height >= 24).toBe(true);
      }
      // All buttons are in one row.
      const tops = await bar.getByRole('button').evaluateAll((all) =>
        all.map((one) => {
          const { top, bottom } = one.getBoundingClientRect();
          return Math.round((top + bottom) / 2);
        }),
      );
      expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(4);
      await bar.getByLabel('Position').fill('30');
      await expect.poll(position).toBeGreaterThanOrEqual(30);
      // Slow, so that it does not end before the test does.
      await bar.getByLabel('Speed').selectOption('0.75×');
      await bar.getByRole('button', { name: 'Pause' }).click();
      await bar.getByRole('button', { name: 'Play', exact: true }).click();
      // Back in its note, the player is where it is.
      await bar.getByRole('link', { name: 'Stand-up' }).click();
      await page.waitForURL(`**/notes/${first}`);
      await player.getByRole('button', { name: 'Pause' }).waitFor();
      expect(await at(page)).toBeGreaterThanOrEqual(30);
      await expect.poll(() => bar.count()).toBe(0);
      // Another note is only looked at, then played.
      await go('Tour', 'Tour');
      await page.waitForURL(`**/notes/${second}**`);
      await player.getByRole('button', { name: 'Play', exact: true }).waitFor();
      await bar.getByRole('button', { name: 'Pause' }).waitFor();
      await player.getByRole('button', { name: 'Play', exact: true }).click();
      await expect.poll(() => bar.count()).toBe(0);
      await player.getByRole('button', { name: 'Pause' }).waitFor();
      await go('usage', 'Usage');
      await bar.getByRole('link', { name: 'Tour' }).waitFor();
      // Whoever records does not record what plays.
      await bar.getByRole('button', { name: 'Pause' }).waitFor();
      await page.keyboard.press('Alt+r');
      await bar.getByRole('button', { name: 'Play', exact: true }).waitFor();
      await bar.getByRole('button', { name: 'Stop playing' }).click();
      await expect.poll(() => bar.count()).toBe(0);
      expect(complaints).toEqual([]);
      await close();
    },
  );
});
