import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainPlaces, operatorPlaces, settingsPlaces } from '../../web/src/app/places.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const screens = Object.values({ ...mainPlaces, ...settingsPlaces, ...operatorPlaces }).map(
  ({ href }) => href,
);
/** Every screen at once would make a small machine too slow to show anything within ten seconds. */
const atOnce = 4;
const watchedMs = 10_000;
const silentMs = 3_000;
const maxRequests = 12;
const notesPerCall = 100;

/** Two parts of a screen once made each other ask for ever, as soon as there were more notes than one page of them. */
describeInBrowser('a screen that is only looked at', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  let model: Awaited<ReturnType<typeof startFakeModel>>;
  beforeAll(async () => {
    model = await startFakeModel();
    const language = { url: model.url, key: '', model: '', window: 0 };
    steno = await startSteno({ config: { firstSteps: true, language } });
  });
  afterAll(async () => {
    await steno.close();
    await model.close();
  });

  test.each([0, 49, 60, 1_000])(
    'asks the server at most 12 times in ten seconds and then no more, with %s notes since the first visit',
    async (count) => {
      const { user, key } = await steno.person();
      await steno.users.setOperator(user.id, true);
      const { token } = await steno.signIn(user);
      await steno.call('POST', '/api/account/first-steps', { key: token });
      const notes = Array.from({ length: count }, (_, at) => ({ title: `Note ${at}`, content: 'Mine' }));
      for (let from = 0; from < count; from += notesPerCall)
        await steno.call('POST', '/notes/create-many', {
          key,
          body: { notes: notes.slice(from, from + notesPerCall) },
        });
      const left = [...screens];
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (let path = left.shift(); path !== undefined; path = left.shift()) {
            const { page, close } = await openConsole(browser.get(), steno, { user, path: '/healthz' });
            const asked = requestsOf(page);
            await page.goto(new URL(path, page.url()).href);
            await page.waitForTimeout(watchedMs);
            expect(asked.length, `${path}: ${asked.join(', ')}`).toBeLessThanOrEqual(maxRequests);
            const soFar = asked.length;
            await page.waitForTimeout(silentMs);
            expect(asked.slice(soFar), path).toEqual([]);
            await close();
          }
        }),
      );
    },
  );
});

/** Asked for every ten seconds on purpose, and a stream of events stays open. */
const isRegular = (path: string) => path === '/api/operator/status' || path.endsWith('/events');

/** The page's calls of the API. */
function requestsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/') && !isRegular(pathname)) asked.push(`${request.method()} ${pathname}`);
  });
  return asked;
}
