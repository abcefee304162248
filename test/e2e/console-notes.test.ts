import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  describeInBrowser,
  type NewNote,
  openConsole,
  openConsoleWithNotes,
  signInByLink,
  useBrowser,
  whenStarted,
} from '../support/browser.ts';
import { networkQuiet } from '../support/quiet.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('notes in the console', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  const opened = (notes: NewNote[] = [], path = '/') =>
    openConsoleWithNotes(browser.get(), steno, notes, path);

  test('a note is written by keyboard alone, saved while typing and found by its words', async () => {
    const { page, stored, complaints, close } = await opened();
    await page.getByText('No notes yet').waitFor();
    await page.keyboard.press('Alt+n');
    await page.getByLabel('Title').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Trip to Zürich');
    await page.keyboard.press('Enter');
    await page.keyboard.type('We were **running** late');
    await page.getByText('Saved', { exact: true }).waitFor();
    await expect
      .poll(stored)
      .toMatchObject([{ title: 'Trip to Zürich', content: 'We were **running** late' }]);
    await page.waitForURL(/\/notes\/[0-9a-f-]{36}$/);
    // What is typed after the note got its id belongs to the same note.
    await page.keyboard.type(', again');
    await expect.poll(async () => (await stored())[0].content).toBe('We were **running** late, again');

    await page.keyboard.press('Escape');
    await page.locator('strong', { hasText: 'running' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Select a note').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('zurich run');
    await page.getByText('1 note found').waitFor();
    await expect.poll(() => page.locator('mark').allTextContents()).toEqual(['Zürich', 'running']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Trip to Zürich' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('arrows move through the list, Enter opens, Esc goes back', async () => {
    const { page, close } = await opened([
      { title: 'One', content: '1' },
      { title: 'Two', content: '2' },
    ]);
    await page.getByRole('link', { name: /Two/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'One' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Select a note').waitFor();
    await close();
  });

  test('the first Tab leads to "Skip to content", which leads to the notes', async () => {
    const { page, close } = await opened([{ title: 'One', content: '1' }], '/notes');
    await whenStarted(page);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('main');
    await close();
  });

  test('a note is printed without a blank last page', async () => {
    // As long as a page: the space below its text was a page of its own.
    const content = Array.from({ length: 21 }, (_, at) => `line ${at}`).join('\n\n');
    const { page, close } = await opened([{ title: 'One page', content }], '/notes/{0}');
    await page.getByText('line 20', { exact: true }).last().waitFor();
    const edge = '1cm';
    const pdf = await page.pdf({
      format: 'A4',
      margin: { top: edge, bottom: edge, left: edge, right: edge },
    });
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1);
    await close();
  });

  test('a letter is a command only where its list or note has the focus', async () => {
    const { page, close } = await opened([{ title: 'One', content: '1' }], '/notes/{0}');
    await page.getByRole('heading', { name: 'One' }).waitFor();
    const isWriting = () => page.getByLabel('Note text').count();
    // Nothing has the focus, then a link of the navigation.
    for (const letter of ['r', 'n', 'e', 'x', '/', '?']) await page.keyboard.press(letter);
    await page.getByRole('link', { name: 'Settings' }).focus();
    for (const letter of ['r', 'n', 'e', 'x', '/', '?']) await page.keyboard.press(letter);
    expect(await page.locator('[role=toolbar], dialog[open], :focus:is(input)').count()).toBe(0);
    expect(await isWriting()).toBe(0);
    // The list has it, then the text, then the note that was left.
    await page.getByRole('link', { name: /One/ }).click();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /One/ }).focus();
    await page.keyboard.press('ControlOrMeta+e');
    await page.getByLabel('Note text').waitFor();
    await page.keyboard.type('nxe/');
    await page.keyboard.press('Escape');
    await expect.poll(isWriting).toBe(0);
    await page.keyboard.press('n');
    expect(await isWriting()).toBe(0);
    await page.keyboard.press('ControlOrMeta+e');
    await expect.poll(() => page.getByLabel('Note text').innerText()).toBe('1nxe/');
    await close();
  });

  test('letters after a button go nowhere: no field opens that would take the rest of them', async () => {
    const { page, stored, close } = await opened([{ title: 'One', content: '1' }], '/notes/{0}');
    await page.getByRole('heading', { name: 'One' }).waitFor();
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.keyboard.type('next one');
    await page.getByRole('link', { name: /One/ }).focus();
    await page.keyboard.type('never');
    expect(await page.locator(':focus:is(input, textarea, [data-types-text])').count()).toBe(0);
    expect(await page.getByLabel('Note text').count()).toBe(0);
    expect(new URL(page.url()).pathname).not.toBe('/notes/new');
    expect(await stored()).toMatchObject([{ title: 'One', content: '1' }]);
    await close();
  });

  test('a link to a note opens it; one to a stranger’s note says that it is gone', async () => {
    const mine = await opened([{ title: 'Mine', content: 'text' }], '/notes/{0}');
    await mine.page.getByRole('heading', { name: 'Mine' }).waitFor();
    const other = await openConsole(browser.get(), steno, {
      user: (await steno.person()).user,
      path: `/notes/${mine.ids[0]}`,
    });
    await other.page.getByText('Note not found').waitFor();
    await mine.close();
    await other.close();
  });

  test('a note made in a folder lands there, and moving it takes it out', { tags: 'slow' }, async () => {
    const { page, stored, close } = await opened();
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Folder name').fill('Work');
    await page.keyboard.press('Enter');
    await page.getByText('This folder is empty').waitFor();
    await page.keyboard.press('Alt+n');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Minutes');
    await expect.poll(stored).toMatchObject([{ content: 'Minutes', folder_id: expect.any(String) }]);
    await page.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Move to…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'No folder' }).click();
    await expect.poll(async () => (await stored())[0].folder_id).toBe(null);
    await page.getByText('This folder is empty').waitFor();
    await close();
  });

  test('a folder name that exists is explained', async () => {
    const { page, key, close } = await opened();
    await steno.call('POST', '/folders/create', { key, body: { name: 'Work' } });
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Folder name').fill('work');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Already exists', { exact: true }).waitFor();
    await close();
  });

  test('a deleted note comes back with undo, and without it is gone for the server too', async () => {
    const { page, stored, close } = await opened([{ title: 'Draft', content: 'keep me' }], '/notes/{0}');
    const remove = async () => {
      await page.getByRole('button', { name: 'Actions for this note' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByText('Deleted “Draft”', { exact: true }).waitFor();
    };
    await remove();
    await page.getByText('No notes yet').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Draft' }).waitFor();
    await expect.poll(stored).toHaveLength(1);
    await remove();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(stored).toEqual([]);
    await close();
  });

  test('offline it says so, keeps what is typed and saves it when the connection is back', async () => {
    const { page, stored, close } = await opened([{ title: 'Train', content: 'before' }], '/notes/{0}');
    await page.getByRole('button', { name: 'Write' }).click();
    await page.context().setOffline(true);
    await page.getByText('You’re offline').waitFor();
    await page.getByLabel('Note text').fill('in the tunnel');
    await page.getByText(/Not saved: Can’t reach the server/).waitFor();
    await page.context().setOffline(false);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await stored())[0].content).toBe('in the tunnel');
    await close();
  });

  test.each(['the note', 'the list of folders'])(
    'a session that ends while someone writes costs no word, if %s is refused first',
    { tags: 'slow' },
    async (first) => {
      const { page, origin, user, stored, close } = await opened(
        [{ title: 'Long', content: 'before' }],
        '/notes/{0}',
      );
      const address = page.url();
      const written = Promise.withResolvers<void>();
      if (first !== 'the note') {
        await page.route('**/folders/list*', (route) => written.promise.then(() => route.continue()));
        await page.reload();
      } else await networkQuiet(page);
      await page.getByRole('button', { name: 'Write' }).click();
      await page.getByLabel('Note text').waitFor();
      await page.context().clearCookies();
      await page.getByLabel('Note text').fill('written without a session');
      written.resolve();
      if (first === 'the note') {
        await page.getByText(/Not saved: You’re signed out/).waitFor();
        await page.getByRole('link', { name: 'Settings' }).click();
      }
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await signInByLink(page, origin, steno, user);
      await page.goto(address);
      await page.getByText('Saved', { exact: true }).waitFor();
      await expect.poll(async () => (await stored())[0].content).toBe('written without a session');
      await close();
    },
  );

  test('leaving for another screen saves the last words', async () => {
    const { page, stored, close } = await opened([{ title: 'Hasty', content: 'before' }], '/notes/{0}');
    await page.getByRole('button', { name: 'Write' }).click();
    await page.getByLabel('Note text').fill('last words');
    await page.getByRole('link', { name: 'Settings' }).click();
    await expect.poll(async () => (await stored())[0].content).toBe('last words');
    await close();
  });

  test('attacks in title, text, folder names and links are shown as text', async () => {
    const attack = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
    const { user, key } = await steno.person();
    await steno.call('POST', '/folders/create', { key, body: { name: '<b onclick=x>Folder</b>' } });
    const { id } = (
      await steno.call('POST', '/notes/create', {
        key,
        body: {
          title: attack,
          content: `${attack}\n\n[click](javascript:alert(1)) ![p](https://evil.example/p.png)`,
        },
      })
    ).body.data;
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: `/notes/${id}`,
    });
    await page.getByRole('heading', { name: '<img src=x' }).waitFor();
    await page.getByText('[click](javascript:alert(1))').waitFor();
    expect(await page.locator('article img, article script, article [onerror]').count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    await page.getByRole('link', { name: '<b onclick=x>Folder</b>' }).first().waitFor();
    expect(await page.title()).not.toContain('owned');
    expect(complaints).toEqual([]);
    await close();
  });

  test('a person who asks too much is told how long to wait', { tags: 'slow' }, async () => {
    const { user, key } = await steno.person({ plan: 'free' });
    await steno.call('POST', '/notes/create', { key, body: { content: 'calm' } });
    const { page, close } = await openConsole(browser.get(), steno, { user });
    await page.getByRole('link', { name: /calm/ }).waitFor();
    const search = page.getByRole('searchbox');
    // Six searches fill a free minute; another six when a new minute begins meanwhile.
    let status = 200;
    for (let attempt = 0; status === 200 && attempt < 13; attempt += 1) {
      const answered = page.waitForResponse('**/notes/search');
      await search.fill(`calm ${attempt}`);
      status = (await answered).status();
    }
    expect(status).toBe(429);
    await Promise.all([
      page.getByText('Too many requests').waitFor(),
      page.getByText(/Trying again in \d+ seconds?\./).waitFor(),
    ]);
    await close();
  });
});
