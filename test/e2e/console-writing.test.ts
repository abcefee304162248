import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import {
  describeInBrowser,
  isInSight,
  openConsole,
  openConsoleWithNotes,
  sizes,
  useBrowser,
} from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const content = `# Shopping

We need **fresh bread** and more, see [the list](https://example.org).

- [ ] milk
- [x] eggs
`;

describeInBrowser('writing', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  test('Ctrl+F finds what the editor of a long note has not drawn, and Esc selects it', async () => {
    const lines = Array.from({ length: 600 }, (_, at) =>
      [40, 580].includes(at) ? `The Café of ${at}` : 'plain',
    );
    const notes = [{ title: 'Long', content: lines.join('\n') }];
    const { page, stored, close } = await openConsoleWithNotes(browser.get(), steno, notes, '/notes/{0}');
    await page.getByRole('heading', { name: 'Long' }).waitFor();
    await page.getByRole('button', { name: 'Write' }).click();
    await page.locator('.cm-content').waitFor();
    await page.keyboard.press('ControlOrMeta+f');
    const field = page.getByRole('searchbox', { name: 'Find in this note' });
    await field.fill('cafe of');
    await page.getByText('1 of 2').waitFor();
    const hit = page.locator('.cm-found');
    await expect.poll(() => isInSight(hit)).toBe(true);
    await field.press('Enter');
    await page.getByText('2 of 2').waitFor();
    await expect.poll(() => page.locator('.cm-line', { has: hit }).textContent()).toBe('The Café of 580');
    await expect.poll(() => isInSight(hit)).toBe(true);
    await field.press('Escape');
    await field.waitFor({ state: 'detached' });
    await page.keyboard.insertText('Inn of');
    await expect.poll(async () => (await stored())[0].content).toContain('The Inn of 580');
    await close();
  });

  const wordHtml = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin:0}</style></head>
<body><!--StartFragment--><p class=MsoNormal><b><span style='font-size:12.0pt'>Crew<o:p></o:p></span></b></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span>&nbsp;&nbsp;</span></span><![endif]>Ada<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o<span>&nbsp;</span></span>Eve</p><!--EndFragment--></body></html>`;
  const docsHtml = `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr"><span style="font-weight:400">Plan</span></h2>
<p><span style="font-weight:400">The </span><span style="font-weight:700">old</span><span style="font-weight:700"> crane</span><span style="font-style:italic"> stays</span></p>
<ul><li aria-level="1"><p><span>one</span></p></li><ul><li><p><span>inner</span></p></li></ul><li><p>two</p></li></ul></b><br>`;
  const pageHtml = `<h1>Guide</h1><p>See <a href="https://example.org/a">the page</a>, or <a href="javascript:alert(1)">not</a>.<br>Use <code>npm ci</code> &amp; 2 * 3.</p>
<ol><li>first<ul><li>deep</li></ul></li><li><input type="checkbox" checked>done</li></ol>
<pre><code class="language-js">let a = 1;\n  b();\n</code></pre><blockquote><p>quoted</p></blockquote>
<table><thead><tr><th>Name</th><th>Role</th></tr></thead><tbody><tr><td>Ada</td><td>a|b</td></tr></tbody></table>
<script>document.title = 'owned'</script><img src="https://evil.example/x.png" onerror="document.title='owned'">`;

  test('what is copied from a page, from Word or from Google Docs becomes Markdown, and one undo takes it back', {
    tags: 'slow',
  }, async () => {
    const { user, key } = await steno.person();
    const body = { title: 'Pasted', content: 'before ' };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: `/notes/${id}`,
    });
    await page.getByRole('button', { name: 'Write' }).click();
    await page.locator('[data-types-text]').waitFor();
    const field = `document.querySelector('[data-types-text]').shadowRoot.querySelector('.cm-content')`;
    const text = async () =>
      ((await page.evaluate(`${field}.innerText`)) as string).replaceAll('\n\n\n', '\n\n');
    const stored = async (): Promise<string> =>
      (await steno.call('GET', `/notes/${id}`, { key })).body.data.content;
    const paste = (html: string, plain: string, picture = false) =>
      page.evaluate(`(() => {
        const clipboardData = new DataTransfer();
        if (${JSON.stringify(html)}) clipboardData.setData('text/html', ${JSON.stringify(html)});
        if (${JSON.stringify(plain)}) clipboardData.setData('text/plain', ${JSON.stringify(plain)});
        if (${picture}) clipboardData.items.add(new File(['x'], 'x.png', { type: 'image/png' }));
        ${field}.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      })()`);
    const pasted = async (html: string) => {
      await page.keyboard.press('ControlOrMeta+a');
      const before = await text();
      await paste(html, 'plain');
      await expect.poll(text).not.toBe(before);
    };
    await pasted(wordHtml);
    await expect.poll(stored).toBe('**Crew**\n\n- Ada\n   - Eve');
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(stored).toBe('before ');
    await pasted(docsHtml);
    await expect.poll(stored).toBe('## Plan\n\nThe **old crane** _stays_\n\n- one\n  - inner\n- two');
    await pasted(pageHtml);
    await page.getByText('The text was pasted without them.').first().waitFor();
    await expect
      .poll(stored)
      .toBe(
        [
          '# Guide',
          'See [the page](https://example.org/a), or not.\nUse `npm ci` & 2 \\* 3.',
          '1. first\n   - deep\n2. [x] done',
          '```js\nlet a = 1;\n  b();\n```',
          '> quoted',
          '| Name | Role |\n| --- | --- |\n| Ada | a\\|b |',
        ].join('\n\n'),
      );
    // A picture alone changes nothing and is refused in words; coloured code is pasted as it is.
    const before = await stored();
    await paste('', '', true);
    await page.getByText('Only text can be pasted.').first().waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await paste('<div style="white-space: pre"><span style="color:red">if</span> (a)</div>', '  if (*a)');
    await expect.poll(stored).toBe('  if (*a)');
    expect(before).toContain('# Guide');
    expect(await page.title()).not.toContain('owned');
    expect(complaints).toEqual([]);
    await close();
  });

  test('what is pasted is there before the next letter, and what needs a line of its own gets one', async () => {
    const { user, key } = await steno.person();
    const body = { title: 'Pasted', content: 'before after\n- ' };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    const stored = async () => (await steno.call('GET', `/notes/${id}`, { key })).body.data.content;
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user,
      path: `/notes/${id}`,
    });
    await page.getByRole('button', { name: 'Write' }).click();
    await page.locator('.cm-content').waitFor();
    /** The text at the moment after the paste, when the next letter may come. */
    const paste = (html: string) =>
      page.evaluate(`(() => {
        const field = document.querySelector('[data-types-text]').shadowRoot.querySelector('.cm-content');
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/html', ${JSON.stringify(html)});
        clipboardData.setData('text/plain', 'plain');
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        return field.innerText;
      })()`);
    // A list that is pasted behind a mark of a list goes on from it.
    expect(await paste('<ul><li>one</li><li>two</li></ul>')).toContain('- one');
    await expect.poll(stored).toBe('before after\n- one\n- two');
    await page.keyboard.press('ControlOrMeta+Home');
    for (let at = 0; at < 'before '.length; at += 1) await page.keyboard.press('ArrowRight');
    expect(await paste('<p>some <b>bold</b> words </p>')).toContain('before some **bold** words');
    await page.keyboard.type(', ');
    await expect.poll(stored).toBe('before some **bold** words, after\n- one\n- two');
    await paste('<h2>Plan</h2><p>text</p>');
    await expect.poll(stored).toBe('before some **bold** words, \n\n## Plan\n\ntextafter\n- one\n- two');
    await page.keyboard.press('ControlOrMeta+z');
    await paste('<p>text</p><h2>Plan</h2>');
    await expect.poll(stored).toBe('before some **bold** words, text\n\n## Plan\n\nafter\n- one\n- two');
    await page.keyboard.type('X');
    await expect.poll(stored).toContain('\n\nXafter');
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(sizes)(
    'one clicks and types, sees the formatting, and ticks boxes while reading, on %s',
    async (_size, screen) => {
      const { user, key } = await steno.person();
      const body = { title: 'Market', content };
      const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
      const stored = async (): Promise<string> =>
        (await steno.call('GET', `/notes/${id}`, { key })).body.data.content;
      const opened = await openConsole(browser.get(), steno, { user, path: `/notes/${id}`, ...screen });
      const { page, complaints, close } = opened;

      // By mouse and by keyboard.
      await page.getByRole('checkbox', { name: 'milk' }).click();
      await expect.poll(stored).toContain('- [x] milk');
      await page.keyboard.press('Space');
      await expect.poll(stored).toContain('- [ ] milk');
      await page.getByRole('checkbox', { name: 'eggs' }).uncheck();
      await expect.poll(stored).toBe(content.replace('[x] eggs', '[ ] eggs'));
      expect(await seriousProblems(page)).toEqual([]);

      // The right edge of a word that is bold: the caret is behind it, and the marks are counted.
      const bread = await page.locator('strong').boundingBox();
      await page.mouse.click((bread?.x ?? 0) + (bread?.width ?? 0) - 1, (bread?.y ?? 0) + 8);
      const text = page.getByLabel('Note text');
      await text.waitFor();
      await page.keyboard.type(' rolls');
      await expect.poll(stored).toContain('**fresh bread rolls** and more');
      await page.locator('[data-types-text]').waitFor();
      const weight = `getComputedStyle([...document.querySelector('[data-types-text]').shadowRoot
      .querySelectorAll('.cm-line span')].find((span) => span.textContent.includes('bread')) ?? document.body).fontWeight`;
      await expect.poll(() => page.evaluate(weight)).toBe('700');
      expect(await seriousProblems(page)).toEqual([]);

      // Back to reading, and the button goes on where the caret was.
      await page.keyboard.press('Escape');
      await page.locator('strong').waitFor();
      await page.getByRole('button', { name: 'Write' }).click();
      await page.keyboard.type(', two');
      await expect.poll(stored).toContain('**fresh bread rolls, two** and more');

      await page.keyboard.press('ControlOrMeta+End');
      await page.keyboard.press('Backspace');
      await page.keyboard.press('Enter');
      await page.keyboard.type('tea');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.keyboard.type('1. one');
      await page.keyboard.press('Enter');
      await page.keyboard.press('ControlOrMeta+b');
      await page.keyboard.type('two');
      await page.keyboard.press('Shift+Home');
      await page.keyboard.type('3');
      await expect.poll(stored).toMatch(/- \[ \] eggs\n- \[ \] tea\n1\. one\n/);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('site');
      await page.keyboard.press('Shift+Home');
      await page.keyboard.press('ControlOrMeta+k');
      await page.keyboard.type('https://example.org/a');
      await page.keyboard.press('End');
      await page.keyboard.type(' _x_');
      await expect.poll(stored).toBe('[site](https://example.org/a) _x_');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'site', exact: true }).waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test.each(sizes)(
    'a click in the title renames the note there, and the note is headed by it, on %s',
    async (_size, screen) => {
      const { user, key } = await steno.person();
      const body = { title: 'Market day', content: 'text' };
      const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
      const opened = await openConsole(browser.get(), steno, { user, path: `/notes/${id}`, ...screen });
      const { page, complaints, close } = opened;
      const title = page.getByRole('heading', { name: 'Market day', level: 1 });
      const { x = 0, y = 0 } = (await title.boundingBox()) ?? {};
      await page.mouse.click(x + 1, y + 12);
      await page.keyboard.type('Big ');
      await expect
        .poll(async () => (await steno.call('GET', `/notes/${id}`, { key })).body.data.title)
        .toBe('Big Market day');
      // Also while it is written, a page has a heading.
      expect(await page.locator('h1:visible').count()).toBeGreaterThan(0);
      expect(await seriousProblems(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('Tab and Shift+Tab indent an item of a list, and the letters after it stay in the text', async () => {
    const { user, key } = await steno.person();
    const body = { title: 'List', content: '- one' };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    const stored = async () => (await steno.call('GET', `/notes/${id}`, { key })).body.data.content;
    const { page, close } = await openConsole(browser.get(), steno, { user, path: `/notes/${id}` });
    await page.getByRole('heading', { name: 'List' }).waitFor();
    await page.getByRole('button', { name: 'Write' }).click();
    await page.locator('[data-types-text]').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('two');
    await expect.poll(stored).toBe('- one\n  - two');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(stored).toBe('- one\n- two');
    await close();
  });
});
