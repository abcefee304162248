import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, useBrowser } from '../support/browser.ts';
import { clipboards } from '../support/clipboards.ts';

describeInBrowser('copied HTML becomes Markdown', () => {
  const browser = useBrowser();
  let page: Page;
  beforeAll(async () => {
    const input = join(import.meta.dirname, '../../web/src/screens/notes/html-to-markdown.ts');
    const bundle = await rolldown({ input });
    const { output } = await bundle.generate({ format: 'iife', name: 'converter' });
    await bundle.close();
    page = await browser.get().newPage();
    await page.evaluate(`${output[0].code}; window.toMarkdown = converter.toMarkdown;`);
  });
  afterAll(() => page?.close());

  test.each(clipboards)('from $from', async ({ html, markdown, hasPictures = false }) => {
    expect(await page.evaluate(`window.toMarkdown(${JSON.stringify(html)})`)).toEqual({
      markdown,
      hasPictures,
    });
  });
});
