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
import { networkQuiet } from '../support/quiet.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const sentences = [
  'Good morning, everybody, and thank you for coming so early.',
  'The first thing on the list is the harbour: the new crane arrives in March, and until then the old one has to do.',
  'Then there is the question of who opens the gate at night.',
  'Ada has the key, Grace knows the code, and nobody knows both.',
];

/** Screens full of things, in the states between the first click and the last. */
describeInBrowser('axe finds nothing serious, and nothing sticks out', () => {
  const browser = useBrowser();
  const speech = createFakeSpeech();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ speech });
    speech.say(...sentences);
  });
  afterAll(() => steno.close());

  async function open(screen: object, user: { id: string }, path: string) {
    const opened = await openConsole(browser.get(), steno, {
      user,
      path,
      ...screen,
      permissions: ['microphone'],
    });
    const check = async (state: string) => {
      await networkQuiet(opened.page);
      expect(await seriousProblems(opened.page), state).toEqual([]);
      expect(await sticksOut(opened.page), state).toBe(false);
    };
    return { ...opened, check };
  }

  test.each(sizes)('from the recording to the history, on %s', { tags: 'slow' }, async (_size, screen) => {
    const { user, key } = await steno.person();
    await steno.upload(key, { file: recording({ ms: 35_000 }) });
    const { page, check, close } = await open(screen, user, '/transcribe');
    await page.getByText('Options').click();
    await check('start');
    await page.keyboard.press('Alt+r');
    await page
      .getByRole('complementary', { name: 'Recorder' })
      .getByText(/0:0[1-9]/)
      .waitFor();
    await check('recording');
    await page.getByRole('button', { name: 'Discard' }).click();
    await check('discard');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();

    const asked = speech.heard.length;
    const goOn = speech.hold();
    await page.getByLabel('Choose files').setInputFiles([
      { name: 'letter.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no audio') },
      { name: 'Harbour meeting.wav', mimeType: 'audio/wav', buffer: recording({ ms: 35_000 }) },
      { name: `${'long '.repeat(30)}.wav`, mimeType: 'audio/wav', buffer: recording() },
    ]);
    await speech.reached(asked + 1);
    await page.getByText(/recordings in progress/).click();
    await check('queue');
    await page.goto(new URL('/history', page.url()).href);
    await page.getByRole('button', { name: 'Actions for Harbour meeting' }).waitFor();
    await check('history in work');
    goOn();
    await page.getByText('2 recordings are ready').waitFor();
    await check('history');
    await page.getByRole('button', { name: 'Actions for Harbour meeting' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await check('rename');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /Text only/ }).click();
    await page.getByRole('button', { name: 'Save as note' }).click();
    await check('save as note');
    await page.goto(new URL('/usage', page.url()).href);
    await page.getByText(/words since/).waitFor();
    await check('usage');
    await close();
  });

  test.each(sizes)('dictionary and snippets, on %s', { tags: 'slow' }, async (_size, screen) => {
    const { user, key } = await steno.person();
    const words = ['Okafor', 'Zürich', 'Kysely', 'Noor', 'Saoirse', 'x'.repeat(100)];
    await steno.call('POST', '/dictionary/create', { key, body: { words } });
    for (const [trigger, replacement] of [
      ['my address', '12 Orchard Lane, 8001 Zürich'],
      ['sign off', 'Kind regards,\nAda'],
      ['long', 'y'.repeat(300)],
    ])
      await steno.call('POST', '/snippets/create', { key, body: { trigger, replacement } });
    const { page, check, close } = await open(screen, user, '/dictionary');
    await page.getByRole('button', { name: 'Edit Noor' }).click();
    await check('dictionary');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByLabel('Or paste your list').fill('one\ntwo\ntwo');
    await check('import');
    await page.goto(new URL('/snippets', page.url()).href);
    await page.getByRole('button', { name: 'Edit my address' }).click();
    await check('snippets');
    await close();
  });

  test.each(sizes)(
    'keys and workspaces, with names without a space, on %s',
    {
      tags: 'slow',
    },
    async (_size, screen) => {
      const name = 'Donaudampfschifffahrtsgesellschaft'.repeat(3).slice(0, 100);
      const { user, workspace } = await steno.team({ name });
      const { page, check, close } = await open(screen, user, '/keys');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByLabel('Name').fill(name.slice(0, 60));
      await check('new key');
      await page.getByLabel('Expires').selectOption('In 7 days');
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('button', { name: 'I’ve copied it' }).waitFor();
      await check('key shown');
      await page.getByRole('button', { name: 'I’ve copied it' }).click();
      await page.getByRole('button', { name: `Revoke ${name.slice(0, 60)}` }).click();
      await check('revoke');
      await page.goto(new URL('/account', page.url()).href);
      await page.getByText('Name and email').waitFor();
      await check('account');
      await page.goto(new URL('/workspaces', page.url()).href);
      await page.getByRole('link', { name: workspace.name }).waitFor();
      await check('workspaces');
      await page.getByRole('link', { name: workspace.name }).click();
      for (const tab of ['Members', 'Spaces', 'Keys', 'Policy']) {
        await page.getByRole('tab', { name: tab }).click();
        await check(tab);
      }
      await page.keyboard.press('Control+k');
      await page.keyboard.type('General');
      const space = page.getByRole('option', { name: /^General/ });
      await space.waitFor();
      await expect.poll(() => isInSight(space.getByText('General'))).toBe(true);
      await check('palette');
      await close();
    },
  );
});
