import { rmSync } from 'node:fs';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchBrowser } from '../../test/support/chromium.ts';
import { firstSignIn, newFolder, startServer } from '../../test/support/process.ts';

// `npm run bench:console`: when somebody sees their list of notes on a slow line, and when they can type into the search.
// The line is "slow 3G" as Lighthouse has it: 400 kbit/s each way, 400 ms until an answer begins.
const line = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const noteCount = 60;

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

async function signIn(browser: Browser, link: string): Promise<Cookies> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname !== '/api/auth/sign-in/link');
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function write(address: string, cookies: Cookies): Promise<void> {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const headers = { cookie, origin: address, 'content-type': 'application/json' };
  for (let at = 0; at < noteCount; at++) {
    const body = JSON.stringify({
      title: `Note ${at}`,
      content: `${at} words of a note, as long as most. `.repeat(20),
    });
    const answer = await fetch(`${address}/api/v1/notes/create`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  }
}

/** Runs in the page: notes when the list and the search field are first there. */
const watch = {
  content: `
    window.seen = {};
    const look = () => {
      if (!seen.list && document.querySelector('a[href^="/notes/"] time')) seen.list = performance.now();
      if (document.querySelector('input[type=search]')) seen.search = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);`,
};

/** Milliseconds from the start of the navigation, and the bytes that came over the line. */
async function visit(context: BrowserContext, address: string) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let bytes = 0;
  session.on('Network.dataReceived', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', line);
  await page.addInitScript(watch);
  await page.goto(`${address}/notes`, { waitUntil: 'commit' });
  await page.locator('input[type=search]').waitFor({ timeout: 60_000 });
  const seen = await page.evaluate<{ list: number; search: number }>('seen');
  await page.close();
  return { list: seen.list, search: seen.search, bytes };
}

const dataDir = newFolder();
const server = await startServer({ dataDir, settings: { STENO_ENGINE: 'fake' } });
const browser = await launchBrowser();
try {
  const link = firstSignIn(dataDir).match(/http\S+\/sign-in\/link\?token=\S+/)?.[0] ?? '';
  const cookies = await signIn(browser, link);
  await write(server.address, cookies);
  const context = await browser.newContext();
  await context.addCookies(cookies);
  for (const name of ['first visit', 'second visit']) {
    const { list, search, bytes } = await visit(context, server.address);
    console.log(
      `${name}: list after ${(list / 1000).toFixed(2)} s, search field after ${(search / 1000).toFixed(2)} s, ${Math.round(bytes / 1000)} kB received`,
    );
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(dataDir, { recursive: true });
}
