import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';
import { createKnownSpeech, playableSound, said, sentence } from '../support/voice-note.ts';

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
    const { id } = (await uploadTo(steno, key, playableSound, `?note=true&name=${name}`)).body.data;
    const { note_id: noteId } = await settled(steno, key, id);
    known.transcript = said;
    return noteId;
  }
  const at = async (page: Page) => Number(await page.getByLabel('Position').inputValue());

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
});
