import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('the first five minutes', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ config: { firstSteps: true } });
  });
  afterAll(() => steno.close());

  test.each(sizes)(
    'a new person finds a sample and three steps that tick themselves off, on %s',
    async (_size, screen) => {
      const { user } = await steno.person();
      const { page, complaints, close } = await openConsole(browser.get(), steno, {
        user,
        path: '/notes',
        ...screen,
      });
      const steps = page.getByRole('region', { name: 'First steps' });
      const sample = page.getByRole('link', { name: /Sample: ask not/ });
      await sample.waitFor();
      await expect.poll(() => steps.getByRole('button').count()).toBe(4);
      expect(await seriousProblems(page)).toEqual([]);
      await steps.getByRole('button', { name: /Correct the sample/ }).click();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      await page.getByText('ask what you can do for your country').last().waitFor();
      await page.keyboard.press('Alt+n');
      await page.getByLabel('Title').fill('Mine');
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.goto(new URL('/notes', page.url()).href);
      await steps.getByRole('button', { name: /Correct the sample.*Done/ }).waitFor();
      expect(await steps.getByText('Done', { exact: true }).count()).toBe(1);
      await steps.getByRole('button', { name: 'Hide the first steps' }).click();
      await expect.poll(() => steps.count()).toBe(0);
      // Not shown again, and not even asked for.
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.reload();
      await sample.waitFor();
      expect(asked.filter((url) => url.endsWith('/first-steps'))).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );
});
