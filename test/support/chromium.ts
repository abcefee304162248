import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import type { TestProject } from 'vitest/node';

const root = join(import.meta.dirname, '../..');

/** npm brings a Chromium for this system only. */
const isPackaged = process.platform === 'linux' && process.arch === 'x64';

// The first starts and opens pages four times as fast as the whole browser.
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const usualPlaces = [
  ...(process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The one that `STENO_TEST_BROWSER` names, else that of npm, else one of this machine. */
const installed =
  process.env.STENO_TEST_BROWSER || (isPackaged ? undefined : usualPlaces.find((place) => existsSync(place)));

export const hasBrowser = isPackaged || installed !== undefined;

declare module 'vitest' {
  interface ProvidedContext {
    browserUrl: string;
  }
}

/** Vitest's global set-up: one browser for the whole run, or a line that says why some suites are skipped. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!hasBrowser) {
    console.warn(
      'No browser was found, so the tests of the console are skipped. Install Chromium, or name one in STENO_TEST_BROWSER.',
    );
    return async () => {};
  }
  const server = await launch((options) => chromium.launchServer(options));
  project.provide('browserUrl', server.wsEndpoint());
  return () => server.close();
}

/**
 * A whole Chromium shows its own pages beside each page of a test (an address bar's list, a page in reserve): without them
 * the console opens in half the processor time. A second list replaces Playwright's, so its names are repeated.
 */
const withoutFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
  ...[
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'LensOverlay',
  ],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  'PreconnectToSearch',
];

/** `microphone`: a WAV file that the microphone hears again and again; without it, the browser's own beeper. */
export const launchBrowser = ({ microphone }: { microphone?: string } = {}): Promise<Browser> =>
  launch((options) => chromium.launch(options), microphone);

async function launch<Launched>(
  start: (options: LaunchOptions) => Promise<Launched>,
  microphone?: string,
): Promise<Launched> {
  const { executablePath, libraries } = installed
    ? { executablePath: installed, libraries: '' }
    : await unpack();
  const options = {
    executablePath,
    // Root has no sandbox, and containers little shared memory.
    args: [
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--font-render-hinting=none',
      `--disable-features=${withoutFeatures.join(',')}`,
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      ...(microphone ? [`--use-file-for-fake-audio-capture=${microphone}`] : []),
    ],
  };
  try {
    return await start(options);
  } catch (cause) {
    // A bare container lacks NSS; the package brings a copy for such places.
    if (!String(cause).includes('shared libraries')) throw cause;
    return start({ ...options, env: { ...process.env, LD_LIBRARY_PATH: libraries } });
  }
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
