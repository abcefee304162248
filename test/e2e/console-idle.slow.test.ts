import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainPlaces, operatorPlaces, settingsPlaces } from '../../web/src/app/places.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/** More than any screen needs to show itself, and less than two parts send that make each other ask again. */
const maxRequests = 12;
const watchedMs = 10_000;
const silenceMs = 1_500;

/** The sample note is older than all of these; a list has 50 on a page. */
const newerNotes = [0, 49, 60, 1_000];

describeInBrowser('a screen that nobody touches', () => {
  const browser = useBrowser();
  let model: Awaited<ReturnType<typeof startFakeModel>>;
  let steno: TestSteno;
  beforeAll(async () => {
    model = await startFakeModel();
    const language = { url: model.url, key: '', model: '', window: 0 };
    steno = await startSteno({ config: { firstSteps: true, language } });
  });
  afterAll(async () => {
    await steno.close();
    await model.close();
  });

  test.each(newerNotes)(
    'asks for what it shows and falls silent, with %i notes made after the first visit',
    async (count) => {
      const { user, key } = await steno.person();
      await steno.users.setOperator(user.id, true);
      const { page: first, origin, close } = await openConsole(browser.get(), steno, { user });
      await first.getByRole('region', { name: 'First steps' }).waitFor();
      const ids = await idsOf(key);
      for (let from = 0; from < count; from += 100)
        await steno.call('POST', '/notes/create-many', { key, body: { notes: numbered(from, count) } });
      ids.push(...(await idsOf(key)));
      const { id } = await steno.workspaces.create({ userId: user.id }, { name: 'Orange', plan: 'business' });
      await first.close();

      const watched: Awaited<ReturnType<typeof watch>>[] = [];
      for (const path of pathsOf(new Set(ids.slice(0, 2)), id))
        watched.push(await watch(first.context(), origin, path));
      await new Promise((resolve) => setTimeout(resolve, watchedMs));
      expect(watched.filter(({ asked }) => asked.length > maxRequests)).toEqual([]);
      await expect
        .poll(async () => {
          for (const { asked } of watched) asked.length = 0;
          await new Promise((resolve) => setTimeout(resolve, silenceMs));
          return watched.filter(({ asked }) => asked.length > 0);
        })
        .toEqual([]);
      await close();
    },
  );

  const idsOf = async (key: string): Promise<string[]> =>
    (await steno.call('GET', '/notes/list', { key })).body.data.map(({ id }: { id: string }) => id);
});

const numbered = (from: number, count: number) =>
  Array.from({ length: Math.min(100, count - from) }, (_, at) => ({
    title: `Note ${from + at}`,
    content: 'Mine',
  }));

/** Every place of the navigation, and what is opened from it; of the notes the first and the last of the list. */
const pathsOf = (noteIds: ReadonlySet<string>, workspaceId: string): string[] => [
  ...Object.values({ ...mainPlaces, ...settingsPlaces, ...operatorPlaces }).map(({ href }) => href),
  ...[...noteIds].map((id) => `/notes/${id}`),
  '/notes/new',
  '/notes?q=mine',
  '/notes?trash=1',
  ...['members', 'spaces', 'keys', 'policy', 'audit'].map((tab) => `/workspaces/${workspaceId}?tab=${tab}`),
];

/** Opens it in a tab of its own, and notes what it asks the server for, but for streams and for whether the server is there. */
async function watch(context: BrowserContext, origin: string, path: string) {
  const asked: string[] = [];
  const page = await context.newPage();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!['fetch', 'xhr'].includes(request.resourceType()) || /\/events$|^\/healthz$/.test(pathname)) return;
    asked.push(`${request.method()} ${request.url().slice(origin.length)}`);
  });
  await page.goto(origin + path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  return { path, asked };
}
