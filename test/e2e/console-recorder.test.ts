import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import { describeInBrowser, onPhone, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { firstSignIn, newFolder, startServer } from '../support/process.ts';
import { networkQuiet } from '../support/quiet.ts';
import { settled } from '../support/recordings.ts';
import { createFakeSpeech } from '../support/speech.ts';
import { startSteno, type TestSteno, testPlans } from '../support/steno.ts';

/** The decoder is real, so that what the browser records is heard; what it says is given. */
describeInBrowser('recording from anywhere', () => {
  const browser = useBrowser({ microphone: join(import.meta.dirname, '../fixtures/audio/jfk.wav') });
  const speech = createFakeSpeech();
  let steno: TestSteno;
  beforeAll(async () => {
    const plans = { ...testPlans, pro: { ...testPlans.pro, recordingMinutesPerMonth: 0 } };
    steno = await startSteno({ speech: { ...speech, decoder: createAudioDecoder() }, config: { plans } });
    speech.say('ask not what your country can do for you');
  });
  afterEach(() => speech.mend());
  afterAll(() => steno.close());

  const open = async (path: string, screen: object = {}) => {
    const { user, key } = await steno.person();
    const opened = await openConsole(browser.get(), steno, {
      user,
      path,
      permissions: ['microphone'],
      ...screen,
    });
    const recordings = async () => (await steno.call('GET', '/recordings', { key })).body.data;
    return { ...opened, key, recordings };
  };
  const bar = (page: Page) =>
    page
      .getByRole('complementary', { name: 'Recorder' })
      .getByRole('region', { name: /^(Recording|Paused)$/ });
  const time = (page: Page) => bar(page).getByRole('timer');
  const spoken = async (page: Page, seconds: number) => {
    await expect
      .poll(async () => Number((await time(page).textContent())?.split(':')[1]))
      .toBeGreaterThanOrEqual(seconds);
  };
  const stops = (page: Page) => page.getByRole('button', { name: /^Stop/ }).filter({ visible: true });
  const start = (page: Page) =>
    page.getByRole('button', { name: 'Record', exact: true }).filter({ visible: true }).first();
  const goTo = (page: Page, name: string) =>
    page.getByRole('link', { name, exact: true }).filter({ visible: true }).click();
  const atNote = (page: Page) => page.waitForURL(/\/notes\/[0-9a-f-]{36}$/);

  test.each(sizes)(
    'it goes on while people move through the app, shows what is said, pauses, and becomes a note with its sound, on %s',
    async (size, screen) => {
      const { page, key, complaints, recordings, close } = await open('/usage', screen);
      await page.getByRole('heading', { name: 'Usage' }).waitFor();
      if (size === 'a phone') {
        // Large enough for a thumb.
        expect((await start(page).boundingBox())?.height).toBeGreaterThanOrEqual(56);
        await start(page).tap();
      } else await page.keyboard.press('Alt+r');
      await bar(page).waitFor();
      expect(await stops(page).count()).toBe(1);
      await goTo(page, 'History');
      await page.getByRole('heading', { name: 'History' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Usage' }).waitFor();
      // The level moves, and another microphone can be chosen meanwhile.
      const level = () => page.evaluate('document.querySelector("canvas").toDataURL()');
      const quiet = await level();
      await expect.poll(level).not.toBe(quiet);
      await bar(page).getByLabel('Microphone').selectOption({ index: 1 });
      await bar(page).getByLabel('How many people speak?').selectOption('2');
      await bar(page).getByText('what your country can do').waitFor();
      await spoken(page, 2);
      await expect.poll(async () => (await recordings())[0]?.bytes).toBeGreaterThan(5_000);
      await bar(page).getByRole('button', { name: 'Pause' }).click();
      await bar(page).getByRole('button', { name: 'Resume' }).waitFor();
      const paused = await time(page).textContent();
      await goTo(page, 'Notes');
      await page.getByRole('heading', { name: 'All notes' }).waitFor();
      expect(await time(page).textContent()).toBe(paused);
      // No note is open: the words have its place on a desktop, and much of a phone.
      const words = page.getByRole('log');
      await words.getByText('what your country can do').waitFor();
      await expect.poll(async () => (await words.boundingBox())?.height).toBeGreaterThan(300);
      await bar(page).getByRole('button', { name: 'Resume' }).click();
      await spoken(page, 4);
      await stops(page).click();
      await atNote(page);

      const [made] = await recordings();
      expect(made).toMatchObject({ state: 'done', has_audio: true, note_id: page.url().split('/').at(-1) });
      const { body: note } = await steno.call('GET', `/notes/${made.note_id}`, { key });
      expect(note.data.content).toContain('ask not what your country');
      // Its sound and its words, on one page.
      await page.getByRole('region', { name: 'Recording' }).getByRole('button', { name: 'Play' }).waitFor();
      await page.getByRole('region', { name: 'Note', exact: true }).getByText('country').first().waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('into the open note: somebody writes on while it records, and reads both there', {
    tags: 'slow',
  }, async () => {
    const { page, key, complaints, recordings, close } = await open('/notes');
    const body = { title: 'Minutes', content: 'First point.' };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    const stored = async () => (await steno.call('GET', `/notes/${id}`, { key })).body.data;
    await page.goto(`${new URL(page.url()).origin}/notes/${id}`);
    await page.getByRole('button', { name: 'Write' }).click();
    await page.locator('.cm-content').waitFor();
    await page.getByLabel('Note text').press('ControlOrMeta+End');
    await page.keyboard.press('Alt+r');
    await page.getByRole('button', { name: 'Into “Minutes”' }).click();
    await bar(page).waitFor();
    // The focus is where it was.
    await page.keyboard.type(' Second point.');
    await spoken(page, 2);
    await page.keyboard.type(' Third.');
    await stops(page).click();
    await page.getByText('What you said is in the transcript of this note.').first().waitFor();
    await page.keyboard.type(' Fourth.');
    await expect.poll(async () => (await stored()).content).toMatch(/^First point\. Second point\. Third\./);
    expect(page.url()).toContain(id);
    expect(await recordings()).toMatchObject([{ state: 'done', note_id: id }]);
    await page.getByRole('tab', { name: 'Transcript' }).click();
    await page.locator('[data-word]').first().waitFor();
    expect((await stored()).title).toBe('Minutes');
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(sizes)(
    'a page that is reloaded or closed while it records: what was said until then becomes a note, on %s',
    { tags: 'slow' },
    async (_size, screen) => {
      const { page, origin, recordings, close } = await open('/notes', screen);
      await start(page).click();
      await expect.poll(async () => (await recordings())[0]?.bytes).toBeGreaterThan(1);
      page.once('dialog', (dialog) => dialog.accept());
      await page.reload();
      await page
        .getByText(/was interrupted/)
        .first()
        .waitFor();
      await expect.poll(async () => (await recordings())[0]?.state).toBe('done');
      await page.getByText('1 recording is ready').waitFor();

      await start(page).click();
      // A page that is closed loses its last part; on a busy machine that is more than a second.
      const second = async () => ((await recordings()).length === 2 ? (await recordings())[0] : undefined);
      await expect.poll(async () => (await second())?.bytes).toBeGreaterThan(5_000);
      const { bytes } = await second();
      const context = page.context();
      await page.close({ runBeforeUnload: false });
      const again = await context.newPage();
      await again.goto(`${origin}/usage`);
      await expect
        .poll(async () => (await recordings()).map(({ state }: { state: string }) => state))
        .toEqual(['done', 'done']);
      const last = await second();
      expect(last.note_id).not.toBeNull();
      expect(last.bytes).toBeGreaterThanOrEqual(bytes);
      await close();
    },
  );

  test('while the server refuses, the bar says where the sound is; what is discarded then, after a question, is deleted later', {
    tags: 'slow',
  }, async () => {
    const { page, recordings, close } = await open('/notes');
    await start(page).click();
    await bar(page).getByText('Sent to the server as you speak').waitFor();
    await expect.poll(async () => (await recordings())[0]?.bytes ?? 0).toBeGreaterThan(1);
    const some = /\/recordings\/.*[0-9a-f-]{36}/;
    await page.route(some, (route) => route.fulfill({ status: 503, json: {} }));
    await bar(page)
      .getByText(/kept in this browser and sent when/)
      .waitFor();
    await bar(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await bar(page).getByRole('button', { name: 'Discard' }).click();
    const refused = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await refused;
    await expect.poll(() => bar(page).count()).toBe(0);
    expect(await recordings()).toHaveLength(1);
    await page.unroute(some);
    await page.reload();
    await expect.poll(recordings).toEqual([]);
    await close();
  });

  test('a recording that only this browser has is not removed from the list without a question', async () => {
    const { page, recordings, close } = await open('/notes');
    await start(page).click();
    await expect.poll(async () => (await recordings())[0]?.bytes ?? 0).toBeGreaterThan(1);
    const some = /\/recordings\/.*[0-9a-f-]{36}/;
    await page.route(some, (route) => route.fulfill({ status: 503, json: {} }));
    page.once('dialog', (dialog) => dialog.accept());
    await page.reload();
    await page.getByText('1 recording in progress').click();
    const remove = page.getByRole('button', { name: /^Stop and remove Recording,/ });
    await remove.click();
    const question = page.getByRole('dialog', { name: 'Discard this recording?' });
    await question.getByText('there is no other copy of it').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.unroute(some);
    await expect.poll(async () => (await recordings())[0]?.state).toBe('done');
    await close();
  });

  test.each(sizes)(
    'without a connection and room, for so long that the server ends the upload, nothing is missing, there twice, or elsewhere, on %s',
    { tags: 'slow' },
    async (size, screen) => {
      const { page, origin, key, recordings, close } = await open('/notes', screen);
      const context = page.context();
      const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'Work' } })).body.data;
      await page.goto(`${origin}/notes?folder=${folder.id}`);
      await page.getByRole('button', { name: 'Record in Work' }).filter({ visible: true }).first().click();
      await bar(page).getByText('The note goes to “Work”.').waitFor();
      await bar(page).getByText('Sent to the server as you speak').waitFor();
      await expect.poll(async () => (await recordings())[0]?.bytes ?? 0).toBeGreaterThan(1);
      await context.setOffline(true);
      await page.getByText(/kept in this browser and sent when/).waitFor();
      await page.evaluate(`IDBObjectStore.prototype.put = () => {
        throw new DOMException('full', 'QuotaExceededError');
      }`);
      const unkept = /can’t keep what you say, so leave this page open/;
      await bar(page).getByText(unkept).waitFor();
      await spoken(page, 4);
      // There is one, as everywhere, and on a phone it is large; a locator that finds two of them fails.
      await stops(page).click();
      await page.getByRole('region', { name: 'Making your note…' }).getByText(unkept).waitFor();
      const [{ id, bytes, state }] = await recordings();
      expect(state).toBe('uploading');
      // As the server does it by itself after five silent minutes.
      const headers = {
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(bytes),
        'upload-length': String(bytes),
      };
      await steno.call('PATCH', `/recordings/uploads/${id}`, { key, headers, body: Buffer.alloc(0) });
      await settled(steno, key, id);
      // Without its folder the note is among one's own: what was said does not go with a folder.
      const isFolderGone = size === 'a desktop';
      if (isFolderGone) await steno.call('DELETE', `/folders/${folder.id}`, { key });
      await context.setOffline(false);
      await page.waitForURL(isFolderGone ? /\/notes\/[0-9a-f-]{36}$/ : /\/notes\/[0-9a-f-]{36}\?folder=/);
      await expect.poll(async () => (await recordings()).length).toBe(1);
      const [made] = await recordings();
      expect([made.state, made.id === id, made.duration_ms > 3_500]).toEqual(['done', false, true]);
      await expect
        .poll(async () => (await steno.call('GET', '/notes/list', { key })).body.data)
        .toMatchObject([{ id: made.note_id, folder_id: isFolderGone ? null : folder.id }]);
      await close();
    },
  );

  test.each(sizes)(
    'who may not record is told before speaking: the plan, and the day on which minutes come back, on %s',
    async (_size, screen) => {
      for (const [plan, told] of [
        ['free', 'Your plan doesn’t include transcription'],
        ['pro', /^Resets on 1 [A-Z][a-z]+\.$/],
      ] as const) {
        const { user } = await steno.person({ plan });
        const { page, close } = await openConsole(browser.get(), steno, { user, path: '/keys', ...screen });
        // Whoever is not answered within a second and a half may record.
        await networkQuiet(page);
        await start(page).click();
        await page.getByText(told).waitFor();
        expect(await bar(page).count()).toBe(0);
        await close();
      }
    },
  );

  test('a server that is killed while somebody speaks, at a desktop and on a phone, has every word when it is back', {
    tags: 'slow',
  }, async () => {
    const dataDir = newFolder();
    const first = await startServer({ dataDir });
    const { port } = new URL(first.address);
    const options = { permissions: ['microphone'] };
    const desktop = await browser.get().newContext(options);
    desktop.setDefaultTimeout(60_000);
    const page = await desktop.newPage();
    await page.goto(firstSignIn(dataDir).match(/http\S+\/sign-in\/link\?token=\S+/)?.[0] ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    // The first link leads to set-up.
    await page.getByRole('heading', { name: 'Set up your server' }).waitFor();
    await page.goto(`${first.address}/notes`);
    await page.getByRole('heading', { name: 'All notes' }).waitFor();
    const storageState = await desktop.storageState();
    const phone = await browser.get().newContext({ ...options, ...onPhone, storageState });
    phone.setDefaultTimeout(60_000);
    const other = await phone.newPage();
    await other.goto(`${first.address}/notes`);
    const both = [page, other];
    for (const one of both) await start(one).click();
    for (const one of both) await spoken(one, 2);
    await first.kill();
    for (const one of both) await one.getByText(/kept in this browser and sent when/).waitFor();
    const second = await startServer({ dataDir, settings: { STENO_PORT: port } });
    for (const one of both) await spoken(one, 4);
    for (const one of both) await stops(one).click();
    for (const one of both) await atNote(one);
    await desktop.close();
    await phone.close();
    const headers = { authorization: `Bearer ${first.key}` };
    const answer = await fetch(`${second.address}/api/v1/recordings`, { headers });
    expect(await answer.json()).toMatchObject({ data: [{ state: 'done' }, { state: 'done' }] });
    await second.stop();
    rmSync(dataDir, { recursive: true });
  });
});
