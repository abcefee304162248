import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, sizes, useBrowser } from '../support/browser.ts';
import { frontDoor } from '../support/front-door.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const secret = 'the crane arrives in March';

/** One browser goes through all of it, as one person does. */
describeInBrowser('the console without its server', () => {
  const browser = useBrowser();
  const speech = createFakeSpeech();
  let steno: TestSteno;
  let door: Awaited<ReturnType<typeof frontDoor>>;
  let context: BrowserContext | undefined;
  let page: Page;
  let key: string;
  let session: { name: string; value: string; url: string };

  beforeAll(async () => {
    steno = await startSteno({ speech });
    door = await frontDoor(Number(new URL(await steno.app.listen({ host: '127.0.0.1', port: 0 })).port));
    const person = await steno.person();
    key = person.key;
    for (const [title, content] of [
      ['Garden', 'beans'],
      ['Harbour', secret],
    ])
      await steno.call('POST', '/notes/create', { key, body: { title, content } });
    const { cookie } = await steno.signIn(person.user);
    const [name = '', value = ''] = cookie.split(/[=;]/);
    session = { name, value, url: door.origin };
  });
  afterAll(async () => {
    await context?.close();
    await door.close();
    await steno.close();
  });

  const shells = () =>
    page.evaluate<string[]>(
      `caches.keys().then((all) => all.filter((name) => name.startsWith('steno-shell-')))`,
    );
  const count = (name: string) =>
    page.evaluate<number>(`new Promise((resolve) => {
      const opening = indexedDB.open('${name}');
      opening.onsuccess = () => {
        const all = opening.result.transaction('kept').objectStore('kept').count();
        all.onsuccess = () => resolve(all.result);
      };
    })`);
  const settled = () => page.evaluate('navigator.serviceWorker.ready.then(() => {})');
  const stored = async () =>
    (await steno.call('GET', '/notes/list', { key })).body.data.map(({ title }: { title: string }) => title);

  // The desktop last: the tests below go on with it.
  test.each(sizes.toReversed())(
    'shows the notes it showed last, and sends what was written when the server is back, on %s',
    async (size, screen) => {
      const isPhone = size === 'a phone';
      const before = await stored();
      await context?.close();
      context = await browser.get().newContext({ locale: 'en-GB', ...screen });
      await context.addCookies([session]);
      page = await context.newPage();
      const go = (name: string) =>
        page.getByRole('link', { name, exact: true }).filter({ visible: true }).first().click();
      await page.goto(`${door.origin}/notes`);
      await page.getByRole('link', { name: /Harbour/ }).click();
      await page.getByRole('article').getByText(secret).waitFor();
      await settled();
      // Who it is, the list, the note, the folders and the workspaces.
      await expect.poll(() => count('steno-shown')).toBeGreaterThanOrEqual(5);

      await door.close();
      await page.goto(`${door.origin}/notes`);
      await page.getByText('Can’t reach the server. Anything you write').waitFor();
      await page.getByRole('link', { name: /Garden/ }).click();
      await page.getByRole('article').getByText('beans').waitFor();
      if (isPhone) await go('All notes');
      await page.getByRole('button', { name: 'New note' }).filter({ visible: true }).first().click();
      await page.getByLabel('Title').fill(`Boat and ${size}`);
      await page.getByText(/^Not saved: /).waitFor();
      await page.goto(`${door.origin}/notes`);
      await page.getByRole('link', { name: /Boat.*Not saved yet/ }).waitFor();
      if (isPhone) await page.getByRole('button', { name: 'More' }).click();
      else await go('Settings');
      await go('Usage');
      await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
      await go('Notes');

      await door.open();
      await expect.poll(stored).toEqual([`Boat and ${size}`, ...before]);
      await expect.poll(() => page.getByText('Anything you write or record').count()).toBe(0);
    },
  );

  test('takes a new version at the next load, and keeps that one', async () => {
    const before = await shells();
    expect(before).toHaveLength(1);
    door.change((body, path) =>
      path === '/sw.js'
        ? body.replace(/id:`\w+`/, 'id:`newer`')
        : body.replace('<head>', '<head><meta name="build" content="newer">'),
    );
    const newer = () => page.locator('meta[name=build]').count();
    await page.reload();
    expect(await newer()).toBe(1);
    await page.getByRole('link', { name: /Harbour/ }).waitFor();
    // The files of the version before stay, for tabs that are still open.
    await expect.poll(shells).toEqual([...before, 'steno-shell-newer']);
    await expect
      .poll(() =>
        page.evaluate(`navigator.serviceWorker.getRegistration()
          .then(({ installing, waiting, active }) => [installing, waiting, active.state])`),
      )
      .toEqual([null, null, 'activated']);
    await door.close();
    await page.reload();
    await page.getByRole('link', { name: /Harbour/ }).waitFor();
    expect(await newer()).toBe(1);
  });

  test('does not stand between the server and signing in, the API and its reference', async () => {
    for (const path of ['/sign-in', '/docs', '/api/auth/sign-in/link?token=x']) {
      const other = await page.context().newPage();
      await expect(other.goto(door.origin + path)).rejects.toThrow(/ERR_CONNECTION_REFUSED/);
      await other.close();
    }
    await door.open();
  });

  test('takes a recording that another app shares, and sends it when the person says so', async () => {
    speech.say('Good morning.');
    const share = async (name: string) => {
      await page.goto(`${door.origin}/notes`);
      await page.getByRole('link', { name: /Harbour/ }).waitFor();
      const sound = recording({ ms: 1_000 }).toString('base64');
      await page.evaluate(`{
        const bytes = Uint8Array.from(atob('${sound}'), (letter) => letter.charCodeAt(0));
        const files = new DataTransfer();
        files.items.add(new File([bytes], '${name}', { type: 'audio/wav' }));
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', action: '/share', enctype: 'multipart/form-data' });
        const input = Object.assign(document.createElement('input'), { type: 'file', name: 'audio' });
        input.files = files.files;
        form.append(input);
        document.body.append(form);
        form.submit();
      }`);
      const dialog = page.getByRole('dialog', { name: 'Transcribe this recording?' });
      await dialog.getByText(name).waitFor();
      return dialog;
    };
    const first = await share('Not this.wav');
    await first.getByRole('button', { name: 'Don’t transcribe' }).click();
    const second = await share('Mémo vocal.wav');
    expect(await second.getByText('Not this').count()).toBe(0);
    const recordings = async () =>
      (await steno.call('GET', '/recordings', { key })).body.data.map(
        ({ state }: { state: string }) => state,
      );
    expect(await recordings()).toEqual([]);
    await second.getByRole('button', { name: 'Transcribe', exact: true }).click();
    await expect.poll(recordings).toEqual(['done']);
    // From now on the browser keeps nothing of it either.
    await page.getByText('1 recording is ready').waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await page.evaluate(`caches.has('steno-shared')`)).toBe(false);
  });

  test('leaves nothing of a person behind when they sign out', async () => {
    await page.goto(`${door.origin}/account`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => count('steno')).toBe(0);
    await expect.poll(() => count('steno-shown')).toBe(0);
    const cached = await page.evaluate<[string, boolean][]>(`(async () => {
      const found = [];
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          const text = await (await cache.match(request)).text();
          found.push([new URL(request.url).pathname, text.includes('${secret}')]);
        }
      }
      return found;
    })()`);
    expect(cached).toContainEqual(['/', false]);
    for (const [path, tells] of cached)
      expect([path, tells]).toEqual([expect.stringMatching(/^\/($|icon|assets\/)/), false]);

    await door.close();
    await page.goto(`${door.origin}/notes`);
    await page.getByText('Can’t reach the server').first().waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
  });
});
