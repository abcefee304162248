import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../test/support/chromium.ts';
import { newFolder, startServer } from '../test/support/process.ts';
import { recording, seed } from './screenshots-seed.ts';

// `npm run screenshots`: every screen, light and dark, wide and on a phone. `--out folder` says where to, `--only keys-phone`
// takes those with that text in their name, `--readme` also writes the pictures of the README.
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'screenshots' },
    only: { type: 'string', default: '' },
    readme: { type: 'boolean', default: false },
  },
});
const out = resolve(values.out);
const isWanted = (name: string) => name.includes(values.only);
const readmeImages = join(import.meta.dirname, '../docs/images');

const wide = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const looks: Record<string, BrowserContextOptions> = {
  light: { ...wide, colorScheme: 'light' },
  dark: { ...wide, colorScheme: 'dark' },
  phone: { ...phone, colorScheme: 'light' },
  'phone-dark': { ...phone, colorScheme: 'dark' },
};
const inReadme = new Set(['note-light', 'transcript-dark', 'notes-phone']);

interface Shot {
  name: string;
  path: string;
  prepare?(page: Page): Promise<void>;
}

async function shotsOf(address: string, cookies: Cookies): Promise<Shot[]> {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const { noteId, transcriptionId, workspaceId } = await seed({ address, cookie });
  return [
    { name: 'notes', path: '/notes' },
    { name: 'note', path: `/notes/${noteId}` },
    { name: 'note-writing', path: `/notes/${noteId}`, prepare: (page) => press(page, 'Write') },
    { name: 'search', path: `/notes/${noteId}?q=garden%20wat` },
    { name: 'nothing-found', path: '/notes?q=zeppelin' },
    { name: 'new-folder', path: '/notes', prepare: (page) => press(page, 'New folder') },
    { name: 'transcribe', path: '/transcribe' },
    { name: 'transcript', path: '/transcribe', prepare: transcribe },
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
    // The last, because it goes on until the browser is closed.
    { name: 'recording', path: `/notes/${noteId}`, prepare: speak },
  ];
}

const press = (page: Page, name: string) =>
  page.getByRole('button', { name }).filter({ visible: true }).first().click();

/** Chooses a file, and opens the note that the engine makes of it. */
async function transcribe(page: Page) {
  await page.locator('input[type=file]').setInputFiles(recording);
  await page.getByText('1 recording is ready').click({ timeout: 120_000 });
  await page.getByRole('link', { name: 'Open note' }).click();
  await page.getByRole('button', { name: 'Play' }).first().waitFor();
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
    ...looks[look],
  });
  const page = await context.newPage();
  const save = async (name: string) => {
    const file = `${name}-${look}.png`;
    await page.screenshot({ path: join(out, file) });
    if (values.readme && inReadme.has(`${name}-${look}`))
      await page.screenshot({ path: join(readmeImages, file) });
  };
  if (isWanted(`sign-in-${look}`)) {
    await page.goto(`${address}/sign-in`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await save('sign-in');
  }
  await context.addCookies(cookies);
  for (const { name, path, prepare } of shots) {
    if (!isWanted(`${name}-${look}`)) continue;
    await page.goto(address + path);
    await page.waitForLoadState('networkidle');
    await prepare?.(page);
    await save(name);
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
const server = await startServer({ dataDir, settings: { STENO_ENGINE: 'embedded' } });
const browser = await launchBrowser({
  microphone: join(import.meta.dirname, '../test/fixtures/audio/jfk.wav'),
});
try {
  const link = server.output().match(/http\S+\/sign-in\/link\?token=\S+/)?.[0] ?? '';
  const cookies = await signIn(browser, link);
  const shots = await shotsOf(server.address, cookies);
  for (const look of Object.keys(looks)) await take(browser, server.address, cookies, shots, look);
} finally {
  await browser.close();
  await server.stop();
  rmSync(dataDir, { recursive: true });
}
