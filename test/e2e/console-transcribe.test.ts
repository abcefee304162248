import { readFileSync } from 'node:fs';
import type { Download, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createAudioDecoder } from '../../src/audio/decoder.ts';
import { createEmbeddedTranscriber } from '../../src/engines/embedded/embedded.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { recording as spoken } from '../support/sound.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/** The engine takes two seconds on its own, and its time on a machine that does ten things at once. */
const patience = 300_000;

const choose = (page: Page, file: { name: string; buffer: Buffer }) =>
  page.getByLabel('Choose a file').setInputFiles({ mimeType: 'application/octet-stream', ...file });

/** What the player in the page says of itself. */
const player = (page: Page, property: 'duration' | 'currentTime') =>
  page.evaluate<number>(`document.querySelector('audio').${property}`);

async function contentOf(download: Download): Promise<string> {
  return readFileSync(await download.path(), 'utf8');
}

describeInBrowser('transcribing in the console with the real engine', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    const speech = { decoder: createAudioDecoder(), transcriber: createEmbeddedTranscriber() };
    steno = await startSteno({ speech });
  });
  afterAll(() => steno.close());

  test('a recording becomes text that plays by its parts, goes out as SRT and stays as a note', {
    timeout: patience,
  }, async () => {
    const { user } = await steno.person();
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/transcribe',
    });
    await choose(page, { name: 'speech.wav', buffer: Buffer.from(spoken('jfk.wav')) });
    const parts = page.getByRole('list', { name: 'Transcript by segment' });
    await parts.waitFor({ timeout: patience });
    expect(await parts.textContent()).toMatch(/my fellow Americans.+for your country/i);

    // The audio is in the page, and a click on the last part plays from there.
    await expect.poll(() => player(page, 'duration')).toBeCloseTo(11, 0);
    const last = parts.getByRole('button').last();
    const [minutes = 0, seconds = 0] = ((await last.locator('span').first().textContent()) ?? '')
      .split(':')
      .map(Number);
    await last.click();
    await expect.poll(() => player(page, 'currentTime')).toBeGreaterThanOrEqual(minutes * 60 + seconds - 0.5);

    await page.getByRole('button', { name: 'Download' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Subtitles (SRT)' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('speech.srt');
    expect(await contentOf(download)).toMatch(/^1\n00:00:0\d,\d{3} --> 00:00:\d\d,\d{3}\n/);

    await page.getByRole('button', { name: 'Save as note' }).click();
    await page.getByLabel('Title').fill('What Kennedy said');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Open note' }).click();
    await page.getByRole('heading', { name: 'What Kennedy said' }).waitFor();
    // The words stand there once, with their times.
    await page
      .getByRole('list', { name: 'Transcript' })
      .getByText(/country/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('the microphone is recorded, heard and played back', { timeout: patience }, async () => {
    const { user } = await steno.person();
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/transcribe',
      permissions: ['microphone'],
    });
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText(/0:0[1-9] · /).waitFor();
    await page.getByRole('button', { name: 'Stop and transcribe' }).click();
    // The browser's own microphone beeps. One engine hears no speech in that, another writes "BEEP".
    await page.getByText(/transcribed in/).waitFor({ timeout: patience });
    await expect.poll(() => player(page, 'duration')).toBeGreaterThan(0.5);
    expect(complaints).toEqual([]);
    await close();
  });
});

describeInBrowser('what can go wrong with a recording is said in words', () => {
  const browser = useBrowser();
  const speech = createFakeSpeech();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ speech });
  });
  afterEach(() => {
    speech.mend();
    speech.say();
  });
  afterAll(() => steno.close());

  async function open(plan: 'free' | 'business' = 'business') {
    const person = await steno.person({ plan });
    const opened = await openConsole(browser.get(), steno, { user: person.user, path: '/transcribe' });
    return { ...person, ...opened };
  }

  test('a file over 4 MB is refused before a byte is sent', async () => {
    const { page, close } = await open();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await choose(page, { name: 'long.wav', buffer: recording({ bytes: 4 * 1024 * 1024 + 1 }) });
    await page.getByText('This recording is too large').waitFor();
    expect(sent).not.toContain('/api/v1/transcribe');
    await page.getByRole('button', { name: 'Transcribe another' }).click();
    await page.getByText('Drop a recording here').waitFor();
    await close();
  });

  test('what is not audio is named with the formats that are', async () => {
    const { page, close } = await open();
    await choose(page, { name: 'letter.pdf', buffer: Buffer.from('%PDF-1.7 no sound in here') });
    await page.getByText('This recording can’t be transcribed').waitFor();
    await page.getByText(/WAV, MP3/).waitFor();
    await close();
  });

  test('a recording in which nobody speaks says so, and cannot become a note', async () => {
    const { page, close } = await open();
    speech.say('');
    await choose(page, { name: 'rain.wav', buffer: recording() });
    await page.getByText('We didn’t hear any speech').waitFor();
    expect(await page.getByRole('button', { name: 'Save as note' }).count()).toBe(0);
    await close();
  });

  test('while the engine works the page says so, may be left, and a second tab is told it is busy', async () => {
    const { user, page, close } = await open();
    const asked = speech.seen.length;
    const goOn = speech.hold();
    await choose(page, { name: 'meeting.wav', buffer: recording({ words: 3 }) });
    await page.getByText('Transcribing…').waitFor();
    await speech.reached(asked + 1);
    await page.getByRole('link', { name: 'Notes' }).click();
    await page.getByRole('link', { name: 'Transcribe' }).click();
    await page.getByText('Transcribing…').waitFor();

    const second = await openConsole(browser.get(), steno, { user, path: '/transcribe' });
    await choose(second.page, { name: 'other.wav', buffer: recording() });
    await second.page.getByText('Another recording is being transcribed').waitFor();

    goOn();
    await page.getByText('word1 word2 word3').waitFor();
    await second.page.getByRole('button', { name: 'Try again' }).click();
    await second.page.getByText('word1 word2', { exact: true }).waitFor();
    await second.close();
    await close();
  });

  test('cancelling ends the work on the server and charges nothing', async () => {
    const { key, page, close } = await open();
    const asked = speech.seen.length;
    const goOn = speech.hold();
    await choose(page, { name: 'meeting.wav', buffer: recording() });
    await speech.reached(asked + 1);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Drop a recording here').waitFor();
    await expect.poll(() => speech.seen.at(-1)?.signal?.aborted).toBe(true);
    goOn();
    const { body } = await steno.call('GET', '/usage', { key });
    expect(body.data.audio_ms_used).toBe(0);
    await close();
  });

  test('a pause tells how long to wait, and trying again works when it is over', async () => {
    const { page, close } = await open();
    await steno.pause.begin(2);
    await choose(page, { name: 'meeting.wav', buffer: recording() });
    await page.getByText(/Transcription is paused.+Try again in 2 minutes/).waitFor();
    await steno.pause.end();
    speech.breakDown(5);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(/The engine stopped.+Try again in 5 seconds/).waitFor();
    speech.mend();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('word1 word2').waitFor();
    await close();
  });

  test('a used-up month names the day on which it begins anew', async () => {
    const { key, page, close } = await open();
    await steno.upload(key, { file: recording({ ms: 600 * 60_000 }) });
    await page.reload();
    await page.getByText('No audio minutes left this month').waitFor();
    await page.getByText(/^Resets on 1 [A-Z][a-z]+ \d{4}\.$/).waitFor();
    expect(await page.getByRole('button', { name: 'Record', exact: true }).isDisabled()).toBe(true);
    await close();
  });

  test('a plan without transcription is named, and there is nothing to try again', async () => {
    const { page, close } = await open('free');
    await page.getByText('Your plan doesn’t include transcription').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await close();
  });

  test('markup in what was said is shown as text', async () => {
    const { page, complaints, close } = await open();
    const said = '<img src=x onerror="document.title=1"> <script>document.title=2</script>';
    speech.say(said);
    await choose(page, { name: '<b onclick=alert(1)>x.wav', buffer: recording() });
    await page.getByText(said).waitFor();
    await page.getByRole('heading', { name: '<b onclick=alert(1)>x' }).waitFor();
    expect(await page.title()).toBe('Transcribe · Steno');
    expect(complaints).toEqual([]);
    await close();
  });
});

describeInBrowser('what the server can transcribe is what the page offers', () => {
  const browser = useBrowser();

  /** The options of the page on a server whose engine knows these languages. */
  async function open(languages: readonly string[]) {
    const speech = createFakeSpeech();
    const status = () => ({ ...speech.transcriber.status(), languages });
    const steno = await startSteno({
      speech: { decoder: speech.decoder, transcriber: { ...speech.transcriber, status } },
    });
    const { user } = await steno.person();
    const opened = await openConsole(browser.get(), steno, { user, path: '/transcribe' });
    await opened.page.getByText('Options').click();
    await opened.page.getByLabel('Names and jargon').waitFor();
    const close = async () => {
      await opened.close();
      await steno.close();
    };
    return { page: opened.page, language: opened.page.getByLabel('Language'), speech, close };
  }

  test('the formats and the size limit', async () => {
    const { page, close } = await open(['en']);
    await page.getByText(/^WAV, MP3, .+ or \w+, up to 4 MB$/).waitFor();
    await close();
  });

  test('the languages of the engine, by name', async () => {
    const { language, close } = await open(['fr', 'en', 'de']);
    expect(await language.getByRole('option').allTextContents()).toEqual([
      'Detect automatically',
      'English',
      'French',
      'German',
    ]);
    await close();
  });

  test('no choice with a single language', async () => {
    const { language, close } = await open(['en']);
    expect(await language.count()).toBe(0);
    await close();
  });

  test('any code when the engine does not say what it knows', async () => {
    const { page, language, speech, close } = await open([]);
    await language.fill('en-GB');
    await choose(page, { name: 'meeting.wav', buffer: recording() });
    await page.getByText('word1 word2').waitFor();
    expect(speech.seen.map((request) => request.language)).toEqual(['en-GB']);
    await close();
  });
});
