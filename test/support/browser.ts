import { execFileSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchBrowser } from './chromium.ts';
import type { TestSteno } from './steno.ts';

const root = join(import.meta.dirname, '../..');
const desktop = { width: 1440, height: 900 };

/** A real browser for the tests of one file. */
export function useBrowser(): { get(): Browser } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    buildConsole();
    browser = await launchBrowser();
  });
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
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content.Security.Policy|violates/i.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) complaints.push(`asked ${url.origin}`);
  });
  if (user) await page.goto(origin + (await steno.sessions.createSignInLink(user.id)).path);
  if (!user || path !== '/') await page.goto(origin + path);
  return { page, origin, complaints, close: () => context.close() };
}

async function listen({ app }: TestSteno): Promise<string> {
  const address = app.server.listening ? app.addresses()[0] : undefined;
  if (typeof address === 'object') return `http://127.0.0.1:${address.port}`;
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Builds the page when a source is newer than it, so that no test looks at yesterday's. */
function buildConsole(): void {
  const built = join(root, 'web/dist/index.html');
  const builtAt = existsSync(built) ? statSync(built).mtimeMs : 0;
  const sources = globSync(['web/src/**/*.*', 'web/public/*', 'web/*.{html,ts,json}'], { cwd: root });
  if (sources.every((source) => statSync(join(root, source)).mtimeMs <= builtAt)) return;
  execFileSync('npm', ['run', 'build', '--workspace', 'web'], { cwd: root, stdio: 'ignore' });
}
