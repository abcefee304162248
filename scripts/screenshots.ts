import { mkdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../test/support/chromium.ts';
import { type FakeRequest, startFakeModel } from '../test/support/fake-model.ts';
import { firstSignIn, newFolder, startServer } from '../test/support/process.ts';
import { networkQuiet, watchNetwork } from '../test/support/quiet.ts';
import { seed } from './screenshots-seed.ts';

// `npm run screenshots`: every screen, light and dark, wide and on a phone. `--out folder` says where to, `--only keys-phone,docs`
// takes those with one of these texts in their name, `--readme` also writes the pictures of the README.
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'screenshots' },
    only: { type: 'string', default: '' },
    readme: { type: 'boolean', default: false },
  },
});
const out = resolve(values.out);
const isWanted = (name: string) => values.only.split(',').some((part) => name.includes(part));
const readmeImages = join(import.meta.dirname, '../docs/images');

const wide = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const looks: Record<string, BrowserContextOptions> = {
  light: { ...wide, colorScheme: 'light' },
  dark: { ...wide, colorScheme: 'dark' },
  phone: { ...phone, colorScheme: 'light' },
  'phone-dark': { ...phone, colorScheme: 'dark' },
};
const inReadme = new Set(['note-light', 'voice-note-dark', 'notes-phone']);

interface Shot {
  name: string;
  path: string;
  prepare?(page: Page): Promise<void>;
}

/** What somebody sees who has just signed in for the first time. */
const emptyShots: Shot[] = [
  { name: 'first-note', path: '/notes' },
  { name: 'empty-history', path: '/history' },
  { name: 'empty-dictionary', path: '/dictionary' },
  { name: 'empty-keys', path: '/keys' },
  { name: 'empty-workspaces', path: '/workspaces' },
  { name: 'empty-trash', path: '/notes?trash=1' },
  { name: 'empty-usage', path: '/usage' },
];

async function shotsOf(address: string, cookies: Cookies): Promise<Shot[]> {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const { noteId, voiceNoteId, transcriptionId, workspaceId, spaceId, folderId, invitation } = await seed({
    address,
    cookie,
    dataDir,
  });
  const inNote = (name: string) => async (page: Page) => {
    await press(page, 'Actions for this note');
    await page.getByRole('menuitem', { name }).click();
    await page.getByRole('dialog').waitFor();
    await networkQuiet(page);
  };
  const openTab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click();
  return [
    { name: 'notes', path: '/notes' },
    { name: 'palette', path: '/notes', prepare: openPalette },
    { name: 'shortcuts', path: '/notes', prepare: openShortcuts },
    { name: 'selecting', path: '/notes', prepare: selectTwo },
    { name: 'more', path: '/notes', prepare: openMore },
    { name: 'space', path: `/notes?space=${spaceId}` },
    { name: 'trash', path: '/notes?trash=1' },
    { name: 'revisions', path: `/notes/${noteId}`, prepare: inNote('Version history') },
    { name: 'note-menu', path: `/notes/${noteId}`, prepare: openNoteMenu },
    { name: 'docs', path: '/docs' },
    { name: 'invitation', path: invitation },
    { name: 'new-key', path: '/keys', prepare: (page) => press(page, 'Create key') },
    { name: 'key-shown', path: '/keys', prepare: createKey },
    { name: 'workspace-spaces', path: `/workspaces/${workspaceId}`, prepare: openTab('Spaces') },
    { name: 'workspace-policy', path: `/workspaces/${workspaceId}`, prepare: openTab('Policy') },
    { name: 'import', path: '/dictionary', prepare: (page) => press(page, 'Import') },
    { name: 'change-address', path: '/account', prepare: (page) => press(page, 'email address') },
    { name: 'note', path: `/notes/${noteId}` },
    { name: 'note-writing', path: `/notes/${noteId}`, prepare: (page) => press(page, 'Write') },
    { name: 'search', path: `/notes/${noteId}?q=garden%20wat` },
    { name: 'nothing-found', path: '/notes?q=zeppelin' },
    { name: 'new-folder', path: '/notes', prepare: (page) => press(page, 'New folder') },
    { name: 'transcribe', path: '/transcribe' },
    { name: 'voice-note', path: `/notes/${voiceNoteId}`, prepare: openTab('Transcript') },
    { name: 'voice-note-notes', path: `/notes/${voiceNoteId}`, prepare: openTab('Notes') },
    { name: 'history', path: '/history' },
    { name: 'transcription', path: `/history/${transcriptionId}` },
    { name: 'dictionary', path: '/dictionary' },
    { name: 'snippets', path: '/snippets' },
    { name: 'usage', path: '/usage' },
    { name: 'keys', path: '/keys' },
    { name: 'workspaces', path: '/workspaces' },
    { name: 'workspace', path: `/workspaces/${workspaceId}` },
    { name: 'account', path: '/account' },
    { name: 'no-such-page', path: '/nowhere' },
    { name: 'webhooks', path: '/keys', prepare: scrollToEnd },
    { name: 'new-webhook', path: '/keys', prepare: (page) => press(page, 'Add webhook') },
    { name: 'delete-folder', path: `/notes?folder=${folderId}`, prepare: askToDeleteFolder },
    { name: 'empty-the-trash', path: '/notes?trash=1', prepare: (page) => press(page, 'Empty') },
    { name: 'invite', path: `/workspaces/${workspaceId}`, prepare: (page) => press(page, 'Invite') },
    { name: 'correcting', path: `/notes/${voiceNoteId}`, prepare: (page) => press(page, 'Correct') },
    { name: 'who-says', path: `/notes/${voiceNoteId}`, prepare: openWhoSays },
    { name: 'summary', path: `/notes/${voiceNoteId}`, prepare: summarise },
    { name: 'translate', path: `/notes/${voiceNoteId}`, prepare: inNote('Translation') },
    { name: 'answer', path: '/ask', prepare: ask },
    { name: 'ask', path: '/ask' },
    { name: 'language-model', path: '/language' },
    { name: 'new-action', path: '/language', prepare: startAction },
    { name: 'record-where', path: `/notes/${noteId}`, prepare: askWhereTo },
    { name: 'offline', path: `/notes/${noteId}`, prepare: loseConnection },
  ];
}

/** Each goes on until its browser profile is closed, and would show in the others. */
const goingOn: Shot[] = [
  { name: 'queue', path: '/transcribe', prepare: chooseFiles },
  { name: 'recording', path: '/notes', prepare: speak },
];

const scrollToEnd = (page: Page) =>
  page.getByRole('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));

async function askToDeleteFolder(page: Page) {
  await press(page, 'Sort and select');
  await page.getByRole('menuitem', { name: 'Delete folder' }).click();
  await page.getByRole('dialog').waitFor();
}

async function openWhoSays(page: Page) {
  await press(page, 'Correct');
  await press(page, 'Who says this');
  await page.getByRole('menu').waitFor();
}

async function askWhereTo(page: Page) {
  await page.keyboard.press('Alt+r');
  await page.getByText('Where does this recording go?').waitFor();
}

async function loseConnection(page: Page) {
  await page.context().setOffline(true);
  await page.getByText('You’re offline').waitFor();
}

/** One that cannot be sent now, and one that never can. */
async function chooseFiles(page: Page) {
  await page.route('**/recordings/uploads/*', (route) => route.abort());
  const buffer = await readFile(join(import.meta.dirname, '../assets/ask-not.ogg'));
  await page.locator('input[type=file]').setInputFiles([
    { name: 'Interview with the harbour master.ogg', mimeType: 'audio/ogg', buffer },
    { name: 'letter.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') },
  ]);
  await page
    .getByRole('region', { name: 'Recordings in progress' })
    .getByRole('button', { expanded: false })
    .click();
  await page.getByText('Goes on by itself').waitFor();
}

/** Once; afterwards the text is there. */
async function summarise(page: Page) {
  const written = page.getByRole('region', { name: 'Written by the language model' });
  if (!(await written.isVisible())) {
    await press(page, 'Actions for this note');
    await page.getByRole('menuitem', { name: 'Summary' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Write', exact: true }).click();
  }
  await written.waitFor();
  await page.getByRole('status').filter({ hasText: 'being written' }).waitFor({ state: 'detached' });
}

/** Once; a question counts as ten requests. */
async function ask(page: Page) {
  const question = 'What did he ask of his fellow Americans?';
  const earlier = page.getByRole('link', { name: question });
  if (await earlier.isVisible()) await earlier.click();
  else {
    await page.getByLabel('Your question').fill(question);
    await page.keyboard.press('Enter');
  }
  await page.waitForURL('**/ask/*');
  await page.getByRole('list', { name: 'Where it stands' }).waitFor();
}

async function startAction(page: Page) {
  await press(page, 'New action');
  await page.getByLabel('Name').fill('Letter to the client');
  await page.getByLabel('What to write').fill('Write a letter to the client about what was agreed.');
  await press(page, 'Add a heading');
}

function answerTo({ messages }: FakeRequest): string {
  const system = messages[0]?.content ?? '';
  if (system.startsWith('Answer a question'))
    return 'He asked them not to ask what their country can do for them, but what they can do for their country [1].';
  return 'An appeal to his fellow Americans: **ask what you can do for your country** [00:00].\n\n## Tasks\n\n- [x] Ask not what your country can do for you\n- [ ] Ask what you can do for your country';
}

const press = (page: Page, name: string) =>
  page.getByRole('button', { name }).filter({ visible: true }).first().click();

async function openPalette(page: Page) {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: 'Search and commands' }).fill('re');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
}

async function openNoteMenu(page: Page) {
  await press(page, 'Actions for this note');
  await page.getByRole('menu').waitFor();
}

async function openShortcuts(page: Page) {
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
}

/** Only phones have it. */
async function openMore(page: Page) {
  const more = page.getByRole('button', { name: 'More' });
  if (await more.isVisible()) await more.click();
}

async function selectTwo(page: Page) {
  await press(page, 'Sort and select');
  await page.getByRole('menuitem', { name: 'Select notes' }).click();
  for (const at of [0, 2]) await page.getByRole('checkbox').nth(at).click();
}

/** There is room for five keys, so the one of the look before goes. */
async function createKey(page: Page) {
  const before = page.getByRole('button', { name: 'Revoke Backup script' });
  if (await before.isVisible()) {
    await before.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await before.waitFor({ state: 'detached' });
  }
  await press(page, 'Create key');
  await page.getByLabel('Name').fill('Backup script');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Copy it now').waitFor();
}

/** Speaks until the engine has understood some of it. */
async function speak(page: Page) {
  await press(page, 'Record');
  await page
    .getByRole('log')
    .getByText(/country/i)
    .waitFor({ timeout: 60_000 });
}

async function take(browser: Browser, address: string, cookies: Cookies, shots: Shot[], look: string) {
  const context = await browser.newContext({
    locale: 'en-GB',
    permissions: ['microphone'],
    serviceWorkers: 'block',
    ...looks[look],
  });
  const page = await context.newPage();
  watchNetwork(page);
  const save = async (name: string) => {
    const file = `${name}-${look}.png`;
    await page.screenshot({ path: join(out, file) });
    if (values.readme && inReadme.has(`${name}-${look}`))
      await page.screenshot({ path: join(readmeImages, file), scale: 'css' });
  };
  if (shots === emptyShots && isWanted(`sign-in-${look}`)) {
    await page.goto(`${address}/sign-in`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await save('sign-in');
  }
  await context.addCookies(cookies);
  for (const { name, path, prepare } of shots) {
    if (!isWanted(`${name}-${look}`)) continue;
    try {
      await page.goto(address + path);
      await networkQuiet(page);
      await prepare?.(page);
      await save(name);
      await context.setOffline(false);
    } catch (error) {
      // The others are still worth having.
      console.error(`${name}-${look}: ${error}`);
      process.exitCode = 1;
    }
  }
  await context.close();
}

type Cookies = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['cookies']>>;

/** The link of the first start works once, so its cookie is handed on. */
async function signIn(browser: Browser, link: string): Promise<Cookies> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await press(page, 'Sign in');
  await page.waitForURL((url) => url.pathname !== '/api/auth/sign-in/link');
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

const dataDir = newFolder();
for (const folder of [out, readmeImages]) mkdirSync(folder, { recursive: true });
const model = await startFakeModel();
model.answerWith(answerTo);
const settings = { STENO_ENGINE: 'embedded', STENO_LLM_URL: model.url };
const server = await startServer({ dataDir, settings });
const browser = await launchBrowser({
  microphone: join(import.meta.dirname, '../test/fixtures/audio/jfk.wav'),
});
try {
  const link = firstSignIn(dataDir).match(/http\S+\/sign-in\/link\?token=\S+/)?.[0] ?? '';
  const cookies = await signIn(browser, link);
  for (const look of Object.keys(looks)) await take(browser, server.address, cookies, emptyShots, look);
  const shots = await shotsOf(server.address, cookies);
  for (const part of [shots, ...goingOn.map((shot) => [shot])])
    for (const look of Object.keys(looks)) await take(browser, server.address, cookies, part, look);
} finally {
  await browser.close();
  await server.stop();
  await model.close();
  rmSync(dataDir, { recursive: true });
}
