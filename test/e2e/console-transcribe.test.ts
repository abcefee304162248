import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import { createEmbeddedTranscriber } from '../../src/engines/speech/pool/embedded.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { recording as spoken } from '../support/sound.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/** The engine takes two seconds on its own, and its time on a machine that does ten things at once. */
const patience = 300_000;

describeInBrowser('transcribing in the console with the real engine', () => {
  const browser = useBrowser({ microphone: join(import.meta.dirname, '../fixtures/audio/jfk.wav') });
  let steno: TestSteno;
  beforeAll(async () => {
    const speech = { decoder: createAudioDecoder(), transcriber: createEmbeddedTranscriber() };
    steno = await startSteno({ speech });
  });
  afterAll(() => steno.close());

  test('a file becomes a note, and what is spoken is read while it is spoken', {
    tags: 'slow',
    timeout: patience,
  }, async () => {
    const { user } = await steno.person();
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: '/transcribe',
      permissions: ['microphone'],
    });
    const file = { name: 'speech.wav', mimeType: 'audio/wav', buffer: Buffer.from(spoken('jfk.wav')) };
    await page.getByLabel('Choose files').setInputFiles(file);
    await page.getByText('1 recording is ready').click({ timeout: patience });
    await page.getByRole('link', { name: 'Open note' }).click();
    // Not in the list: the note must be open.
    await page
      .getByRole('region', { name: 'Note', exact: true })
      .getByText(/fellow Americans/i)
      .first()
      .waitFor();

    await page.keyboard.press('Alt+r');
    await page.getByRole('button', { name: 'New note' }).last().click();
    const bar = page.getByRole('complementary', { name: 'Recorder' });
    await bar.getByText(/country/i).waitFor({ timeout: patience });
    await bar.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('heading', { name: /Americans|country/i }).waitFor({ timeout: patience });
    expect(complaints).toEqual([]);
    await close();
  });
});
