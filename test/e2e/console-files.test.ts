import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { dropFiles } from '../support/drop-files.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno, testPlans } from '../support/steno.ts';

const talk = recording({ ms: 35_000, bytes: 300_000 });

describeInBrowser('files to transcribe', () => {
  const browser = useBrowser();
  const speech = createFakeSpeech();
  let languages: readonly string[] = ['en'];
  let steno: TestSteno;
  beforeAll(async () => {
    const status = () => ({ ...speech.transcriber.status(), languages });
    steno = await startSteno({
      speech: { decoder: speech.decoder, transcriber: { ...speech.transcriber, status } },
      config: { plans: { ...testPlans, pro: { ...testPlans.pro, recordingMaxBytes: 2_000_000 } } },
    });
  });
  afterAll(() => steno.close());

  async function open(path: string, screen: object = {}, plan: 'business' | 'pro' = 'business') {
    const { user, key } = await steno.person({ plan });
    const opened = await openConsole(browser.get(), steno, { user, path, ...screen });
    const recordings = async (query = '') =>
      (await steno.call('GET', `/recordings${query}`, { key })).body.data;
    return { ...opened, key, recordings };
  }
  const typeOf = (name: string) => (name.endsWith('wav') ? 'audio/wav' : 'application/pdf');
  const choose = (page: Page, files: Record<string, Buffer>) =>
    page
      .getByLabel('Choose files')
      .setInputFiles(
        Object.entries(files).map(([name, buffer]) => ({ name, mimeType: typeOf(name), buffer })),
      );
  const drop = (page: Page, files: Record<string, Buffer>) =>
    dropFiles(
      page,
      Object.entries(files).map(([name, bytes]) => ({ name, type: typeOf(name), bytes })),
      'Drop to transcribe',
    );
  const queue = (page: Page) => page.getByRole('region', { name: 'Recordings in progress' });
  const openQueue = (page: Page) => queue(page).getByRole('button', { expanded: false }).click();
  const transcribing = (page: Page) => queue(page).getByText(/Transcribing, \d+%/);

  test.each(sizes)(
    'several at once: bad ones are named before they are sent, the others go on after a reload, to their notes, on %s',
    { tags: 'slow' },
    async (size, screen) => {
      const onDesktop = size === 'a desktop';
      const { page, complaints, key, recordings, close } = await open(
        onDesktop ? '/keys' : '/transcribe',
        screen,
        'pro',
      );
      const cut = '**/recordings/uploads/*';
      await page.route(cut, (route) =>
        route.request().method() === 'PATCH' ? route.abort() : route.continue(),
      );
      // A mouse drops them anywhere; a finger chooses them.
      await (onDesktop ? drop : choose)(page, {
        'talk.wav': talk,
        'letter.pdf': Buffer.from('%PDF-1.7'),
        'long.wav': Buffer.alloc(2_000_001),
      });
      await openQueue(page);
      await queue(page)
        .getByText(/^This file can’t be transcribed.+WAV/)
        .waitFor();
      await queue(page)
        .getByText(/It is 1\.9 MB, and your plan allows 1\.9 MB/)
        .waitFor();
      await queue(page).getByText('Waiting for the server. Goes on by itself.').waitFor();
      const [only, ...others] = await recordings();
      expect([only.name, others]).toEqual(['talk', []]);

      // In the middle of the upload, then in the middle of the transcription.
      const asked = speech.heard.length;
      const goOn = speech.hold();
      await page.unroute(cut);
      await page.reload();
      await speech.reached(asked + 1);
      await openQueue(page);
      await transcribing(page).waitFor();
      await page.reload();
      await openQueue(page);
      await transcribing(page).waitFor();
      goOn();
      await queue(page).getByRole('link', { name: 'Open note' }).click();
      await page.getByRole('heading', { name: 'talk', exact: true }).waitFor();
      await page
        .getByRole('region', { name: 'Note', exact: true })
        .getByText('word1 word2')
        .first()
        .waitFor();
      const { body } = await steno.call('GET', `/recordings/${only.id}`, { key });
      expect(body.data).toMatchObject({ state: 'done', bytes: talk.length });
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('one in work still counts when a hundred newer ones have come, as many as the page asks for at once', {
    tags: 'slow',
  }, async () => {
    const { page, close } = await open('/transcribe');
    const goOn = speech.hold();
    await choose(page, { 'talk.wav': talk });
    await openQueue(page);
    await transcribing(page).waitFor();
    await steno.database.write(async (trx) => {
      const newest = trx.selectFrom('recordings').selectAll().orderBy('created_at', 'desc');
      const row = await newest.executeTakeFirstOrThrow();
      const created_at = new Date(Date.now() + 60_000).toISOString();
      for (let at = 0; at < 100; at++)
        await trx
          .insertInto('recordings')
          .values({ ...row, id: randomUUID(), state: 'done', created_at })
          .execute();
    });
    const looked = () => page.waitForResponse(/\/recordings\?limit=100$/);
    await looked();
    await looked();
    await transcribing(page).waitFor();
    goOn();
    await queue(page).getByRole('link', { name: 'Open note' }).waitFor();
    await close();
  });

  test('one that the browser could not keep is asked for again, and goes on where it was', {
    tags: 'slow',
  }, async () => {
    const { page, recordings, close } = await open('/transcribe');
    await page.route('**/recordings/uploads/*', (route) => route.abort());
    const file = { name: 'talk.wav', mimeType: 'audio/wav', buffer: talk };
    // It is asked for when the browser has kept the recording's id.
    const tried = page.waitForRequest('**/recordings/uploads/*');
    await page.getByLabel('Choose files').setInputFiles(file);
    await page.getByText('1 recording in progress').waitFor();
    await tried;
    expect(await recordings()).toHaveLength(1);
    await page.evaluate(`new Promise((done) => {
      indexedDB.open('steno').onsuccess = ({ target: { result } }) => {
        const kept = result.transaction('kept', 'readwrite').objectStore('kept');
        kept.getAllKeys().onsuccess = ({ target }) => {
          for (const key of target.result) if (key.includes('/sound/')) kept.delete(key);
          kept.transaction.oncomplete = done;
        };
      };
    })`);
    await page.unroute('**/recordings/uploads/*');
    await page.reload();
    await page.getByText('1 recording needs attention').click();
    await queue(page)
      .getByText(/^Choose the file again/)
      .waitFor();
    const chooseAgain = queue(page).getByLabel('Choose file: talk.wav');
    await chooseAgain.setInputFiles({ ...file, name: 'other.wav' });
    await page.getByText('That’s another file').first().waitFor();
    await chooseAgain.setInputFiles(file);
    await queue(page).getByRole('link', { name: 'Open note' }).waitFor();
    expect(await recordings()).toMatchObject([{ state: 'done', bytes: talk.length }]);
    await close();
  });

  test('what the server refused is not sent again by a reload; another try is offered only where it can help', {
    tags: 'slow',
  }, async () => {
    const { page, recordings, close } = await open('/transcribe');
    const begun: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/recordings/uploads')) begun.push('');
    });
    // No quota left, for the first file; the others are no sound.
    await page.route('**/recordings/uploads', (route) =>
      route.fulfill({
        status: 429,
        json: { error: { code: 'quota_exceeded', message: 'No minutes left.' } },
      }),
    );
    await choose(page, { 'talk.wav': talk });
    await page.getByText('1 recording needs attention').waitFor();
    await page.unroute('**/recordings/uploads');
    await choose(page, { 'letter.wav': Buffer.from('Dear Ada'), 'note.wav': Buffer.from('Hello') });
    await page.getByText('3 recordings need attention').waitFor();
    expect(begun).toHaveLength(3);
    await page.reload();
    await page.getByText('3 recordings need attention').click();
    await expect
      .poll(() =>
        queue(page)
          .getByText(/^This file can’t be transcribed/)
          .count(),
      )
      .toBe(2);
    expect(await queue(page).getByRole('button', { name: 'Try again' }).count()).toBe(1);
    expect(begun).toHaveLength(3);
    await queue(page).getByRole('button', { name: 'Try again' }).click();
    await queue(page).getByRole('link', { name: 'Open note' }).waitFor();
    expect(await recordings()).toMatchObject([{ state: 'done', name: 'talk' }]);
    await queue(page).getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(() => queue(page).count()).toBe(0);
    await page.reload();
    await page.getByRole('heading', { name: 'Transcribe', level: 1 }).waitFor();
    expect(await queue(page).count()).toBe(0);
    await close();
  });

  /** The choice of languages on a server whose engine knows these. */
  async function openOptions(known: readonly string[], screen: object = {}) {
    languages = known;
    const opened = await open('/transcribe', screen);
    const { page } = opened;
    await page.getByText(/^WAV, MP3, .+ or \w+, up to 2 GB$/).waitFor();
    await page.getByText('Options').click();
    await page.getByLabel('Names and jargon').waitFor();
    return { ...opened, language: page.getByLabel('Language') };
  }

  test.each(sizes)(
    'the languages of the engine by name, and no choice with a single one, on %s',
    async (_size, screen) => {
      const several = await openOptions(['fr', 'en', 'de'], screen);
      expect(await several.language.getByRole('option').allTextContents()).toEqual([
        'Detect automatically',
        'English',
        'French',
        'German',
      ]);
      await several.close();
      const { language, close } = await openOptions(['en'], screen);
      expect(await language.count()).toBe(0);
      await close();
    },
  );

  test('any code when the engine does not say what it knows; markup in a name or in what was said is text', {
    tags: 'slow',
  }, async () => {
    const { page, recordings, language, complaints, close } = await openOptions([]);
    await language.fill('en-GB');
    const said = '<img src=x onerror="document.title=1"> <script>document.title=2</script>';
    speech.say(said);
    await choose(page, { '<b onclick=alert(1)>x.wav': recording() });
    await page.getByText('1 recording is ready').click();
    await page.getByRole('link', { name: 'Open note' }).click();
    await page.getByRole('heading', { name: '<b onclick=alert(1)>x' }).waitFor();
    const [only] = await recordings('?include=words');
    expect(only).toMatchObject({ language: 'en-GB', beginning: said });
    expect(complaints).toEqual([]);
    await close();
  });
});
