import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('a recording is never lost', () => {
  const browser = useBrowser();
  const speech = createFakeSpeech();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ speech });
  });
  afterEach(() => speech.mend());
  afterAll(() => steno.close());

  const open = async (path: string) => {
    const { user, key } = await steno.person();
    const opened = await openConsole(browser.get(), steno, { user, path, permissions: ['microphone'] });
    const stored = async () => (await steno.call('GET', '/transcriptions/list', { key })).body.data;
    return { ...opened, stored };
  };
  const startRecording = async (page: Page) => {
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText(/0:0[1-9] · /).waitFor();
  };

  test('reloading the page while it is transcribed loses nothing and charges once', async () => {
    const { page, stored, close } = await open('/transcribe');
    const before = speech.seen.length;
    const goOn = speech.hold();
    await page.getByLabel('Choose a file').setInputFiles({
      name: 'talk.wav',
      mimeType: 'audio/wav',
      buffer: recording({ words: 3 }),
    });
    await speech.reached(before + 1);
    await page.reload();
    await speech.reached(before + 2);
    goOn();
    await page.getByText('word1 word2 word3').first().waitFor();
    expect(await stored()).toHaveLength(1);
    await page.reload();
    await page.getByText('Drop a recording here').waitFor();
    expect(await stored()).toHaveLength(1);
    await close();
  });

  test('recording goes on while people look at other screens, and can be stopped there', async () => {
    const { page, close } = await open('/transcribe');
    await startRecording(page);
    await page.getByRole('link', { name: 'Notes' }).first().click();
    const bar = page.getByRole('region', { name: 'Recording' });
    await bar.waitFor();
    const asked = page.waitForRequest('**/api/v1/transcribe');
    await bar.getByRole('button', { name: 'Stop and transcribe' }).click();
    await asked;
    await expect.poll(() => bar.count()).toBe(0);
    await close();
  });

  test('a page that is closed while it records leaves the recording for the next visit', async () => {
    const { page, origin, close } = await open('/transcribe');
    const context = page.context();
    await startRecording(page);
    await page.close({ runBeforeUnload: false });
    const again = await context.newPage();
    const sent = again.waitForRequest('**/api/v1/transcribe');
    await again.goto(`${origin}/notes`);
    expect(Number(await (await sent).headerValue('content-length'))).toBeGreaterThan(1_000);
    await close();
  });

  test('a discarded recording leaves nothing behind', async () => {
    const { page, close } = await open('/transcribe');
    const before = speech.seen.length;
    await startRecording(page);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Drop a recording here').waitFor();
    await page.reload();
    await page.getByText('Drop a recording here').waitFor();
    expect(speech.seen.length).toBe(before);
    await close();
  });
});
