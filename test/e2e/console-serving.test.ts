import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../src/lib/version.ts';
import { mainPlaces, operatorPlaces, settingsPlaces } from '../../web/src/app/places.ts';
import { describeInBrowser, openConsole, signInByLink, useBrowser } from '../support/browser.ts';
import { networkQuiet } from '../support/quiet.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const built = join(import.meta.dirname, '../../web/dist');
const assets = join(built, 'assets');
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** What each file of the build needs, by its source. */
const manifest: Record<string, { file: string; imports?: string[] }> = JSON.parse(
  readFileSync(join(built, '.vite/manifest.json'), 'utf8'),
);
/** Everything that a browser asks for when somebody opens their notes; the rest is loaded when it is wanted. */
const firstLoad = ['src/app/start.tsx', 'src/screens/notes/index.tsx', 'src/screens/notes/folder-nav.tsx'];

describe('serving the console', () => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());
  const get = (url: string, headers: Record<string, string> = html) => steno.app.inject({ url, headers });

  test('/ and every address of the console are the page, under a policy without inline script or other hosts', async () => {
    const pages: [url: string, status: number][] = [
      ['/', 200],
      ['/notes', 200],
      ['/notes/01890000-0000-7000-8000-000000000000?q=x', 200],
      ...Object.values({ ...mainPlaces, ...settingsPlaces, ...operatorPlaces }).map(
        ({ href }): [string, number] => [href, 200],
      ),
      ['/sign-in', 200],
      ['/operator', 404],
      ['/nowhere', 404],
      ['/notesx', 404],
      ['/robots.txt', 404],
    ];
    for (const [url, status] of pages) {
      const { statusCode, headers, body } = await get(url);
      expect([url, statusCode, headers['content-type']]).toEqual([url, status, 'text/html; charset=utf-8']);
      expect(body).toContain('<div id="root">');
      expect(body).not.toMatch(/<script(?![^>]*\s(src=|type="application\/json"))|<style|\son\w+=/);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers['cache-control']).toBe('no-cache');
    }
  });

  test('what is not the console is never the page, whatever the caller accepts', async () => {
    for (const url of [
      '/api/v1/nothing',
      '/api/nothing',
      '/api',
      '/mcp/x',
      '/docs/x',
      '/metrics/x',
      '/assets/x.js',
    ]) {
      const { statusCode, headers } = await get(url);
      expect([url, statusCode]).toEqual([url, 404]);
      expect(headers['content-type']).toContain('application/json');
    }
    expect((await get('/nowhere', { accept: '*/*' })).statusCode).toBe(404);
    const posted = await steno.app.inject({ method: 'POST', url: '/nowhere', headers: html });
    expect(posted.statusCode).toBe(404);
  });

  test('files with a hash in their name are kept for good, compressed, and nothing outside the folder is reachable', async () => {
    const script = readdirSync(assets).find((name) => /^first-.*\.js$/.test(name));
    const { statusCode, headers } = await get(`/assets/${script}`, { 'accept-encoding': 'gzip, br' });
    expect(statusCode).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-encoding']).toBe('br');
    expect(headers['content-type']).toContain('javascript');
    for (const path of ['..%2f..%2fpackage.json', '%2e%2e/index.html', '../../package.json'])
      expect((await get(`/assets/${path}`, {})).statusCode).toBeGreaterThanOrEqual(400);
  });

  test('a browser can install it: the page names a manifest, whose icons and addresses are there', async () => {
    expect((await get('/')).body).toContain('rel="manifest" href="/manifest.webmanifest"');
    const { headers, body } = await get('/manifest.webmanifest', {});
    expect(headers['content-type']).toContain('manifest+json');
    const { icons, start_url, shortcuts, share_target } = JSON.parse(body);
    for (const { src, type } of icons)
      expect([src, (await get(src, {})).headers['content-type']]).toEqual([src, type]);
    const worker = await get('/sw.js', {});
    expect(worker.headers['content-type']).toContain('javascript');
    // A worker that is kept would keep its build.
    expect(worker.headers['cache-control']).toBe('no-cache');
    expect(share_target).toMatchObject({ action: '/share', method: 'POST' });
    for (const { url } of [{ url: start_url }, ...shortcuts]) expect((await get(url)).statusCode).toBe(200);
  });

  test('the page of somebody signed in brings their notes, and is not kept', async () => {
    const { user, key } = await steno.person();
    const content = '</script><script>alert(1)</script>';
    await steno.call('POST', '/notes/create', { key, body: { title: 'Mine', content } });
    const { cookie } = await steno.signIn(user);
    const signedIn = { ...html, cookie };
    const brought = async (url: string, headers: Record<string, string>) => {
      const { body, headers: answered } = await get(url, headers);
      const data = /id="first-answers">(.*?)<\/script>/.exec(body)?.[1] ?? '';
      return { answers: JSON.parse(data), cached: answered['cache-control'] };
    };

    const notes = await brought('/notes', signedIn);
    expect(notes.answers).toMatchObject([
      { url: '/api/v1/me', status: 200, body: { data: { user_id: user.id } } },
      {
        url: expect.stringMatching(/^\/api\/v1\/notes\/list\?/),
        status: 200,
        body: { data: [{ title: 'Mine', content }] },
      },
      { url: '/api/v1/folders/list', status: 200, body: { data: [] } },
    ]);
    expect(notes.cached).toBe('private, no-store');
    expect((await brought('/usage', signedIn)).answers).toHaveLength(1);
    const wrong = { ...html, cookie: cookie.slice(0, -3) };
    expect((await brought('/notes', wrong)).answers).toMatchObject([{ url: '/api/v1/me', status: 401 }]);
    expect((await brought('/notes', html)).answers).toContain('/api/v1/folders/list');

    await steno.call('POST', '/notes/create', { key, body: { content: 'long '.repeat(20_000) } });
    expect((await brought('/notes', signedIn)).answers).toHaveLength(2);
  });

  test('opening the notes loads at most 160 kB of gzipped JavaScript', () => {
    const needed = new Set<string>();
    const add = (name: string) => {
      if (needed.has(name)) return;
      needed.add(name);
      for (const other of manifest[name]?.imports ?? []) add(other);
    };
    for (const source of firstLoad) {
      expect(Object.keys(manifest)).toContain(source);
      add(source);
    }
    const bytes = [...needed].map(
      (name) => gzipSync(readFileSync(join(built, manifest[name]?.file ?? ''))).length,
    );
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(160_000);
  });

  describeInBrowser('to a browser', () => {
    const browser = useBrowser();

    test('everything comes from this server, and the policy has nothing to complain about; it says its version', async () => {
      const { user } = await steno.person();
      const opened = await openConsole(browser.get(), steno);
      await signInByLink(opened.page, opened.origin, steno, user);
      await opened.page.getByRole('heading', { name: 'All notes' }).waitFor();
      await opened.page.getByText(`Version ${version}`).first().waitFor({ state: 'attached' });
      await networkQuiet(opened.page);
      expect(opened.complaints).toEqual([]);
      await opened.close();
    });

    test('/docs shows the API, without another host', { tags: 'slow' }, async () => {
      const { page, complaints, close } = await openConsole(browser.get(), steno, { path: '/docs' });
      await page.getByRole('heading', { name: 'Steno', level: 1 }).waitFor();
      await page
        .getByRole('link', { name: 'Dictionary' })
        .or(page.getByRole('button', { name: 'Dictionary' }))
        .first()
        .waitFor();
      await page.locator('body.light-mode').waitFor();
      await page.getByRole('heading', { name: 'The API: a guide' }).waitFor();
      expect(await page.getByText('You are signed in').isVisible()).toBe(false);
      expect(complaints).toEqual([]);
      await page.getByRole('link', { name: 'Back to Steno' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await close();
    });

    test('a request from /docs is that of the person who is signed in, also in the dark', {
      tags: 'slow',
    }, async () => {
      const { user } = await steno.person();
      const { page, complaints, close } = await openConsole(browser.get(), steno, {
        user,
        path: '/docs#tag/me/GET/api/v1/me',
        colorScheme: 'dark',
      });
      await page.getByText('You are signed in').waitFor();
      await page
        .getByRole('button', { name: /Test Request/ })
        .first()
        .click();
      await page.getByRole('button', { name: /Send/ }).first().click();
      await page.getByText('200 OK').waitFor();
      await page.locator('body.dark-mode').waitFor();
      await page.getByText(user.id).first().waitFor();
      expect(complaints).toEqual([]);
      await close();
    });
  });
});
