import { execFileSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { TestSteno } from './steno.ts';

const root = join(import.meta.dirname, '../..');
const desktop = { width: 1440, height: 900 };

/** A real browser for the tests of one file. `STENO_TEST_BROWSER` names another one than the npm package's (Linux). */
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

export async function launchBrowser(): Promise<Browser> {
  const given = process.env.STENO_TEST_BROWSER;
  const { executablePath, libraries } = given ? { executablePath: given, libraries: '' } : await unpack();
  const options = {
    executablePath,
    // Root has no sandbox, and containers little shared memory. The microphone is the browser's own beeper.
    args: [
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--font-render-hinting=none',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
    ],
  };
  try {
    return await chromium.launch(options);
  } catch (cause) {
    // A bare container lacks NSS; the package brings a copy for such places.
    if (!String(cause).includes('shared libraries')) throw cause;
    return chromium.launch({ ...options, env: { ...process.env, LD_LIBRARY_PATH: libraries } });
  }
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
  // Vitest says NODE_ENV=test, for which React comes with its development tools.
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync('npm', ['run', 'build', '--workspace', 'web'], { cwd: root, env, stdio: 'ignore' });
}

/** Unpacked once into a folder of its version; the package itself would share one name in /tmp with everybody. */
async function unpack(): Promise<{ executablePath: string; libraries: string }> {
  const packageDir = join(root, 'node_modules/@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'));
  const home = join(root, 'node_modules/.cache', `chromium-${version}`);
  if (!existsSync(home)) {
    const { inflate } = await import('@sparticuz/chromium');
    mkdirSync(dirname(home), { recursive: true });
    const work = mkdtempSync(`${home}-`);
    const { TMPDIR } = process.env;
    process.env.TMPDIR = work;
    try {
      const archives = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'];
      await Promise.all(archives.map((name) => inflate(join(packageDir, 'bin', name))));
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
    try {
      renameSync(work, home);
    } catch {
      // Another process was faster.
      rmSync(work, { recursive: true });
    }
  }
  return { executablePath: join(home, 'chromium'), libraries: join(home, 'al2023/lib') };
}
