import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { hasBrowser, launchBrowser } from './chromium.ts';
import { watchNetwork } from './quiet.ts';
import type { TestSteno } from './steno.ts';

const desktop = { width: 1440, height: 900 };

/** A small screen that is touched, so that what CSS does for fingers is there too. */
export const onPhone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/**
 * What holds on every screen: `test.each(sizes)('…, on %s', async (_size, screen) => …)`. `npm test` shows it on a desktop,
 * the slow suite on a phone. A test of a phone's own layout uses `onPhone` and is in both.
 */
export const sizes: [name: 'a desktop' | 'a phone', options: BrowserContextOptions][] = [
  ...(process.env.STENO_TEST_SCREEN === 'phone' ? [] : ([['a desktop', {}]] as const)),
  ...(process.env.STENO_TEST_SCREEN ? ([['a phone', onPhone]] as const) : []),
].map(([name, options]) => [name, options]);

/** A suite that is skipped where there is no browser; chromium.ts says so. */
export const describeInBrowser = describe.runIf(hasBrowser);

/** The browser of the run for the tests of one file; with a microphone, one of its own. */
export function useBrowser(options: { microphone?: string } = {}): { get(): Browser } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = options.microphone
      ? await launchBrowser(options)
      : await chromium.connect(inject('browserUrl'), { timeout: 60_000 });
  });
  // Closes the pages of this file; the browser of the run goes on.
  afterAll(() => browser?.close());
  return {
    get() {
      if (!browser) throw new Error('The browser starts in beforeAll; use it inside a test.');
      return browser;
    },
  };
}

interface OpenOptions extends BrowserContextOptions {
  /** Signs this person in first. */
  user?: { id: string };
  path?: string;
}

export interface OpenedConsole {
  page: Page;
  /** `http://127.0.0.1:…` */
  origin: string;
  /** What the page complained about: uncaught errors, refused by the policy, requests to other hosts. */
  complaints: string[];
  close(): Promise<void>;
}

/** The console in a fresh browser profile, on the server under test. */
export async function openConsole(
  browser: Browser,
  steno: TestSteno,
  { user, path = '/', ...options }: OpenOptions = {},
): Promise<OpenedConsole> {
  const origin = await listen(steno);
  const context = await browser.newContext({
    viewport: desktop,
    locale: 'en-GB',
    timezoneId: 'UTC',
    // A test that gives answers of its own needs every request to be the page's.
    serviceWorkers: 'block',
    ...options,
  });
  // The default of 30 seconds was too short for a page on a machine with ten times more to do than it has cores.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  watchNetwork(page);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content.Security.Policy|violates/i.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) complaints.push(`asked ${url.origin}`);
  });
  if (user) await signIn(context, origin, steno, user);
  await page.goto(origin + path);
  return { page, origin, complaints, close: () => context.close() };
}

export interface NewNote {
  title?: string;
  content: string;
}

/** Someone with these notes, signed in, and the key to look at the server's side. `{0}` in the path is the first note's id. */
export async function openConsoleWithNotes(
  browser: Browser,
  steno: TestSteno,
  notes: readonly NewNote[],
  path: string,
) {
  const { user, key } = await steno.person();
  const ids: string[] = [];
  for (const body of notes) ids.push((await steno.call('POST', '/notes/create', { key, body })).body.data.id);
  const console = await openConsole(browser, steno, { user, path: path.replace('{0}', ids[0] ?? '') });
  const stored = async () => (await steno.call('GET', '/notes/list', { key })).body.data;
  return { ...console, user, key, ids, stored };
}

/** What `signInByLink` does, without showing a page: that would take longer than many a test. */
async function signIn({ request }: BrowserContext, origin: string, steno: TestSteno, user: { id: string }) {
  const link = origin + (await steno.sessions.createSignInLink(user.id)).path;
  await request.get(link);
  await request.post(link, { headers: { origin }, maxRedirects: 0 });
}

/** The first paint has no script. When React takes its place, what had the focus is gone. */
export const whenStarted = (page: Page) => page.locator('.skip-link').waitFor({ state: 'attached' });

/** Nothing covers it, and no box cuts it off. */
export const isInSight = (place: Locator) =>
  place.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const root = element.getRootNode() as typeof element.ownerDocument;
    return element.contains(root.elementFromPoint(x + width / 2, y + height / 2));
  });

/** Something is wider than the screen, or than the box that scrolls or hides it. */
export const sticksOut = (page: Page) =>
  page.evaluate(`[document.documentElement, ...document.querySelectorAll('main, dialog, [role=dialog], [data-index]')]
    .some((box) => box.scrollWidth > box.clientWidth)`);

/** Opens a link that the operator would print, and presses its button. */
export async function signInByLink(page: Page, origin: string, steno: TestSteno, user: { id: string }) {
  const { path } = await steno.sessions.createSignInLink(user.id);
  await page.goto(origin + path);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname !== '/api/auth/sign-in/link');
}

async function listen({ app }: TestSteno): Promise<string> {
  const address = app.server.listening ? app.addresses()[0] : undefined;
  if (typeof address === 'object') return `http://127.0.0.1:${address.port}`;
  return app.listen({ host: '127.0.0.1', port: 0 });
}
