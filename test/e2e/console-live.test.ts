import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { frontDoor } from '../support/front-door.ts';
import { networkQuiet } from '../support/quiet.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/** Once the stream runs. What changes before that is read once, when it begins. */
const isLive = (page: Page) => page.locator('html[data-live]').waitFor({ state: 'attached' });

describeInBrowser('the console while others write', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());
  const create = async (key: string, body: object) =>
    (await steno.call('POST', '/notes/create', { key, body })).body.data;
  const change = (key: string, id: string, body: object) =>
    steno.call('PATCH', `/notes/${id}`, { key, body });

  test('an open note, the lists, the folders and the trash follow a program’s changes, and the caret stays', async () => {
    const { user, key } = await steno.person();
    const { id } = await create(key, { title: 'Plan', content: 'one\ntwo' });
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: `/notes/${id}`,
    });
    await isLive(page);
    // Once it hears of changes it reads the note again. A change that is in that answer is not told as someone's editing.
    await networkQuiet(page);
    await page.getByRole('button', { name: 'Write' }).click();
    const text = page.getByLabel('Note text');
    await text.click();
    await page.keyboard.press('ControlOrMeta+End');
    await change(key, id, { title: 'The plan', content: 'zero\none\ntwo' });
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('The plan');
    await page.getByRole('list', { name: 'List of notes' }).getByText('The plan').waitFor();
    await page.getByText('“test” is editing').waitFor();
    await page.keyboard.insertText(', three');
    const stored = async () => (await steno.call('GET', `/notes/${id}`, { key })).body.data.content;
    await expect.poll(stored).toBe('zero\none\ntwo, three');

    const made = await create(key, { title: 'Second', content: 'x' });
    await page.getByRole('link', { name: /Second/ }).waitFor();
    await steno.call('POST', '/folders/create', { key, body: { name: 'Harbour' } });
    await page.getByRole('link', { name: 'Harbour' }).first().waitFor();
    await page.getByRole('link', { name: 'Trash' }).first().click();
    await page.getByText('The trash is empty').waitFor();
    await steno.call('DELETE', `/notes/${made.id}`, { key });
    await page.getByRole('list', { name: 'Deleted notes' }).getByText('Second').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a note that is deleted while someone writes keeps its text on the screen, and becomes a new note', async () => {
    const { user, key } = await steno.person();
    const { id } = await create(key, { title: 'Plan', content: 'one' });
    const { page, close } = await openConsole(browser.get(), steno, { user, path: `/notes/${id}` });
    await isLive(page);
    await page.getByRole('button', { name: 'Write' }).click();
    await page.route('**/api/v1/notes/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await page.getByLabel('Note text').fill('one, two');
    const seen = page.waitForResponse((answer) => answer.url().endsWith(id) && answer.status() === 404);
    await steno.call('DELETE', `/notes/${id}`, { key });
    await seen;
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Save my text as a new note' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('one, two').last().waitFor();
    const { data } = (await steno.call('GET', '/notes/list', { key })).body;
    expect(data).toMatchObject([{ title: 'Plan', content: 'one, two' }]);
    await close();
  });

  test('a member of a space sees who edits a note, and who edited it last', { tags: 'slow' }, async () => {
    const team = await steno.team({ name: 'Harbour' });
    const member = async (name: string) => {
      const { user } = await steno.person({ name });
      await steno.members.add(operator, team.workspace.id, { user_id: user.id, role: 'member' });
      return user;
    };
    const [ada, eve] = [await member('Ada'), await member('Eve')];
    const { token } = await steno.signIn(eve);
    const { id } = await create(token, { title: 'Minutes', content: 'one', space_id: team.space.id });
    const path = `/notes/${id}?space=${team.space.id}`;
    const { page, close } = await openConsole(browser.get(), steno, { user: ada, path });
    await page.getByText('Edited by Eve').waitFor();
    await isLive(page);
    await networkQuiet(page);
    await change(token, id, { content: 'one, two', edit: { session: 'eve', seq: 1 } });
    await page.getByText('one, two').last().waitFor();
    await page.getByText('Eve is editing').waitFor();
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByLabel('Note text').fill('one, two, three');
    await page.getByText('Edited by you').waitFor();
    await page.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByText('Version history').click();
    await page
      .getByRole('option', { name: /^Until .*, from Eve( \(\d of \d\))?$/ })
      .first()
      .waitFor({ state: 'attached' });
    await close();
  });

  test('all tabs of a browser share one stream, and the next one takes it over', {
    tags: 'slow',
  }, async () => {
    const { user, key } = await steno.person();
    const { page, origin, close } = await openConsole(browser.get(), steno, { user, path: '/notes' });
    let streams = 0;
    page.context().on('request', (request) => {
      if (request.url().includes('/changes/events')) streams += 1;
    });
    await isLive(page);
    streams = 0;
    const second = await page.context().newPage();
    await second.goto(`${origin}/notes`);
    await isLive(second);
    expect(streams).toBe(0);
    await create(key, { title: 'For both', content: 'x' });
    for (const one of [page, second]) await one.getByRole('link', { name: /For both/ }).waitFor();
    await page.close();
    await expect.poll(() => streams).toBe(1);
    await create(key, { title: 'For the other', content: 'x' });
    await second.getByRole('link', { name: /For the other/ }).waitFor();
    await close();
  });

  test('a server that comes back is heard again, and what changed meanwhile is shown', {
    tags: 'slow',
  }, async () => {
    const { user, key } = await steno.person();
    const { cookie } = await steno.signIn(user);
    const door = await frontDoor(Number(new URL(await listening(steno)).port));
    const [name = '', value = ''] = cookie.split(/[=;]/);
    const context = await browser.get().newContext({ serviceWorkers: 'block' });
    context.setDefaultTimeout(60_000);
    await context.addCookies([{ name, value, url: door.origin }]);
    const page = await context.newPage();
    await page.goto(`${door.origin}/notes`);
    await isLive(page);
    await door.close();
    await page
      .getByRole('status')
      .filter({ hasText: /reconnects/ })
      .waitFor();
    await create(key, { title: 'Meanwhile', content: 'x' });
    await door.open();
    await page.getByRole('link', { name: /Meanwhile/ }).waitFor();
    await isLive(page);
    await context.setOffline(true);
    await page
      .getByRole('status')
      .filter({ hasText: /offline/i })
      .waitFor();
    await create(key, { title: 'Offline', content: 'x' });
    await context.setOffline(false);
    await page.getByRole('link', { name: /Offline/ }).waitFor();
    await context.close();
    await door.close();
  });

  test('a text that was not saved when its writer was signed out does not go to whoever signs in next', {
    tags: 'slow',
  }, async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    const { page, origin, close } = await openConsole(browser.get(), steno, {
      user: ada.user,
      path: '/notes/new',
    });
    await isLive(page);
    const creating = '**/api/v1/notes/create';
    await page.route(creating, (route) => route.abort());
    await page.getByLabel('Title').fill('Of Ada');
    await page.getByText(/^Not saved: /).waitFor();
    // In other tabs; all of them have one session.
    const { request } = page.context();
    await request.post(`${origin}/api/auth/sign-out`, { headers: { origin }, data: {} });
    // Her words are not saved, so the page stays, and asks her to sign in.
    await page.getByText(/^You’re signed out. Sign in to save/).waitFor();
    // The text is sent again before the page learns who is signed in now.
    const told = Promise.withResolvers<void>();
    await page.route('**/api/v1/me', (route) => told.promise.then(() => route.continue()).catch(() => {}));
    const link = origin + (await steno.sessions.createSignInLink(eve.user.id)).path;
    await request.get(link);
    await request.post(link, { headers: { origin }, maxRedirects: 0 });
    const tried = page.waitForResponse(creating);
    await page.unroute(creating);
    expect((await tried).status()).toBe(401);
    told.resolve();
    await page.getByText('No notes yet').waitFor();
    expect(await page.getByText('Of Ada').count()).toBe(0);
    expect((await steno.call('GET', '/notes/list', { key: eve.key })).body.data).toEqual([]);
    await close();
  });

  test('a tab notices that another one signed out, or somebody else in', { tags: 'slow' }, async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    await create(eve.key, { title: 'Of Eve', content: 'x' });
    const opened = await openConsole(browser.get(), steno, { user: ada.user, path: '/notes/new' });
    const { page, origin } = opened;
    await isLive(page);
    await page.getByLabel('Title').fill('Of Ada');
    const other = await page.context().newPage();
    const link = origin + (await steno.sessions.createSignInLink(eve.user.id)).path;
    await other.goto(link);
    await other.getByRole('button', { name: 'Sign in' }).click();
    for (const one of [other, page]) await one.getByRole('link', { name: /Of Eve/ }).waitFor();
    const titles = async (key: string) =>
      (await steno.call('GET', '/notes/list', { key })).body.data.map(
        ({ title }: { title: string }) => title,
      );
    expect(await titles(eve.key)).toEqual(['Of Eve']);
    await isLive(page);
    await isLive(other);
    await other.evaluate(
      `fetch('/api/auth/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })`,
    );
    await page.waitForURL(/sign-in/);
    await opened.close();
  });
});

const listening = async ({ app }: TestSteno) => {
  const [address] = app.server.listening ? app.addresses() : [];
  return typeof address === 'object'
    ? `http://127.0.0.1:${address.port}`
    : app.listen({ host: '127.0.0.1', port: 0 });
};
