import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, onPhone, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';
import {
  positionIn as at,
  createKnownSpeech,
  playableSound,
  recordNote,
  said,
  sentence,
} from '../support/voice-note.ts';

describeInBrowser('the page of a voice note', () => {
  const browser = useBrowser();
  const speech = createKnownSpeech();
  const { known } = speech;
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ speech });
  });
  afterAll(() => steno.close());

  async function recorded(query = '') {
    const { user, key } = await steno.person();
    const { note_id: noteId, transcription_id: words } = await recordNote(steno, key, 'Stand-up', query);
    return { user, key, noteId, words };
  }
  const openNote = async (options: Parameters<typeof openConsole>[2], noteId: string | null) => {
    const opened = await openConsole(browser.get(), steno, { ...options, path: `/notes/${noteId}` });
    await opened.page.getByRole('heading', { name: 'Stand-up' }).waitFor();
    return opened;
  };
  const word = (page: Page, text: string) => page.locator('[data-word]').filter({ hasText: text });
  const now = (page: Page) => page.locator('[data-now]').textContent();

  test.each(sizes)(
    'plays: the spoken word is marked, a click on a word plays it, keys and speed work, on %s',
    async (_size, screen) => {
      const { user, noteId } = await recorded();
      const { page, complaints, close } = await openNote({ user, ...screen }, noteId);
      const player = page.getByRole('region', { name: 'Recording' });
      const width = page.viewportSize()?.width ?? 0;
      await player.getByRole('button', { name: 'Play', exact: true }).waitFor();
      for (const button of await player.getByRole('button').all()) {
        const box = await button.boundingBox();
        expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true);
      }
      await player.getByRole('button', { name: 'Play', exact: true }).click();
      const first = await now(page);
      await expect.poll(() => now(page)).not.toBe(first);
      expect(await seriousProblems(page)).toEqual([]);
      await word(page, 'harbour?').click();
      await expect.poll(() => now(page)).toBe('harbour?');
      expect(await at(page)).toBeGreaterThanOrEqual(16);

      await page.keyboard.press('k');
      await player.getByRole('button', { name: 'Play', exact: true }).waitFor();
      const paused = await at(page);
      await page.keyboard.press('j');
      await expect.poll(() => at(page)).toBeCloseTo(paused - 10, 0);
      await player.getByRole('button', { name: 'Forward 10 seconds' }).click();
      await expect.poll(() => at(page)).toBeCloseTo(paused, 0);
      const before = await at(page);
      await page.getByLabel('Position').focus();
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => at(page)).toBeCloseTo(before - 5, 0);
      await page.keyboard.press('Space');
      await player.getByRole('button', { name: 'Pause' }).waitFor();
      await player.getByLabel('Speed').selectOption('2×');
      // It is remembered for the next note.
      await page.reload();
      await expect.poll(() => player.getByLabel('Speed').inputValue()).toBe('2');
      // The picture of the sound.
      await player.locator('svg[data-part] path').first().waitFor();
      // By paragraph, with the arrows.
      await page.getByRole('button', { name: 'Play from 0:00' }).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect.poll(() => at(page)).toBeGreaterThanOrEqual(12);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test.each(sizes)(
    'two tabs: what was said stands there once, and what somebody writes is apart from it, on %s',
    { tags: 'slow' },
    async (_size, screen) => {
      const { user, key, noteId } = await recorded();
      const stored = async () => (await steno.call('GET', `/notes/${noteId}`, { key })).body.data;
      const before = await stored();
      const { page, complaints, close } = await openNote({ user, ...screen }, noteId);
      await word(page, 'quick.').waitFor();
      const pane = page.getByRole('region', { name: 'Note', exact: true });
      expect(await pane.getByText('quick.').count()).toBe(1);
      expect(await page.getByTitle('Steno was unsure of this word').allTextContents()).toEqual(['kaizeli']);
      // By keyboard: one stop, and the arrows go from tab to tab.
      const tab = (name: string) => page.getByRole('tab', { name });
      await tab('Transcript').press('ArrowLeft');
      expect(await tab('Notes').getAttribute('aria-selected')).toBe('true');
      expect(await tab('Transcript').getAttribute('tabindex')).toBe('-1');
      expect(await page.getByRole('tabpanel', { name: 'Notes' }).getByText('quick.').count()).toBe(0);
      expect(await seriousProblems(page)).toEqual([]);
      // A new title is nothing that somebody wrote about it.
      await page.getByRole('button', { name: 'Write your notes here' }).click();
      await page.getByLabel('Title').fill('Stand-up, Monday');
      await page.getByText('Saved', { exact: true }).waitFor();
      await expect.poll(stored).toMatchObject({ title: 'Stand-up, Monday', content_is_transcript: true });
      await page.getByLabel('Note text').fill('Ask about the harbour.');
      await expect
        .poll(stored)
        .toMatchObject({ content: 'Ask about the harbour.', content_is_transcript: false });
      expect((await stored()).transcript).toBe(before.transcript);
      // The player stays while somebody writes, and a correction leaves the notes alone.
      await page.getByRole('region', { name: 'Recording' }).waitFor();
      await tab('Transcript').click();
      await page.getByRole('button', { name: 'Correct', exact: true }).click();
      await word(page, 'quick.').click();
      await page.keyboard.type('slow.');
      await page.keyboard.press('Enter');
      await expect.poll(async () => (await stored()).transcript).toContain('slow.');
      expect((await stored()).content).toBe('Ask about the harbour.');
      await tab('Notes').click();
      await page.getByRole('tabpanel', { name: 'Notes' }).getByText('Ask about the harbour.').waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test.each(sizes)(
    'a word is corrected and offered to the dictionary, a speaker is renamed, all is copied and downloaded, on %s',
    async (size, screen) => {
      const { user, key, noteId, words } = await recorded();
      const permissions = ['clipboard-read', 'clipboard-write'];
      const { page, complaints, close } = await openNote({ user, permissions, ...screen }, noteId);
      const stored = async () => (await steno.call('GET', `/transcriptions/${words}`, { key })).body.data;
      const correct = page.getByRole('button', { name: 'Correct', exact: true });
      const done = page.getByRole('button', { name: 'Done', exact: true });
      // Until the recording is known, nothing can be corrected.
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      await correct.waitFor();
      if (size === 'a phone') {
        await correct.click();
        await word(page, 'kaizeli').click();
      } else await word(page, 'kaizeli').dblclick();
      await page.keyboard.type('Kysely');
      await page.keyboard.press('Enter');
      await expect.poll(async () => (await stored()).segments[0].text).toBe('We store it with Kysely now.');
      expect((await stored()).segments[0].words[4]).toEqual({
        word: 'Kysely',
        start: 4,
        end: 4.8,
        score: null,
      });
      await page.getByText('Add “Kysely” to the dictionary?', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('Added “Kysely” to the dictionary', { exact: true }).waitFor();
      const dictionary = (await steno.call('GET', '/dictionary/list', { key })).body.data;
      expect(dictionary).toMatchObject([{ word: 'Kysely' }]);
      // The note says it too, once.
      expect((await steno.call('GET', `/notes/${noteId}`, { key })).body.data.content).toContain('Kysely');
      await expect.poll(() => page.getByText('kaizeli').count()).toBe(0);

      if (size === 'a phone') await done.click();
      // With the keyboard: F2 begins, Esc changes nothing, Tab goes on to the next sentence.
      await page.getByRole('button', { name: 'Play from 0:00' }).press('F2');
      await page.getByLabel('What was said at 0:00').waitFor();
      await page.keyboard.type('They ');
      await page.keyboard.press('Escape');
      await correct.click();
      await page.getByRole('button', { name: 'Correct what was said at 0:00' }).press('Enter');
      await page.keyboard.press('Escape');
      await word(page, 'quick.').click();
      await page.keyboard.type('slow.');
      await page.keyboard.press('Tab');
      await expect
        .poll(async () => (await stored()).text)
        .toBe('We store it with Kysely now. It was slow. And how is the harbour?');
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: 'Rename Speaker 2' }).click();
      await page.keyboard.type('Noor');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Rename Noor' }).waitFor();

      const copied = (kind: string) => async () => {
        // Again and again: all pages of a run share the clipboard.
        await page.getByRole('button', { name: 'Copy', exact: true }).click();
        await page.getByRole('menuitem', { name: kind }).click();
        return page.evaluate<string>('navigator.clipboard.readText()');
      };
      await expect.poll(copied('Copy as Markdown')).toContain('**Noor** · 0:12\n\nAnd how is the harbour?');
      await expect
        .poll(copied('Copy text'))
        .toBe('Speaker 1: We store it with Kysely now. It was slow.\n\nNoor: And how is the harbour?');
      const download = async (format: string) => {
        await page.getByRole('button', { name: 'Download', exact: true }).click();
        const downloading = page.waitForEvent('download');
        await page.getByRole('menuitem', { name: format }).click();
        const file = await downloading;
        return [file.suggestedFilename(), await text(await file.createReadStream())] as const;
      };
      const [, subtitles] = await download('Subtitles (SRT)');
      expect(subtitles).toContain('We store it with Kysely now.');
      expect(subtitles).toContain('Noor: And how is the harbour?');
      const [name, web] = await download('Subtitles (WebVTT)');
      expect([name, web.slice(0, 6)]).toEqual(['Stand-up.vtt', 'WEBVTT']);
      expect(web).toContain('<v Noor>And how is the harbour?');
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('a sentence that loses its middle stays one, the next is saved too, and what is scrolled away is not lost', async () => {
    known.transcript = [
      sentence('So we', 0, 'Speaker 1'),
      sentence('um er', 3, 'Speaker 1'),
      sentence('store it.', 6, 'Speaker 1'),
      ...Array.from({ length: 200 }, (_, at) =>
        sentence(`Number ${at} is said here.`, 12 + at * 6, `Speaker ${at % 2}`),
      ),
    ];
    known.lengthMs = 1_300_000;
    const { user, key, noteId, words } = await recorded();
    Object.assign(known, { transcript: said, lengthMs: 60_000 });
    const stored = async () => (await steno.call('GET', `/transcriptions/${words}`, { key })).body.data.text;
    const { page, complaints, close } = await openNote({ user }, noteId);
    const paragraphs = page.getByRole('list', { name: 'Transcript' }).getByRole('listitem');
    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    await page.getByRole('button', { name: 'Correct what was said at 0:00' }).click();
    await page.getByRole('textbox', { name: 'What was said at 0:00' }).fill('So we store it.');
    // On to the next one before the first is saved: it is then a segment earlier.
    await page.keyboard.press('Tab');
    await page.getByRole('textbox', { name: 'What was said at 0:12' }).fill('Number zero is said here.');
    await page.keyboard.press('Enter');
    await expect.poll(stored).toMatch(/^So we store it\. Number zero is said here\. Number 1 /);
    await expect.poll(() => paragraphs.first().getByText('store').count()).toBe(1);
    expect(await paragraphs.first().innerText()).toContain('So we store it.');
    expect(await paragraphs.first().getAttribute('aria-setsize')).toBe('201');

    await word(page, 'Number').nth(2).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('This was typed and not finished.');
    const pane = page.getByRole('region', { name: 'Note', exact: true });
    await expect
      .poll(async () => {
        await pane.evaluate((scrolled) => scrolled.scrollTo(0, scrolled.scrollHeight));
        return page.getByText('This was typed').count();
      })
      .toBe(0);
    await expect.poll(stored).toContain('This was typed and not finished.');
    await pane.evaluate((scrolled) => scrolled.scrollTo(0, 0));
    await word(page, 'typed').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('somebody who speaks alone is not named until they get a name', async () => {
    known.transcript = said.slice(0, 2);
    const { user, noteId } = await recorded();
    known.transcript = said;
    const { page, close } = await openNote({ user }, noteId);
    await word(page, 'quick.').waitFor();
    expect(await page.getByText('Speaker 1').count()).toBe(0);
    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    await page.getByRole('button', { name: 'Rename Speaker 1' }).click();
    await page.keyboard.type('Ada');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await page.getByRole('button', { name: 'Rename Ada' }).waitFor();
    await close();
  });

  test('a sentence is confirmed, a paragraph is given to others, and two speakers become one', {
    tags: 'slow',
  }, async () => {
    const { user, key, noteId, words } = await recorded();
    const { page, close } = await openNote({ user }, noteId);
    const speakers = async () =>
      (await steno.call('GET', `/transcriptions/${words}`, { key })).body.data.segments.map(
        ({ speaker }: { speaker: string }) => speaker,
      );
    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    const unsure = page.getByTitle('Steno was unsure of this word');
    await unsure.click();
    await page.keyboard.press('Enter');
    await expect.poll(() => unsure.count()).toBe(0);
    const choose = async (at: string, role: 'menuitem' | 'menuitemradio', name: string) => {
      await page.getByRole('button', { name: `Who says this, at ${at}` }).click();
      await page.getByRole(role, { name }).click();
    };
    await choose('0:12', 'menuitemradio', 'Somebody else');
    await expect.poll(speakers).toEqual(['Speaker 1', 'Speaker 1', 'Speaker 3']);
    await choose('0:00', 'menuitemradio', 'Speaker 3');
    await expect.poll(speakers).toEqual(['Speaker 3', 'Speaker 3', 'Speaker 3']);
    // The page must know which names are free.
    await expect.poll(() => page.getByRole('button', { name: 'Rename Speaker 1' }).count()).toBe(0);
    await choose('0:12', 'menuitemradio', 'Somebody else');
    await expect.poll(speakers).toEqual(['Speaker 3', 'Speaker 3', 'Speaker 2']);
    await choose('0:00', 'menuitem', 'Speaker 3 is Speaker 2, everywhere');
    await expect.poll(speakers).toEqual(['Speaker 2', 'Speaker 2', 'Speaker 2']);
    await close();
  });

  test('two recordings in one note are one transcript, and play one after the other', {
    tags: 'slow',
  }, async () => {
    const { user, key, noteId } = await recorded();
    const { id } = (await uploadTo(steno, key, playableSound, `?note_id=${noteId}`)).body.data;
    const { transcription_id: second } = await settled(steno, key, id);
    const { page, complaints, close } = await openNote({ user }, noteId);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await word(page, 'harbour?').nth(1).click();
    await expect.poll(() => at(page)).toBeGreaterThanOrEqual(76);
    await expect.poll(() => now(page)).toBe('harbour?');
    // From the end of the first into the second.
    await page.getByLabel('Position').fill('59.5');
    await expect.poll(() => at(page)).toBeGreaterThan(60.2);
    await page.getByRole('button', { name: 'Pause' }).click();
    // Each of them can be downloaded.
    for (const [what, file] of [
      ['Recording, 1', 'Stand-up, 1.wav'],
      ['Recording, 2', 'Stand-up, 2.wav'],
      ['Subtitles (SRT), 2', 'Stand-up, 2.srt'],
    ] as const) {
      await page.getByRole('button', { name: 'Download', exact: true }).click();
      const downloading = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: what, exact: true }).click();
      expect((await downloading).suggestedFilename()).toBe(file);
    }
    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    await word(page, 'quick.').last().click();
    await page.keyboard.type('slow.');
    await page.keyboard.press('Enter');
    const said = async () => (await steno.call('GET', `/transcriptions/${second}`, { key })).body.data.text;
    await expect.poll(said).toContain('It was slow.');
    await expect.poll(() => word(page, 'quick.').count()).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a member of the space hears it, but cannot correct it', async () => {
    const team = await steno.team();
    const { user, key, words } = await recorded();
    const { token } = await steno.signIn(user);
    await steno.members.add(operator, team.workspace.id, { user_id: user.id, role: 'member' });
    const body = { title: 'Stand-up', content: 'For all.', space_id: team.space.id, transcription_id: words };
    const listed = (await steno.call('GET', '/notes/list', { key })).body.data;
    await steno.call('DELETE', `/notes/${listed[0].id}`, { key });
    const made = await steno.call('POST', '/notes/create', { key: token, body });
    expect(made.status).toBe(201);
    const { page, close } = await openNote(
      { user: team.user },
      `${made.body.data.id}?space=${team.space.id}`,
    );
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('tab', { name: 'Transcript' }).click();
    await expect.poll(() => now(page)).toBeTruthy();
    expect(await page.getByRole('button', { name: 'Correct' }).count()).toBe(0);
    await close();
  });

  test('without its sound it says so, and shows the words', async () => {
    const { user, noteId } = await recorded('&keep_audio=false');
    const { page, close } = await openNote({ user }, noteId);
    await page.getByText('The audio of this recording was not kept.').waitFor();
    await word(page, 'harbour?').waitFor();
    expect(await page.getByRole('button', { name: 'Play', exact: true }).count()).toBe(0);
    await close();
  });

  test('a recording that failed says why; tried again, it shows how far it is and becomes its note', async () => {
    const { user, key } = await steno.person();
    known.isRefused = true;
    const { id } = (await uploadTo(steno, key, playableSound, '?note=true&name=Stand-up')).body.data;
    await settled(steno, key, id);
    known.isRefused = false;
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/history' });
    await page.getByRole('link', { name: 'Stand-up' }).click();
    await page.getByText('The minutes of this month are used up.').last().waitFor();
    const goOn = speech.hold();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Transcribing…').waitFor();
    goOn();
    await word(page, 'harbour?').waitFor();
    expect(page.url()).not.toContain(id);
    await close();
  });

  test('three hours stay smooth: only what is in sight is in the page, and the player stays there', {
    tags: 'slow',
  }, async () => {
    known.transcript = Array.from({ length: 3_000 }, (_, at) =>
      sentence('ten words are said in each of these short sentences.', at * 12, `Speaker ${at % 2}`),
    );
    known.lengthMs = 3 * 3_600_000;
    const { user, noteId } = await recorded();
    Object.assign(known, { transcript: said, lengthMs: 60_000 });
    const { page, close } = await openNote({ user }, noteId);
    await page.getByText('30,000 words').waitFor();
    // Numbers of the server: the page reads no audio for it.
    const wave = page.locator('svg[data-part] path').first();
    await expect.poll(() => wave.getAttribute('d')).toMatch(/^M2 4\.0v92\.0.*v4\.0$/);
    expect(await page.locator('[data-word]').count()).toBeLessThan(1_000);
    const pane = page.getByRole('region', { name: 'Note', exact: true });
    await expect
      .poll(async () => {
        await pane.evaluate((scrolled) => scrolled.scrollTo(0, scrolled.scrollHeight));
        return page.getByRole('button', { name: 'Play from 9:59:48' }).count();
      })
      .toBe(1);
    expect(await page.locator('[data-word]').count()).toBeLessThan(1_000);
    // On a phone as well: the words scroll, the player does not.
    const play = page.getByRole('button', { name: 'Play', exact: true });
    for (const viewport of [page.viewportSize(), onPhone.viewport]) {
      if (viewport) await page.setViewportSize(viewport);
      await expect.poll(async () => (await play.boundingBox())?.y).toBeGreaterThan(0);
      await expect.poll(async () => (await play.boundingBox())?.y).toBeLessThan(viewport?.height ?? 0);
    }
    await close();
  });
});
