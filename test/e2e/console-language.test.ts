import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, sticksOut, useBrowser } from '../support/browser.ts';
import { type FakeRequest, startFakeModel } from '../support/fake-model.ts';
import { networkQuiet } from '../support/quiet.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';
import { createKnownSpeech, positionIn, recordNote } from '../support/voice-note.ts';

const summary = 'The harbour comes next [00:12].\n\n- [ ] Call the port\n- [ ] Store it elsewhere';
const systemOf = ({ messages }: FakeRequest) => messages[0]?.content ?? '';

describeInBrowser('the language model in the console', () => {
  const browser = useBrowser();
  let model: Awaited<ReturnType<typeof startFakeModel>>;
  let steno: TestSteno;
  beforeAll(async () => {
    model = await startFakeModel();
    const language = { url: model.url, key: '', model: '', window: 0 };
    steno = await startSteno({ speech: createKnownSpeech(), config: { language } });
  });
  afterAll(async () => {
    await steno.close();
    await model.close();
  });

  const noteOf = async (key: string, id: string | null) =>
    (await steno.call('GET', `/notes/${id}`, { key })).body.data;
  async function written(key: string, content: string, more = {}) {
    const body = { title: 'Mill', content, ...more };
    return (await steno.call('POST', '/notes/create', { key, body })).body.data;
  }
  const menuItem = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  /** The first time a person is told where texts go. */
  const agree = async (page: Page) => {
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`The text of this note is sent to ${new URL(model.url).host}.`).waitFor();
    await dialog.getByRole('button', { name: /^(Write|Replace)$/ }).click();
  };
  const section = (page: Page) => page.getByRole('region', { name: 'Written by the language model' });
  const checkPage = async (page: Page) => {
    expect(await seriousProblems(page)).toEqual([]);
    expect(await sticksOut(page)).toBe(false);
  };

  test.each(sizes)(
    'a summary streams in first among the notes; its times play, its tasks tick, and a changed text is said, on %s',
    async (_size, screen) => {
      const { user, key } = await steno.person();
      const { note_id: noteId } = await recordNote(steno, key, 'Stand-up');
      const opened = await openConsole(browser.get(), steno, { user, path: `/notes/${noteId}`, ...screen });
      const { page, complaints, close } = opened;
      model.answerWith(() => summary);
      model.next('slow');
      await menuItem(page, 'Summary');
      await agree(page);
      // The first word is there before the last is written.
      await page.getByRole('region', { name: 'Summary: being written…' }).getByText('The').waitFor();
      expect(await page.getByRole('tab', { name: 'Notes' }).getAttribute('aria-selected')).toBe('true');
      expect((await noteOf(key, noteId)).enhanced_content).toBe(null);
      model.goOn();
      await section(page).getByText('The harbour comes next').waitFor();
      await expect.poll(() => page.getByText('being written').count()).toBe(0);
      await checkPage(page);

      await section(page).getByRole('button', { name: 'Play from 00:12' }).click();
      await expect.poll(() => positionIn(page)).toBeGreaterThanOrEqual(12);
      await page.getByRole('region', { name: 'Recording' }).getByRole('button', { name: 'Pause' }).click();

      const first = section(page).getByLabel('Call the port');
      await first.click();
      // When the page has the answer, it draws the boxes anew. A click at that moment would be lost.
      await expect.poll(() => first.getAttribute('checked')).not.toBe(null);
      await section(page).getByLabel('Store it elsewhere').click();
      const ticked = summary.replaceAll('[ ]', '[x]');
      await expect.poll(async () => (await noteOf(key, noteId)).enhanced_content).toBe(ticked);
      // What the model wrote is one version, however many tasks were ticked.
      const revisions = await steno.call('GET', `/notes/${noteId}/revisions`, { key });
      expect(revisions.body.data.map(({ edited_with }: { edited_with: string }) => edited_with)).toContain(
        'Language model',
      );
      expect(revisions.body.data).toHaveLength(2);
      await menuItem(page, 'Version history');
      await page.getByRole('dialog').getByText('Call the port').waitFor();
      await page.keyboard.press('Escape');

      expect(await page.getByText('Made from an earlier text of this note').count()).toBe(0);
      await steno.call('PATCH', `/notes/${noteId}`, { key, body: { content: 'The harbour waits.' } });
      await page.getByText('Made from an earlier text of this note').waitFor();
      await page.getByRole('button', { name: 'Write it again' }).click();
      // Two tasks of it are ticked.
      await page.getByRole('dialog').getByText('Its tasks lose their ticks.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
      await expect.poll(() => page.getByText('Made from an earlier text').count()).toBe(0);
      await page.getByRole('tabpanel').getByText('The harbour waits.').waitFor();
      await page.getByRole('button', { name: 'Remove this text' }).click();
      await expect.poll(async () => (await noteOf(key, noteId)).enhanced_content).toBe(null);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('what goes wrong is said beside the note, which is as it was; a text is cancelled or tried again', {
    tags: 'slow',
  }, async () => {
    const { user, key } = await steno.person();
    const before = await written(key, 'The roof leaks.', { enhanced_content: 'My own words' });
    const opened = await openConsole(browser.get(), steno, { user, path: `/notes/${before.id}` });
    const { page, complaints, close } = opened;
    model.answerWith(() => 'A summary.');
    model.next('refuse');
    await menuItem(page, 'Summary');
    await agree(page);
    await page
      .getByText('Summary: not written. The note is as it was. The language model refused to answer.')
      .waitFor();
    await checkPage(page);
    expect(await noteOf(key, before.id)).toMatchObject({ revision: before.revision });
    await page.getByText('My own words').waitFor();

    model.next('slow');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    // Cancelled before the model was asked, it would leave "slow" to the next text.
    await page.getByRole('region', { name: 'Summary: being written…' }).waitFor();
    await page.getByRole('button', { name: 'Cancel: Summary' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Cancel: Summary' }).count()).toBe(0);
    model.goOn();
    expect(await noteOf(key, before.id)).toMatchObject({ revision: before.revision });

    // From the palette, with what the action needs to know.
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('translation');
    await page.getByRole('option', { name: 'Write: Translation' }).click();
    await page.getByRole('dialog').getByLabel('Translate into').fill('Spanish');
    model.answerWith((request) => (systemOf(request).includes('Spanish') ? 'El techo gotea.' : 'No.'));
    await page.keyboard.press('Enter');
    await section(page).getByText('El techo gotea.').waitFor();
    model.answerWith(() => 'Leaking roof');
    await menuItem(page, 'Title');
    await page.getByRole('heading', { name: 'Leaking roof' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a task is ticked in the text as it is now, and not at all if somebody changed its line', async () => {
    const { user, key } = await steno.person();
    const { id } = await written(key, 'The roof leaks.', { enhanced_content: '- [ ] Call\n- [ ] Pay' });
    const opened = await openConsole(browser.get(), steno, { user, path: `/notes/${id}` });
    const { page, complaints, close } = opened;
    const box = (name: string) => page.getByRole('region', { name: 'Additional text' }).getByLabel(name);
    await box('Call').waitFor();
    // The page does not hear of changes by others.
    await page.route(/\/(changes\/events|notes\/(list|[\da-f-]{36}))(\?|$)/, (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    );
    const change = (enhanced_content: string) =>
      steno.call('PATCH', `/notes/${id}`, { key, body: { enhanced_content } });
    await change('- [ ] Call\n- [ ] Pay\n- [ ] Write');
    await box('Call').click();
    const now = async () => (await noteOf(key, id)).enhanced_content;
    await expect.poll(now).toBe('- [x] Call\n- [ ] Pay\n- [ ] Write');
    await expect.poll(() => box('Call').getAttribute('checked')).not.toBe(null);
    await change('- [x] Call\n- [ ] Pay Anna\n- [ ] Write');
    await box('Pay').click();
    await page.getByText('Another person changed this text meanwhile').first().waitFor();
    expect(await now()).toBe('- [x] Call\n- [ ] Pay Anna\n- [ ] Write');
    await box('Pay Anna').click();
    await expect.poll(now).toBe('- [x] Call\n- [x] Pay Anna\n- [ ] Write');
    expect(complaints).toEqual([]);
    await close();
  });

  test('a person makes actions of their own, chooses what is written by itself, and forbids it all', {
    tags: 'slow',
  }, async () => {
    const { user, key } = await steno.person();
    const workspace = await steno.workspaces.create({ userId: user.id }, { name: 'Acme', plan: 'business' });
    const note = await written(key, 'The roof leaks.');
    await steno.call('POST', '/folders/create', { key, body: { name: 'Calls' } });
    const opened = await openConsole(browser.get(), steno, { user, path: '/account' });
    const { page, complaints, close } = opened;
    await page.getByRole('link', { name: 'Language model' }).click();
    await page.getByText(`They are sent to ${new URL(model.url).host}, model “fake”.`).waitFor();
    await page.getByRole('button', { name: 'New action' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Letter');
    await dialog.getByLabel('What to write').fill('Write a letter.');
    await dialog.getByRole('button', { name: 'Add a heading' }).click();
    await dialog.getByLabel('Heading', { exact: true }).fill('Greeting');
    await dialog.getByLabel('What belongs there').fill('Say hello.');
    await dialog.getByLabel('Where the text goes').selectOption('Into a new note');
    await dialog.getByLabel('Who can use it').selectOption('Everyone in “Acme”');
    await checkPage(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit Letter' }).waitFor();

    await page.getByRole('button', { name: 'Change what is written: Every recording' }).click();
    await dialog.getByLabel('Summary').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Another choice for a folder' }).click();
    await dialog.getByLabel('Folder').selectOption('Calls');
    await dialog.getByLabel('Summary').uncheck();
    await dialog.getByLabel('Letter').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const list = page.getByRole('list', { name: 'After a recording' });
    await list.getByText('In “Calls”').waitFor();
    const wishes = async () => (await steno.call('GET', '/language/settings', { key })).body.data;
    const letter = (await steno.call('GET', '/actions', { key })).body.data.at(-1);
    expect(letter).toMatchObject({
      name: 'Letter',
      output: 'note',
      workspace_id: workspace.id,
      sections: [{ heading: 'Greeting', instruction: 'Say hello.' }],
    });
    expect(await wishes()).toMatchObject({
      titles: true,
      actions: ['summary'],
      folders: [{ actions: [letter.id] }],
    });

    await page.goto(new URL(`/notes/${note.id}`, page.url()).href);
    model.answerWith((request) => (systemOf(request).includes('## Greeting') ? 'Dear Anna' : 'No.'));
    await menuItem(page, 'Letter');
    await agree(page);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('heading', { name: 'Letter: Mill' }).waitFor();
    await page.getByRole('region', { name: 'Note', exact: true }).getByText('Dear Anna').waitFor();

    await page.goto(new URL('/language', page.url()).href);
    await page.getByRole('switch', { name: 'Send my texts to the language model' }).click();
    await expect.poll(async () => (await wishes()).allowed).toBe(false);
    await page.goto(new URL(`/notes/${note.id}`, page.url()).href);
    await page.getByRole('button', { name: 'Actions for this note' }).waitFor();
    await networkQuiet(page);
    await page.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Version history' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Summary' }).count()).toBe(0);
    await page.goto(new URL('/ask', page.url()).href);
    await page.getByText('You don’t let your texts go to the language model.').waitFor();
    expect(await page.getByLabel('Your question').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(sizes)(
    'a question is answered from the notes, with citations that open the moment, and asked on, on %s',
    async (_size, screen) => {
      const { user, key } = await steno.person();
      const { note_id: noteId } = await recordNote(steno, key, 'Stand-up');
      const { page, complaints, close } = await openConsole(browser.get(), steno, {
        user,
        path: '/ask',
        ...screen,
      });
      await page.getByText(`are sent to ${new URL(model.url).host}.`).waitFor();
      model.answerWith(() => 'Somebody asked how the harbour is [1].');
      model.next('slow');
      await page.getByLabel('Your question').fill('Who asked about the harbour?');
      await page.keyboard.press('Enter');
      await page.getByText('Somebody', { exact: true }).waitFor();
      model.goOn();
      await page.getByText('Somebody asked how the harbour is').waitFor();
      await page.waitForURL('**/ask/*');
      const conversation = page.url();

      model.answerWith(() => 'NOT FOUND');
      await page.getByLabel('Ask on').fill('And what does it cost?');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByText('I did not find this in your notes.').waitFor();
      expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
        'Who asked about the harbour?',
        'And what does it cost?',
      ]);
      model.next('html');
      await page.getByLabel('Ask on').fill('And when?');
      await page.keyboard.press('Enter');
      await page.getByText('The address of the language model gave something else than an answer.').waitFor();
      // It can be asked again.
      await expect.poll(() => page.getByLabel('Ask on').inputValue()).toBe('And when?');
      await checkPage(page);
      await page.getByLabel('Ask on').fill('');

      await page.getByRole('link', { name: '1: Stand-up' }).click();
      await page.waitForURL(`**/notes/${noteId}?at=12`);
      await expect.poll(() => positionIn(page)).toBeCloseTo(12, 0);

      await page.goto(conversation);
      await page.getByText('I did not find this in your notes.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Who asked about the harbour?' }).waitFor();
      await page.getByRole('button', { name: 'Delete “Who asked about the harbour?”' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await expect
        .poll(() => page.getByRole('link', { name: 'Who asked about the harbour?' }).count())
        .toBe(0);
      await expect
        .poll(async () => (await steno.call('GET', '/conversations', { key })).body.data)
        .toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('what was just typed is saved before the model reads it, and a summary with ticks is replaced only if asked', async () => {
    const { user, key } = await steno.person();
    const before = await written(key, 'The roof leaks.', { enhanced_content: '- [x] Call' });
    const { page, close } = await openConsole(browser.get(), steno, { user, path: `/notes/${before.id}` });
    await page.getByText('The roof leaks.').waitFor();
    const type = async (words: string) => {
      await page.getByRole('button', { name: 'Write', exact: true }).click();
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type(words);
    };
    // The clean-up must read this, so its save is on the way when the model is asked.
    const read: string[] = [];
    model.answerWith((request) => {
      read.push(JSON.stringify(request.messages));
      return 'The roof leaks. It rains.';
    });
    await type(' And it rains.');
    await menuItem(page, 'Clean-up');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This replaces the text below the note').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(read).toEqual([]);
    await type(' And it snows.');
    await menuItem(page, 'Clean-up');
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await expect.poll(() => read.at(-1)).toContain('And it snows.');
    await expect.poll(async () => (await noteOf(key, before.id)).enhanced_content).toContain('It rains.');
    await close();
  });

  test('a question goes on while another screen is open, and Stop keeps it', async () => {
    const { user, key } = await steno.person();
    await written(key, 'The roof leaks at the back.');
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/ask' });
    const words = page.getByLabel('Your question');
    const ask = async () => {
      model.next('slow');
      await words.fill('Where does the roof leak?');
      await page.keyboard.press('Enter');
      await page.getByText('At', { exact: true }).waitFor();
    };
    model.answerWith(() => 'At the back [1].');
    await ask();
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => words.inputValue()).toBe('Where does the roof leak?');
    model.goOn();
    await ask();
    await page.getByRole('link', { name: 'History' }).first().click();
    await page.getByRole('heading', { name: 'History', level: 1 }).waitFor();
    model.goOn();
    await page.getByText('Your question is answered').first().waitFor();
    await page.getByRole('button', { name: 'Read it' }).click();
    await page.getByRole('article').getByText('At the back').first().waitFor();
    await close();
  });

  test('questions are narrowed to a folder and to days, and tokens are counted', async () => {
    const { user, key } = await steno.person();
    const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'House' } })).body.data;
    await written(key, 'The roof repair costs 8,000 euros.', { folder_id: folder.id });
    await written(key, 'The roof is red.');
    model.answerWith(() => 'The roof repair costs 8000 euros [1].');
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/usage' });
    await page.getByText('Tokens of the language model this month').waitFor();
    await page.getByRole('link', { name: 'Ask', exact: true }).click();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Where to look').selectOption('House');
    await page.getByLabel('To', { exact: true }).fill('2999-01-01');
    await page.getByLabel('Your question').fill('What does the roof cost?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.waitForURL('**/ask/*');
    const { messages } = model.requests.at(-1) ?? { messages: [] };
    expect(messages.at(-1)?.content).toContain('8,000 euros');
    expect(messages.at(-1)?.content).not.toContain('red');
    // The next question is asked of the same folder.
    expect(await page.getByLabel('Where to look').inputValue()).toBe(`folder ${folder.id}`);
    const usage = (await steno.call('GET', '/usage', { key })).body.data;
    expect(usage.llm_tokens_used).toBeGreaterThan(0);
    await page.getByLabel('From').fill('2990-01-01');
    await page.getByLabel('Ask on').fill('And the roof before?');
    await page.keyboard.press('Enter');
    await page.getByText('Not found', { exact: true }).waitFor();
    await close();
  });
});

describeInBrowser('without a language model', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  test('nothing of it shows, and nothing is asked; a text that a program stored is read', async () => {
    const { user, key } = await steno.person();
    const body = { title: 'Mill', content: 'The roof leaks.', enhanced_content: 'From a program.' };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: `/notes/${id}`,
    });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole('region', { name: 'Additional text' }).getByText('From a program.').waitFor();
    await page.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Version history' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Summary' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('write');
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option', { name: 'Write: Summary' }).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('language');
    await page.getByText('No matches').waitFor();
    await page.goto(new URL('/usage', page.url()).href);
    await page.getByText('Words this month').waitFor();
    expect(await page.getByText('Tokens').count()).toBe(0);
    for (const path of ['/ask', '/language']) {
      await page.goto(new URL(path, page.url()).href);
      await page.waitForURL('**/notes');
    }
    expect(await page.getByRole('link', { name: 'Ask', exact: true }).count()).toBe(0);
    expect(
      asked.filter((path) => /language|actions|ask|conversations/.test(path) && path.startsWith('/api')),
    ).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});
