import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudioDecoder } from '../../src/audio/decoder.ts';
import { createEmbeddedTranscriber } from '../../src/engines/embedded/embedded.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { recording as spoken } from '../support/sound.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/** The engine takes two seconds on its own, and its time on a machine that does ten things at once. */
const patience = 300_000;

const choose = (page: Page, file: { name: string; buffer: Buffer }) =>
  page.getByLabel('Choose files').setInputFiles({ mimeType: 'application/octet-stream', ...file });

describeInBrowser('transcribing in the console with the real engine', () => {
  const browser = useBrowser({ microphone: join(import.meta.dirname, '../fixtures/audio/jfk.wav') });
  let steno: TestSteno;
  beforeAll(async () => {
    const speech = { decoder: createAudioDecoder(), transcriber: createEmbeddedTranscriber() };
    steno = await startSteno({ speech });
  });
  afterAll(() => steno.close());

  test('a file becomes a note, and what is spoken is read while it is spoken', {
    timeout: patience,
  }, async () => {
    const { user } = await steno.person();
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/transcribe',
      permissions: ['microphone'],
    });
    await choose(page, { name: 'speech.wav', buffer: Buffer.from(spoken('jfk.wav')) });
    await page.getByText('1 recording is ready').click({ timeout: patience });
    await page.getByRole('link', { name: 'Open note' }).click();
    await page
      .getByText(/fellow Americans/i)
      .first()
      .waitFor();

    await page.keyboard.press('r');
    const bar = page.getByRole('complementary', { name: 'Recorder' });
    await bar.getByText(/country/i).waitFor({ timeout: patience });
    await bar.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('heading', { name: /^Recording, / }).waitFor({ timeout: patience });
    expect(complaints).toEqual([]);
    await close();
  });
});

describeInBrowser('what the server can transcribe is what the page offers', () => {
  const browser = useBrowser();
  const speech = createFakeSpeech();
  let languages: readonly string[] = [];
  let steno: TestSteno;
  beforeAll(async () => {
    const status = () => ({ ...speech.transcriber.status(), languages });
    steno = await startSteno({
      speech: { decoder: speech.decoder, transcriber: { ...speech.transcriber, status } },
    });
  });
  afterAll(() => steno.close());

  /** The options of the page on a server whose engine knows these languages. */
  async function open(known: readonly string[]) {
    languages = known;
    const { user, key } = await steno.person();
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/transcribe',
    });
    await page.getByText(/^WAV, MP3, .+ or \w+, up to 2 GB$/).waitFor();
    await page.getByText('Options').click();
    await page.getByLabel('Names and jargon').waitFor();
    return { page, key, complaints, language: page.getByLabel('Language'), close };
  }

  test('the languages of the engine by name, and no choice with a single one', async () => {
    const several = await open(['fr', 'en', 'de']);
    expect(await several.language.getByRole('option').allTextContents()).toEqual([
      'Detect automatically',
      'English',
      'French',
      'German',
    ]);
    await several.close();
    const { language, close } = await open(['en']);
    expect(await language.count()).toBe(0);
    await close();
  });

  test('any code when the engine does not say what it knows; markup in a name or in what was said is text', async () => {
    const { page, key, language, complaints, close } = await open([]);
    await language.fill('en-GB');
    const said = '<img src=x onerror="document.title=1"> <script>document.title=2</script>';
    speech.say(said);
    await choose(page, { name: '<b onclick=alert(1)>x.wav', buffer: recording() });
    await page.getByText('1 recording is ready').click();
    await page.getByRole('link', { name: 'Open note' }).click();
    await page.getByRole('heading', { name: '<b onclick=alert(1)>x' }).waitFor();
    const { body } = await steno.call('GET', '/recordings?include=words', { key });
    expect(body.data).toMatchObject([{ language: 'en-GB', beginning: said }]);
    expect(complaints).toEqual([]);
    await close();
  });
});
